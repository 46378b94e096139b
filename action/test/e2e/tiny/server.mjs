// Two endpoints, readiness, metrics, and the faults that the tests ask for. An answer takes long enough that a busy
// host changes it by far less than the tests' slow version does.
import { createServer } from 'node:http';

const usualMs = 20;
const delayMs = Number(process.env.TINY_DELAY_MS ?? 0);
const bootMs = Number(process.env.TINY_BOOT_MS ?? 0);
const dieAfter = Number(process.env.TINY_DIE_AFTER ?? Number.POSITIVE_INFINITY);
const failing = process.env.TINY_FAILING === 'yes';
let requests = 0;
let statements = 0;

if (process.env.TINY_BOOT_FAILURE !== undefined) {
  console.error(process.env.TINY_BOOT_FAILURE);
  process.exit(7);
}

const server = createServer((request, response) => {
  const path = (request.url ?? '').split('?')[0];
  if (path === '/ready') return response.end('ok');
  if (path === '/metrics') return response.end(`tiny_statements_total ${statements}\ntiny_pending 0\n`);
  requests += 1;
  if (requests === dieAfter) {
    console.error('tiny: out of seats');
    process.exit(9);
  }
  if (failing) {
    response.statusCode = 500;
    return response.end('no');
  }
  statements += path === '/list' && delayMs > 0 ? 20 : 1;
  setTimeout(() => response.end(path), path === '/list' ? usualMs + delayMs : usualMs);
});

setTimeout(() => server.listen(Number(process.env.PORT), '127.0.0.1'), bootMs);
process.on('SIGTERM', () => process.exit(0));
