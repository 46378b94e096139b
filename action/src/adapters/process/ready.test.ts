import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { answersOk } from './ready.ts';

it.each([
  [200, true],
  [204, true],
  [401, true],
  [403, true],
  [404, false],
  [503, false],
])('a service that answers %i can take load: %s', async (status, ready) => {
  const server = createServer((_, response) => response.writeHead(status).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await answersOk(url, new AbortController().signal)).toBe(ready);
});

it('keeps no connection, which the service may close just when the next caller takes it', async () => {
  const asked: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers.connection);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  await answersOk(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, new AbortController().signal);
  expect(asked).toEqual(['close']);
});
