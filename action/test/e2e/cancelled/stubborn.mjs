// Everything that a check starts, one role a process. It hangs in the role that HANG names, so that it can be
// cancelled there; with STUBBORN=yes it ends for SIGKILL only.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const role = process.argv[2];
const hangs = process.env.HANG === role;
const stubborn = process.env.STUBBORN === 'yes';
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stubborn || process.exit(1));

const forEver = () => setInterval(() => {}, 60_000);

const roles = {
  build() {
    if (hangs) return forEver();
    writeFileSync('built.txt', 'built');
  },
  backing() {
    // What it starts itself has to go with it.
    spawn(process.execPath, [process.argv[1], 'helper'], { stdio: 'ignore' });
    if (!stubborn) process.stdin.on('end', () => process.exit(0)).resume();
    forEver();
    if (!hangs) console.log('{"ready":true}');
  },
  helper: forEver,
  data() {
    if (hangs) forEver();
  },
  service() {
    createServer((request, response) => {
      response.statusCode = hangs && request.url === '/ready' ? 503 : 200;
      setTimeout(() => response.end(), 4);
    }).listen(Number(process.env.PORT));
  },
};
roles[role]();
