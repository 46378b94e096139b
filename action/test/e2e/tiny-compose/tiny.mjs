// A stack that the gate has never seen, one role a container, with the faults that the tests ask for.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const fault = process.env.TINY_FAULT ?? '';
const role = process.argv[2];
process.on('SIGTERM', () => fault === 'stubborn' || process.exit(0));

function listen(port, answer) {
  createServer((request, response) => answer((request.url ?? '').split('?')[0], response)).listen(port);
}

/** Memory that is written to, so that it counts. */
const held = [];
function exhaustMemory() {
  for (;;) held.push(Buffer.alloc(8 * 2 ** 20, 1));
}

const roles = {
  data() {
    if (fault === 'data-exit') {
      console.log(
        JSON.stringify({
          ready: false,
          error: {
            code: 'SNAPSHOT_UNUSABLE',
            message: 'k1.tar.zst: it does not begin with a manifest',
            nextStep: 'remove the file',
          },
        }),
      );
      process.exit(3);
    }
    if (fault === 'data-disk-full') {
      for (;;) appendFileSync('/full/file', Buffer.alloc(2 ** 18));
    }
    if (fault === 'data-hang') return setInterval(() => {}, 1000);
    writeFileSync('/data/rows', '3');
    console.error('restoring 3 rows');
    console.log(
      JSON.stringify({
        ready: true,
        dataKey: 'k1',
        versions: { database: 'Tiny 1.0' },
        rebuilt: fault === 'data-rebuilt' ? 'its checksum was wrong' : '',
        timingsMs: { restore: 120 },
      }),
    );
  },
  db() {
    readFileSync('/data/rows');
    console.error(`db: login with ${process.env.DB_PASSWORD}`);
    if (fault === 'db-exit') {
      console.error('db: the data is of another version');
      process.exit(4);
    }
    let isKnown = false;
    listen(9104, (path, response) => {
      const isProbe = path === '/health';
      response.statusCode = isProbe && fault === 'db-unhealthy' ? 500 : 200;
      const answer = () => response.end('tiny_statements_total 1\n');
      // Each probe starts a Node, so one that would say the same again hears it late.
      if (isProbe && isKnown) return setTimeout(answer, 20_000);
      isKnown ||= isProbe && response.statusCode === 200;
      answer();
    });
  },
  async probe() {
    const { status } = await fetch('http://127.0.0.1:9104/health');
    console.log(`health answers ${status}`);
    process.exit(status === 200 ? 0 : 1);
  },
  app() {
    console.error(`app: pool opened with ${process.env.DB_PASSWORD}`);
    if (fault === 'app-exit') {
      console.error('Caused by: no such table');
      process.exit(7);
    }
    if (fault === 'app-exit-json') {
      console.log(JSON.stringify({ level: 'error', error: { code: 'ECONNREFUSED', message: 'x' } }));
      process.exit(7);
    }
    if (fault === 'app-oom') exhaustMemory();
    let requests = 0;
    listen(Number(process.env.PORT ?? 8080), (path, response) => {
      if (path === '/ready') {
        response.statusCode = fault === 'app-never-ready' ? 503 : 200;
        return response.end();
      }
      if (path === '/metrics') return response.end(`tiny_requests_total ${requests}\n`);
      requests += 1;
      if (requests === 500) {
        if (fault === 'app-oom-load') exhaustMemory();
        if (fault === 'app-exit-load') {
          console.error('app: out of seats');
          process.exit(9);
        }
      }
      setTimeout(() => response.end(path), 20);
    });
  },
};
await roles[role]();
