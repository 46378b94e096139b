import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** Answers a request; `count` is how many came before. */
export type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => unknown;

interface Write {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly lines: readonly string[];
}

/** A server that looks like InfluxDB to whoever writes, and by default takes everything. */
export async function serveInfluxdb(answer: Answer = (_, response) => response.writeHead(204).end()) {
  const requests: Write[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { url: path = '', headers } = request;
    const lines = gunzipSync(Buffer.concat(parts)).toString().split('\n');
    answer(request, response, requests.push({ path, headers, lines }) - 1);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close };
}
