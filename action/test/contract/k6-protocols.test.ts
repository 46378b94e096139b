import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { createK6 } from '../../src/adapters/k6/index.ts';
import { type LoadEnd, Recorder } from '../../src/measure/index.ts';
import { findK6 } from './find-k6.ts';

const k6 = createK6({ binary: findK6() });

const proto = `syntax = "proto3"; package hello;
message Text { string text = 1; }
service Greeter {
  rpc Say(Text) returns (Text);
  rpc Many(Text) returns (stream Text);
}`;

/** The field `text` of a message, on one byte of length, behind the five bytes of a gRPC frame. */
function grpcFrame(text: string): Buffer {
  const message = Buffer.concat([Buffer.from([0x0a, text.length]), Buffer.from(text)]);
  return Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
}

/** Answers every second call of `Say` with the status NOT_FOUND. */
async function serveGrpc(): Promise<string> {
  const server = createHttp2();
  let calls = 0;
  server.on('stream', (stream, headers) => {
    const isStream = headers[':path']?.endsWith('/Many');
    const status = isStream || calls++ % 2 === 0 ? '0' : '5';
    stream.resume();
    stream.on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }));
      stream.end(grpcFrame('hello'));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return addressOf(server as unknown as Server);
}

/**
 * Accepts WebSockets, and answers the one text of each with another. It does not speak first, because `k6/websockets` loses
 * a text that arrives before the script knows that the socket is open.
 */
async function serveWebSocket(): Promise<string> {
  const server = createServer((_, response) => response.end('{}'));
  const sockets: Socket[] = [];
  server.on('upgrade', (request, socket: Socket) => {
    sockets.push(socket);
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.once('data', () => {
      socket.write(Buffer.from([0x81, 2, 0x68, 0x69]));
      // The client's close frame; an empty one answers it.
      socket.once('data', () => socket.end(Buffer.from([0x88, 0])));
    });
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
  });
  return addressOf(server);
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Load {
  readonly script: string;
  readonly url?: string;
  readonly metrics?: readonly string[];
}

async function run({ script, url = 'http://127.0.0.1:9', metrics = [] }: Load) {
  const fixture = await createFixture({ 'script.ts': script, 'hello.proto': proto });
  onTestFinished(() => fixture.rm());
  const path = fixture.getPath('script.ts');
  const env = { BASE_URL: url };
  await k6.check(path, env);
  const recorder = new Recorder(0, 60);
  const stages = [
    { seconds: 0, vus: 2 },
    { seconds: 3, vus: 2 },
  ];
  const spec = { script: path, stages, env, metrics };
  const { end, errors } = await k6.start(spec, recorder, AbortSignal.timeout(300_000)).done;
  return { end, lines: errors, recording: recorder.finish() };
}

const finished: LoadEnd = { kind: 'finished' };

it('measures a script that only calls gRPC', async () => {
  const script = `
    import grpc from 'k6/net/grpc';
    const client = new grpc.Client();
    client.load(['.'], 'hello.proto');
    export default function () {
      client.connect(__ENV.BASE_URL.replace('http://', ''), { plaintext: true });
      client.invoke('hello.Greeter/Say', { text: 'a' });
      client.close();
    }`;
  const metrics = ['grpc_req_duration'];
  const { end, lines, recording } = await run({ script, url: await serveGrpc(), metrics });
  const { requests, endpoints, metrics: values } = recording;
  expect(end).toEqual(finished);
  expect(endpoints.map(({ name }) => name)).toEqual(['/hello.Greeter/Say']);
  const [{ errors: failed = 0, latency } = {}] = endpoints;
  // Every second call fails. At either end of the time, a call of one user may overtake one of the other.
  expect(Math.abs(requests - 2 * failed)).toBeLessThanOrEqual(1 + 2);
  expect(latency?.p95Ms).toBeGreaterThan(0);
  // The very first call comes before the time begins.
  expect(values.get('grpc_req_duration')?.count).toBeGreaterThanOrEqual(requests - 1);
  expect(lines.join()).toContain('/hello.Greeter/Say: gRPC status 5');
});

it.each([
  [
    'k6/ws',
    'WebSocket',
    `import ws from 'k6/ws';
    export default function () {
      ws.connect(__ENV.BASE_URL.replace('http', 'ws') + '/chat', {}, (socket) => {
        socket.on('open', () => socket.send('hello'));
        socket.on('message', () => socket.close());
      });
    }`,
  ],
  [
    'k6/websockets',
    '/chat',
    `import { WebSocket } from 'k6/websockets';
    export default function () {
      const socket = new WebSocket(__ENV.BASE_URL.replace('http', 'ws') + '/chat');
      socket.onopen = () => socket.send('hello');
      socket.onmessage = () => socket.close();
    }`,
  ],
])('measures a script that only uses %s', async (_, endpoint, script) => {
  const metrics = ['ws_msgs_received', 'ws_session_duration'];
  const { end, lines, recording } = await run({ script, url: await serveWebSocket(), metrics });
  const { requests, endpoints, metrics: values } = recording;
  expect(end).toEqual(finished);
  expect(lines).toEqual([]);
  expect(endpoints.map(({ name }) => name)).toEqual([endpoint]);
  expect(requests).toBeGreaterThan(0);
  expect(values.get('ws_msgs_received')?.sum).toBeGreaterThan(0);
  expect(values.get('ws_session_duration')?.max).toBeGreaterThan(0);
});

it('measures streams of gRPC, with the values of the metrics of the script', async () => {
  const script = `
    import grpc from 'k6/net/grpc';
    import { Counter, Rate, Trend } from 'k6/metrics';
    const client = new grpc.Client();
    client.load(['.'], 'hello.proto');
    const waited = new Trend('waited', true);
    const balance = new Trend('balance');
    const hits = new Rate('hits');
    const rows = new Counter('rows');
    export default function () {
      client.connect(__ENV.BASE_URL.replace('http://', ''), { plaintext: true });
      const stream = new grpc.Stream(client, 'hello.Greeter/Many');
      stream.on('data', () => rows.add(3));
      stream.on('end', () => client.close());
      stream.write({ text: 'a' });
      stream.end();
      waited.add(12.5);
      balance.add(-0.5);
      hits.add(true);
      hits.add(false);
    }`;
  const metrics = ['waited', 'balance', 'hits', 'rows', 'never'];
  const { end, recording } = await run({ script, url: await serveGrpc(), metrics });
  expect(end).toEqual(finished);
  const { endpoints, requests, latency, metrics: values } = recording;
  expect(endpoints.map(({ name }) => name)).toEqual(['/hello.Greeter/Many']);
  expect(requests).toBeGreaterThan(0);
  expect(latency.p50Ms).toBeGreaterThan(0);
  expect(values.get('waited')?.quantile(0.95)).toBe(12.5);
  expect(values.get('balance')?.quantile(0.5)).toBe(-0.5);
  const hits = values.get('hits');
  expect((hits?.sum ?? 0) / (hits?.count ?? 1)).toBeCloseTo(0.5, 1);
  expect(values.get('rows')?.sum).toBeGreaterThan(0);
  expect(values.has('never')).toBe(false);
});

it('counts nothing of a script that sends nothing', async () => {
  const script = `
    import { sleep } from 'k6';
    export default function () { sleep(0.1); }`;
  const { end, recording } = await run({ script });
  expect(end).toEqual(finished);
  expect(recording.requests).toBe(0);
});
