import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createK6 } from '../../src/adapters/k6/generator.ts';
import { invalidReasons } from '../../src/measure/block-validity.ts';
import { planSuite } from '../../src/measure/plan.ts';
import type { ArrivalLoad, LoadSink, LoadSpec, RunningLoad } from '../../src/measure/ports.ts';
import { Recorder as BlockRecorder } from '../../src/measure/recorder.ts';
import { configSchema } from '../../src/model/config.ts';
import { Fault } from '../../src/model/fault.ts';
import { ownEndpoints } from '../../src/model/run.ts';
import { findK6 } from './find-k6.ts';

const binary = findK6();
const k6 = createK6({ binary, patienceMs: 300 });
/** One virtual user for half a second completes some iterations on any machine. */
const BRIEF: LoadSpec['stages'] = [
  { seconds: 0, vus: 1 },
  { seconds: 0.5, vus: 1 },
];
/** This load outlasts any test, so the test must end it. */
const LONG: LoadSpec['stages'] = [
  { seconds: 0, vus: 2 },
  { seconds: 600, vus: 2 },
];

interface Service {
  /** To all connections so far, headers included. */
  readonly bytesSent: () => number;
  readonly url: string;
  readonly requests: { readonly path: string; readonly body: string }[];
}

let service: Service;

beforeEach(async () => {
  service = await serve((request, response) => {
    response.writeHead(Number(/status=(\d+)/.exec(request.url ?? '')?.[1] ?? 200));
    response.end('{"answer":42}');
  });
});

afterEach(() => {
  vi.unstubAllEnvs();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Service> {
  const requests: Service['requests'] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    requests.push({ path: request.url ?? '', body });
    answer(request, response);
  });
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const bytesSent = () => sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0);
  return { bytesSent, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function script(files: string | Record<string, string>): Promise<string> {
  const fixture = await createFixture(typeof files === 'string' ? { 'script.ts': files } : files);
  onTestFinished(() => fixture.rm());
  return fixture.getPath('script.ts');
}

/** A script that runs `body` in every iteration. */
function scriptOf(body: string, more = ''): Promise<string> {
  return script(`
    import exec from 'k6/execution';
    import http from 'k6/http';
    import { check, sleep } from 'k6';
    const get = (name, path) => http.get(__ENV.BASE_URL + path, { tags: { name } });
    ${more}
    export default function () { ${body} }
  `);
}

class Recorder implements LoadSink {
  readonly counts: Record<string, number> = {};
  readonly failed: Record<string, number> = {};
  readonly failedChecks: Record<string, number> = {};
  readonly endedAtMs: number[] = [];
  readonly durationsMs: number[] = [];
  readonly exceptionsFromMs: number[] = [];
  readonly statuses: number[] = [];
  readonly usersAtOnce: number[] = [];
  readonly values: Record<string, number[]> = {};
  iterations = 0;
  receivedBytes = 0;
  droppedPasses = 0;
  readonly #first = Promise.withResolvers<void>();
  readonly first = this.#first.promise;

  users(_atMs: number, users: number): void {
    this.usersAtOnce.push(users);
  }

  request(endpoint: string, endedAtMs: number, durationMs: number, failed: boolean, status: number): void {
    if (failed) this.statuses.push(status);
    this.counts[endpoint] = (this.counts[endpoint] ?? 0) + 1;
    if (failed) this.failed[endpoint] = (this.failed[endpoint] ?? 0) + 1;
    this.endedAtMs.push(endedAtMs);
    this.durationsMs.push(durationMs);
    this.#first.resolve();
  }

  failedCheck(endpoint: string): void {
    this.failedChecks[endpoint] = (this.failedChecks[endpoint] ?? 0) + 1;
  }

  metric(name: string, _atMs: number, value: number): void {
    this.values[name] ??= [];
    this.values[name].push(value);
  }

  iteration(): void {
    this.iterations++;
  }

  received(bytes: number): void {
    this.receivedBytes += bytes;
  }

  exception(fromMs: number): void {
    this.exceptionsFromMs.push(fromMs);
  }

  dropped(): void {
    this.droppedPasses++;
  }
}

function spec(path: string, stages = BRIEF, env: Record<string, string> = {}): LoadSpec {
  return { script: path, stages, thresholds: true, env: { BASE_URL: service.url, ...env } };
}

async function run(path: string, stages = BRIEF, env: Record<string, string> = {}) {
  const seen = new Recorder();
  const result = await k6.start(spec(path, stages, env), seen, AbortSignal.timeout(300_000)).done;
  return { seen, ...result };
}

function pidOf({ pids: [pid] }: RunningLoad): number {
  if (pid === undefined) throw new Error('the load has no process');
  return pid;
}

function seenByService(path: string): number {
  return service.requests.filter((request) => request.path === path).length;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function faultOf(promise: Promise<unknown>) {
  const reason = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(reason instanceof Fault)) throw new Error(`no Fault but ${reason}`);
  return reason.details;
}

describe('samples', () => {
  it('come once per request that the service saw, under the given name', async () => {
    const path = await scriptOf("get('one', '/1'); get('two', '/2'); get('two', '/2');");
    const startedAtMs = Date.now();
    const { seen, end, exceptions, errors } = await run(path);
    expect(end).toEqual({ kind: 'finished' });
    expect({ exceptions, errors }).toEqual({ exceptions: 0, errors: [] });
    expect(seen.counts).toEqual({ one: seenByService('/1'), two: seenByService('/2') });
    expect(seen.counts.two).toBe(2 * (seen.counts.one ?? 0));
    expect(seen.iterations).toBe(seen.counts.one);
    expect(seen.failed).toEqual({});
    expect(Math.min(...seen.durationsMs)).toBeGreaterThan(0);
    expect(Math.min(...seen.endedAtMs)).toBeGreaterThanOrEqual(startedAtMs);
    expect(Math.max(...seen.endedAtMs)).toBeLessThanOrEqual(Date.now());
    // Whole milliseconds would make a request of 200 us disappear.
    expect(seen.endedAtMs.some((ms) => !Number.isInteger(ms))).toBe(true);
  });

  it('hold the bytes of every response, also of a pass that the end of the load interrupts', async () => {
    const { url, bytesSent, requests } = await serve((request, response) => {
      if (request.url === '/1') response.end('x'.repeat(5_000));
      else setTimeout(() => response.end('x'), 300);
    });
    const seen = new Recorder();
    const path = await scriptOf("get('one', '/1'); get('two', '/2');");
    await k6.start({ ...spec(path), env: { BASE_URL: url } }, seen, AbortSignal.timeout(300_000)).done;
    const answered = requests.filter(({ path: asked }) => asked === '/1').length;
    expect(seen.receivedBytes).toBeGreaterThan(5_000 * answered);
    expect(seen.receivedBytes).toBeGreaterThan(0.99 * bytesSent());
    expect(seen.receivedBytes).toBeLessThanOrEqual(bytesSent());
  });

  it('take the path as their name if the script gives none, whatever the port', async () => {
    const path = await scriptOf(`
      http.get(__ENV.BASE_URL);
      http.get(__ENV.BASE_URL + '/plain?page=1');
      http.get(http.url\`\${__ENV.BASE_URL}/rows/\${exec.vu.iterationInScenario}\`);
      http.get(__ENV.BASE_URL.replace('127.0.0.1', 'localhost') + '/elsewhere');
    `);
    const { seen } = await run(path);
    const { port } = new URL(service.url);
    expect(Object.keys(seen.counts).sort()).toEqual([
      '${}/rows/${}',
      '/',
      '/plain?page=1',
      `http://localhost:${port}/elsewhere`,
    ]);
  });

  it('leave out requests of setup() and teardown()', async () => {
    const path = await scriptOf(
      "get('load', '/load');",
      `export function setup() { check(get('before', '/before?status=500'), { fails: () => false }); }
       export function teardown() { get('after', '/after'); }`,
    );
    const { seen } = await run(path);
    expect([seenByService('/before?status=500'), seenByService('/after')]).toEqual([1, 1]);
    expect(Object.keys(seen.counts)).toEqual(['load']);
    expect(seen.failedChecks).toEqual({});
  });

  it('keep names with commas, quotes and line breaks', async () => {
    const names = ['a,b', 'say "hi"', ' two\nlines\r\n', '"', 'ünïcödé 😀', 'http_req_duration,1,2'];
    const path = await scriptOf(`for (const name of ${JSON.stringify(names)}) get(name, '/');`);
    const { seen } = await run(path);
    expect(Object.keys(seen.counts).sort()).toEqual(names.sort());
  });

  it('count answers as failed that the script does not expect', async () => {
    const path = await scriptOf(`
      get('bad', '/?status=500');
      get('conflict', '/?status=409');
      http.get(__ENV.BASE_URL + '/?status=404', {
        tags: { name: 'gone' }, responseCallback: http.expectedStatuses(404),
      });
      http.get(__ENV.BASE_URL + '/', {
        tags: { name: 'not created' }, responseCallback: http.expectedStatuses(201),
      });
    `);
    const { seen, end, errors } = await run(path);
    expect(end).toEqual({ kind: 'finished' });
    const passed = seen.counts.bad ?? 0;
    expect(passed).toBeGreaterThan(0);
    expect(seen.counts.gone).toBe(passed);
    expect(seen.failed).toEqual({ bad: passed, conflict: passed, 'not created': passed });
    expect(errors).toEqual(
      expect.arrayContaining([`bad: answered 500 (${passed}x)`, `conflict: answered 409 (${passed}x)`]),
    );
  });

  it('include refused requests', async () => {
    const path = await scriptOf("http.get('http://127.0.0.1:1/', { tags: { name: 'refused' } });");
    const { seen, end, errors } = await run(path);
    expect(end).toEqual({ kind: 'finished' });
    expect(seen.counts.refused).toBeGreaterThan(0);
    expect(seen.failed).toEqual(seen.counts);
    expect(errors.join('\n')).toContain('connection refused');
  });

  it('include a request that k6 cut off with its iteration, from when its user was last seen', async () => {
    const hanging = await serve((request, response) => {
      if (request.url !== '/hangs') response.end('ok');
    });
    const path = await scriptOf(`
      get('one', '/1');
      if (exec.vu.idInTest === 1) http.get(__ENV.BASE_URL + '/hangs', { timeout: '60s', tags: { name: 'hangs' } });
    `);
    const stages = [
      { seconds: 0, vus: 2 },
      { seconds: 0.5, vus: 2 },
    ];
    const { seen, end, errors } = await run(path, stages, { BASE_URL: hanging.url });
    expect(end).toEqual({ kind: 'finished' });
    expect(seen.failed).toEqual({ [ownEndpoints.cutOff]: 1 });
    // k6 waits 30 s after the load for iterations to end.
    expect(Math.max(...seen.durationsMs)).toBeGreaterThan(25_000);
    expect(errors).toContain('(cut off): no answer (1x)');
  });

  it('include the wait for a connection that is never accepted', async () => {
    const stopped = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen({ host: '127.0.0.1', port: 0, backlog: 1 }, function () {
         console.log(this.address().port);
       })`,
    ]);
    onTestFinished(() => {
      stopped.kill('SIGKILL');
    });
    const [port] = await once(stopped.stdout, 'data');
    stopped.kill('SIGSTOP');
    const path = await scriptOf("http.get(__ENV.BASE_URL, { timeout: '1s', tags: { name: 'waits' } });");
    const users = 6;
    const stages = [
      { seconds: 0, vus: users },
      { seconds: 6, vus: users },
    ];
    const { seen } = await run(path, stages, { BASE_URL: `http://127.0.0.1:${Number(port)}` });
    // The start of a user's first request is unknown.
    const later = seen.durationsMs.slice(users);
    expect(later.length).toBeGreaterThanOrEqual(users);
    expect(Math.min(...later)).toBeGreaterThan(900);
    expect(seen.failed).toEqual(seen.counts);
  });

  it('include failed checks, with the endpoint that they name', async () => {
    const path = await scriptOf(`
      get('login', '/');
      check(1, { 'is one': (n) => n === 1, 'is, "two"': (n) => n === 2 }, { name: 'login' });
      check(1, { nameless: () => false });
    `);
    const { seen, errors } = await run(path);
    expect(seen.failedChecks).toEqual({ login: seen.counts.login, '': seen.counts.login });
    expect(errors.join('\n')).toContain('check failed: is, "two"');
  });

  it('follow the stages, even if the script or the environment asks for another load', async () => {
    const home = await createFixture({ '.config/k6/config.json': '{"vus": 5, "iterations": 5}' });
    onTestFinished(() => home.rm());
    const hostile = {
      HOME: home.path,
      XDG_CONFIG_HOME: join(home.path, '.config'),
      K6_VUS: '7',
      K6_ITERATIONS: '1',
      K6_DURATION: '1h',
      K6_STAGES: '1h:9',
      K6_OUT: `json=${join(home.path, 'out.json')}`,
      K6_CSV_TIME_FORMAT: 'unix',
      K6_SYSTEM_TAGS: 'url',
      K6_LOG_OUTPUT: 'none',
      K6_PAUSED: 'true',
      K6_ADDRESS: '127.0.0.1:1',
      HTTP_PROXY: 'http://127.0.0.1:1',
      SECRET_TOKEN: 'hush',
    };
    for (const [name, value] of Object.entries(hostile)) vi.stubEnv(name, value);
    const path = await scriptOf(
      "http.post(__ENV.BASE_URL + '/env', JSON.stringify(__ENV), { tags: { name: `vu ${exec.vu.idInTest}` } });",
      "export const options = { scenarios: { mine: { executor: 'constant-vus', vus: 9, duration: '1h' } } };",
    );
    const stages = [
      { seconds: 0, vus: 3 },
      { seconds: 0.5, vus: 3 },
    ];
    const { seen, end } = await run(path, stages, { MINE: 'a=b,c "d"', K6_VUS: 'text' });
    expect(end).toEqual({ kind: 'finished' });
    expect(Object.keys(seen.counts).sort()).toEqual(['vu 1', 'vu 2', 'vu 3']);
    const env = JSON.parse(service.requests[0]?.body ?? '{}');
    expect(env).toEqual({ BASE_URL: service.url, MINE: 'a=b,c "d"', K6_VUS: 'text' });
    expect(await home.exists('out.json')).toBe(false);
  });

  it('come from two loads at once', async () => {
    const path = await scriptOf("get('one', '/1');");
    const [left, right] = await Promise.all([run(path), run(path)]);
    expect((left.seen.counts.one ?? 0) + (right.seen.counts.one ?? 0)).toBe(seenByService('/1'));
    expect([left.end.kind, right.end.kind]).toEqual(['finished', 'finished']);
  });

  it('end the load if the sink refuses them', async () => {
    const path = await scriptOf("get('one', '/1');");
    const sink = new Recorder();
    sink.request = () => {
      throw new Error('no room');
    };
    const load = k6.start(spec(path, LONG), sink, AbortSignal.timeout(300_000));
    await expect(load.done).rejects.toThrow('no room');
    expect(isAlive(pidOf(load))).toBe(false);
  });
});

/**
 * That k6 began or dropped as many passes as the rate asks for. Each generator may begin one more at the very end. If k6
 * stands still there, as on a busy machine, it loses what would have arrived.
 */
function expectArrivals(
  asked: number,
  { iterations, droppedPasses }: Pick<Recorder, 'iterations' | 'droppedPasses'>,
  generators = 1,
): void {
  expect(iterations + droppedPasses).toBeLessThanOrEqual(asked + generators);
  // k6 leaves out what is still due at the end if the machine stands still then.
  expect(iterations + droppedPasses).toBeGreaterThanOrEqual(asked / 2);
}

describe('a planned load', () => {
  function planned(vus: number) {
    const url = 'http://127.0.0.1';
    const config = configSchema.parse({
      version: 1,
      name: 'tiny',
      stack: { process: { service: { command: ['tiny'], ports: { PORT: 'auto' }, url, ready: { url } } } },
      scenarios: { pass: { script: 'script.ts', loads: { steady: { vus } } } },
      suites: { pr: { cells: ['pass@steady'], guard: '1500ms', counted: '3s' } },
    });
    const [cell] = planSuite(config, 'pr', 'gate.yml').cells;
    if (cell === undefined) throw new Error('the plan has no cell');
    return cell;
  }

  it.each([1, 2, 20])(
    'of %i users stays level from the start to the end of the counted interval',
    async (vus) => {
      const slow = await serve((_, response) => {
        setTimeout(() => response.end('ok'), 100);
      });
      const cell = planned(vus);
      const path = await scriptOf("get('one', '/1');");
      const { seen } = await run(path, [...cell.stages], { BASE_URL: slow.url });
      const begunAtMs = Math.min(...seen.endedAtMs.map((at, index) => at - (seen.durationsMs[index] ?? 0)));
      const third = (cell.countedSeconds * 1000) / 3;
      // How many users wait for an answer, on average: a host that stands still makes them wait, and does not make them fewer.
      const usersInThird = (index: number) => {
        const from = begunAtMs + cell.guardSeconds * 1000 + index * third;
        const waits = seen.endedAtMs.map((to, request) => {
          const since = to - (seen.durationsMs[request] ?? 0);
          return Math.max(0, Math.min(to, from + third) - Math.max(since, from));
        });
        return waits.reduce((sum, ms) => sum + ms, 0) / third;
      };
      for (const index of [0, 1, 2]) expect(usersInThird(index) / vus).toBeGreaterThan(0.7);
    },
  );
});

describe('arrivals', () => {
  const arriving = async (path: string, url: string, vus: number) => {
    const seen = new Recorder();
    const arrival = { perSecond: 20, vus, seconds: 6 };
    const load = { script: path, stages: [], arrival, thresholds: true, env: { BASE_URL: url } };
    return { seen, ...(await k6.start(load, seen, AbortSignal.timeout(300_000)).done) };
  };

  it('begin passes at their rate, even if the script asks for another load', async () => {
    const path = await script({
      'script.ts': `
        import http from 'k6/http';
        import { name } from './lib/name.ts';
        export const options = { vus: 7, duration: '1h', thresholds: { http_req_failed: ['rate<0.01'] } };
        const file: string = open('./name.txt');
        export const setup = () => ({ name });
        export default function (data: { name: string }): void {
          http.get(__ENV.BASE_URL + '/' + file, { tags: { name: data.name } });
        }
      `,
      'lib/name.ts': "export const name: string = 'one';",
      'name.txt': 'page',
    });
    const { seen, end, errors } = await arriving(path, service.url, 5);
    expect({ end, errors }).toEqual({ end: { kind: 'finished' }, errors: [] });
    expectArrivals(120, seen);
    expect(seen.iterations).toBe(seen.counts.one);
    expect(seenByService('/page')).toBe(seen.counts.one);
  });

  it('are dropped if all users are busy, and the passes that began are complete', async () => {
    const slow = await serve((_, response) => {
      setTimeout(() => response.end('ok'), 1_000);
    });
    const { seen, end } = await arriving(await scriptOf("get('one', '/1');"), slow.url, 2);
    expect(end).toEqual({ kind: 'finished' });
    expect(seen.counts.one).toBe(seen.iterations);
    expect(seen.droppedPasses).toBeGreaterThan(50);
    expectArrivals(120, seen);
  });

  /** Its sink knows which load it judges, as a block does. */
  const judged = async (body: string, arrival: ArrivalLoad, url: string, generators = 1) => {
    const several = createK6({ binary, patienceMs: 300, generators });
    const recorder = new BlockRecorder(0, arrival.once === undefined ? 60 : Number.POSITIVE_INFINITY);
    const load = { script: await scriptOf(body), stages: [], arrival, env: { BASE_URL: url } };
    const result = await several.start(load, recorder, AbortSignal.timeout(300_000)).done;
    const recording = recorder.finish();
    const circumstances = { generatorCpuShare: 0, stealShare: 0, othersCpuShare: 0, clockStepSeconds: 0 };
    const limits = { generatorCpuShare: 1, stealShare: 1, othersCpuShare: 1 };
    const reasons = invalidReasons({ countedSeconds: 60, arrival }, recording, result, circumstances, limits);
    // For the same reason, passes may be missing on a busy machine.
    const codes = reasons.map(({ code }) => code).filter((code) => code !== 'I_PASSES_MISSING');
    return { ...recording, end: result.end, codes };
  };

  it.each([1, 3])('follow a rate that changes, from %i generators', async (generators) => {
    const stages = [
      { seconds: 2, perSecond: 100 },
      { seconds: 1, perSecond: 100 },
      { seconds: 0, perSecond: 20 },
      { seconds: 2, perSecond: 20 },
    ];
    const arrival = { perSecond: 100, vus: 300, seconds: 5, stages };
    const { iterations, dropped, codes } = await judged(
      "get('one', '/1');",
      arrival,
      service.url,
      generators,
    );
    // 100 while it rises, 100 at the top and 40 after it.
    expectArrivals(240, { iterations, droppedPasses: dropped }, generators);
    expect({ dropped, codes }).toEqual({ dropped: 0, codes: [] });
  });

  it.each([1, 3])('are one pass of every user, from %i generators', async (generators) => {
    const arrival = { perSecond: 35, vus: 70, seconds: 2, once: { capSeconds: 20 } };
    const body = 'get(`user ${exec.vu.idInTest}`, "/slow");';
    const slow = await serve((_, response) => {
      setTimeout(() => response.end('ok'), 3_000);
    });
    const { requests, iterations, passesInAll, endpoints, codes, countedSeconds } = await judged(
      body,
      arrival,
      slow.url,
      generators,
    );
    expect({ requests, iterations, passesInAll, codes }).toEqual({
      requests: 70,
      iterations: 70,
      passesInAll: 70,
      codes: [],
    });
    expect(endpoints).toHaveLength(70);
    expect(slow.requests).toHaveLength(70);
    // The last users are waited for.
    expect(countedSeconds).toBeGreaterThan(2.9);
  });

  it.each([
    // The pause between two users is longer than the cap.
    { vus: 1, seconds: 6, capSeconds: 5 },
    // It is shorter than a millisecond.
    { vus: 1200, seconds: 1, capSeconds: 20 },
  ])('are one pass of every user, of $vus in $seconds s', async ({ vus, seconds, capSeconds }) => {
    const arrival = { perSecond: vus / seconds, vus, seconds, once: { capSeconds } };
    const { iterations, codes } = await judged("get('one', '/1');", arrival, service.url);
    expect({ iterations, codes }).toEqual({ iterations: vus, codes: [] });
  });

  it('begin for every user, although k6 stands still when the last of them arrive', async () => {
    const arrival = { perSecond: 35, vus: 70, seconds: 2, once: { capSeconds: 20 } };
    const recorder = new BlockRecorder(0, Number.POSITIVE_INFINITY);
    const load = {
      script: await scriptOf("get('one', '/1');"),
      stages: [],
      arrival,
      env: { BASE_URL: service.url },
    };
    const { pids, done } = k6.start(load, recorder, AbortSignal.timeout(300_000));
    await vi.waitUntil(() => service.requests.length >= 50, { timeout: 60_000, interval: 5 });
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    // Longer than the others take to arrive.
    await wait(1500);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    await done;
    expect(recorder.finish()).toMatchObject({ iterations: 70, passesInAll: 70 });
  });

  it('cut off the passes that still run after the cap, and count each of them', async () => {
    const hanging = await serve((request, response) => {
      if (request.url === '/1') response.end('ok');
    });
    const arrival = { perSecond: 5, vus: 10, seconds: 2, once: { capSeconds: 10 } };
    const body = "get('one', exec.vu.idInTest <= 8 ? '/1' : '/2');";
    const { requests, errors, iterations, passesInAll, codes } = await judged(body, arrival, hanging.url);
    expect({ requests, errors, iterations, passesInAll, codes }).toEqual({
      requests: 10,
      errors: 2,
      iterations: 8,
      passesInAll: 10,
      codes: [],
    });
  });

  it('begin although they end with an exception', async () => {
    const arrival = { perSecond: 10, vus: 20, seconds: 2, once: { capSeconds: 10 } };
    const body = "get('one', '/1'); if (exec.vu.idInTest <= 4) throw new Error('full');";
    const { errors, iterations, codes } = await judged(body, arrival, service.url);
    expect({ errors, iterations, codes }).toEqual({ errors: 4, iterations: 20, codes: [] });
  });

  it('are dropped by the service if it keeps the users waiting', async () => {
    const slow = await serve((_, response) => {
      setTimeout(() => response.end('ok'), 500);
    });
    const { dropped, errors, codes } = await judged(
      "get('one', '/1');",
      { perSecond: 40, vus: 4, seconds: 6 },
      slow.url,
    );
    expect(dropped).toBeGreaterThan(100);
    expect(errors).toBe(dropped);
    expect(codes).toEqual([]);
  });

  it('are dropped by the load if its users pause for longer than their rate allows', async () => {
    const { dropped, codes } = await judged(
      "get('one', '/1'); sleep(0.5);",
      { perSecond: 40, vus: 4, seconds: 6 },
      service.url,
    );
    expect(dropped).toBeGreaterThan(100);
    expect(codes).toEqual(['I_FEW_USERS']);
  });

  it('keep the exit code of missed thresholds', async () => {
    const path = await scriptOf(
      "get('bad', '/?status=500');",
      "export const options = { thresholds: { http_req_failed: ['rate<0.01'] } };",
    );
    expect((await arriving(path, service.url, 5)).end).toEqual({
      kind: 'thresholds-missed',
      metrics: ['http_req_failed'],
    });
  });

  it('report an exception with the place in the script', async () => {
    const path = await scriptOf("throw new Error('boom');");
    const { exceptions, errors } = await arriving(path, service.url, 5);
    expect(exceptions).toBeGreaterThan(0);
    expect(errors[0]).toMatch(/^Error: boom at default \(file:.*script\.ts:7:\d+/);
  });
});

describe('the end', () => {
  it('counts exceptions, although k6 exits with 0', async () => {
    const path = await scriptOf("get('one', '/1'); throw new Error('boom');");
    const startedAtMs = Date.now();
    const { seen, end, exceptions, errors } = await run(path);
    expect(end).toEqual({ kind: 'finished' });
    expect(exceptions).toBe(seen.counts.one);
    expect(exceptions).toBe(seen.iterations);
    expect(seen.exceptionsFromMs).toHaveLength(exceptions);
    expect(Math.min(...seen.exceptionsFromMs)).toBeGreaterThan(startedAtMs - 1000);
    expect(Math.max(...seen.exceptionsFromMs)).toBeLessThanOrEqual(Date.now());
    expect(errors).toEqual([expect.stringMatching(/^Error: boom at default \(file:.*script\.ts:7:\d+/)]);
  });

  it('counts unhandled rejections', async () => {
    const path = await script(`
      import http from 'k6/http';
      export default async function () {
        await http.asyncRequest('GET', __ENV.BASE_URL, null, { tags: { name: 'one' } });
        throw 'text';
      }
    `);
    const { seen, exceptions } = await run(path);
    expect(exceptions).toBeGreaterThan(0);
    expect(exceptions).toBe(seen.counts.one);
  });

  it('is thresholds-missed for exit code 99, with all samples', async () => {
    const path = await scriptOf(
      "get('bad', '/?status=500');",
      "export const options = { thresholds: { http_req_failed: ['rate<0.01'] } };",
    );
    const { seen, end } = await run(path);
    expect(end).toEqual({ kind: 'thresholds-missed', metrics: ['http_req_failed'] });
    expect(seen.counts.bad).toBe(seenByService('/?status=500'));
  });

  it('leaves thresholds out, unless they are asked for', async () => {
    const path = await scriptOf(
      "get('bad', '/?status=500');",
      "export const options = { thresholds: { http_req_failed: [{ threshold: 'rate<0.01', abortOnFail: true }] } };",
    );
    const load = { ...spec(path), thresholds: false };
    expect((await k6.start(load, new Recorder(), AbortSignal.timeout(300_000)).done).end).toEqual({
      kind: 'finished',
    });
    expect(await k6.check(path, {})).toMatchObject({
      replaced: [],
      abortsEarly: true,
    });
  });

  it('is failed if a threshold ended the load early', async () => {
    const path = await scriptOf(
      "get('bad', '/?status=500');",
      "export const options = { thresholds: { http_req_failed: [{ threshold: 'rate<0.01', abortOnFail: true }] } };",
    );
    expect((await run(path, LONG)).end).toEqual({
      kind: 'failed',
      exitCode: 99,
      signal: null,
      meaning: expect.stringContaining('abortOnFail'),
    });
  });

  it.each([
    ['test.abort()', 108, "exec.test.abort('enough');", ''],
    ['test.fail()', 110, "exec.test.fail('enough'); sleep(0.1);", ''],
    ['outside of an iteration', 107, '', "export function setup() { throw new Error('enough'); }"],
    ['outside of an iteration', 107, 'enough = ;', ''],
    [
      'setup() took too long',
      100,
      '',
      "export const options = { setupTimeout: '100ms' }; export function setup() { sleep(1); }",
    ],
    ['options', 104, '', 'export const options = { minIterationDuration: -1, rps: "enough" };'],
  ])('names %s after exit code %i', async (meaning, exitCode, body, more) => {
    const { end, errors } = await run(await scriptOf(body, more));
    expect(end).toEqual({
      kind: 'failed',
      exitCode,
      signal: null,
      meaning: expect.stringContaining(meaning),
    });
    expect(errors.length).toBeGreaterThan(0);
  });

  it('is failed if another process kills k6', async () => {
    const path = await scriptOf("get('one', '/1');");
    const seen = new Recorder();
    const load = k6.start(spec(path, LONG), seen, AbortSignal.timeout(300_000));
    await seen.first;
    process.kill(pidOf(load), 'SIGKILL');
    expect((await load.done).end).toEqual({
      kind: 'failed',
      exitCode: null,
      signal: 'SIGKILL',
      meaning: expect.stringContaining('memory'),
    });
  });

  it('is failed if another process interrupts k6', async () => {
    const path = await scriptOf("get('one', '/1');");
    const seen = new Recorder();
    const load = k6.start(spec(path, LONG), seen, AbortSignal.timeout(300_000));
    await seen.first;
    process.kill(pidOf(load), 'SIGINT');
    expect((await load.done).end).toMatchObject({ kind: 'failed', exitCode: 105 });
  });
});

describe('a load of several generators', () => {
  const shared = createK6({ binary, patienceMs: 300, generators: 3 });
  const perUser = "get(`user ${exec.vu.idInTest}`, '/1'); sleep(0.05);";
  const seven: LoadSpec['stages'] = [
    { seconds: 0, vus: 7 },
    { seconds: 2, vus: 7 },
  ];
  const start = (path: string, more: Partial<LoadSpec>, sink = new Recorder()) => ({
    seen: sink,
    load: shared.start({ ...spec(path, LONG), ...more }, sink, AbortSignal.timeout(300_000)),
  });

  it('has every user once, and all of their samples', async () => {
    const { seen, load } = start(await scriptOf(perUser), { stages: seven });
    expect(load.pids).toHaveLength(3);
    expect((await load.done).end).toEqual({ kind: 'finished' });
    const users = Array.from({ length: 7 }, (_, index) => `user ${index + 1}`);
    expect(Object.keys(seen.counts).toSorted()).toEqual(users);
    expect(Object.values(seen.counts).reduce((sum, count) => sum + count, 0)).toBe(seenByService('/1'));
    expect(seen.usersAtOnce).toContain(7);
    expect(Math.max(...seen.usersAtOnce)).toBe(7);
  });

  it('moves the local numbers of users on by VU_OFFSET', async () => {
    const offset = 'const own = __VU + Number(__ENV.VU_OFFSET);';
    const path = await scriptOf(`${offset} get('user ' + own, '/1'); sleep(0.05);`);
    const { seen, load } = start(path, { stages: seven, env: { BASE_URL: service.url, VU_OFFSET: '100' } });
    await load.done;
    expect(Object.keys(seen.counts)).toHaveLength(7);
    for (const name of Object.keys(seen.counts)) expect(Number(name.slice(5))).toBeGreaterThan(100);
  });

  it('has as many arrivals as one generator', async () => {
    const arrival = { perSecond: 30, vus: 9, seconds: 6 };
    const { seen, load } = start(await scriptOf("get('one', '/1');"), { arrival });
    expect((await load.done).end).toEqual({ kind: 'finished' });
    expectArrivals(180, seen, load.pids.length);
  });

  it('lists the thresholds that any of them missed', async () => {
    const slow = 'if (exec.vu.idInTest === 7) check(null, { never: () => false });';
    const options = "export const options = { thresholds: { checks: ['rate==1'] } };";
    const { load } = start(await scriptOf(`${perUser} ${slow}`, options), { stages: seven });
    expect((await load.done).end).toEqual({ kind: 'thresholds-missed', metrics: ['checks'] });
  });

  it('fails, names the generator that died, and ends the others', async () => {
    const { seen, load } = start(await scriptOf(perUser), {});
    await seen.first;
    const [, second = 0] = load.pids;
    process.kill(second, 'SIGKILL');
    expect((await load.done).end).toMatchObject({
      kind: 'failed',
      signal: 'SIGKILL',
      meaning: expect.stringMatching(/^generator 2 of 3: killed by SIGKILL/),
    });
    expect(load.pids.map(isAlive)).toEqual([false, false, false]);
  });

  it('ends with the reason of an abort, and leaves no process', async () => {
    const abort = new AbortController();
    const seen = new Recorder();
    const load = shared.start(spec(await scriptOf(perUser), LONG), seen, abort.signal);
    await seen.first;
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(load.done).rejects.toBe(reason);
    expect(load.pids.map(isAlive)).toEqual([false, false, false]);
  });
});

describe('an abort', () => {
  it.each([
    ['a running load', ''],
    ['a teardown that hangs', 'export function teardown() { sleep(60); }'],
  ])('ends %s, rejects with its reason and leaves no process', async (_, more) => {
    const path = await scriptOf("get('one', '/1');", more);
    const seen = new Recorder();
    const abort = new AbortController();
    const load = k6.start(spec(path, LONG), seen, abort.signal);
    await seen.first;
    expect(isAlive(pidOf(load))).toBe(true);
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(load.done).rejects.toBe(reason);
    expect(isAlive(-pidOf(load))).toBe(false);
  });

  it('ends a k6 that does not react', async () => {
    const path = await scriptOf("get('one', '/1');");
    const seen = new Recorder();
    const abort = new AbortController();
    const load = k6.start(spec(path, LONG), seen, abort.signal);
    await seen.first;
    process.kill(pidOf(load), 'SIGSTOP');
    abort.abort();
    await expect(load.done).rejects.toMatchObject({ name: 'AbortError' });
    expect(isAlive(-pidOf(load))).toBe(false);
  });

  it('before the start prevents the start', async () => {
    const path = await scriptOf("get('one', '/1');");
    expect(() => k6.start(spec(path), new Recorder(), AbortSignal.abort())).toThrow(/aborted/);
    expect(service.requests).toEqual([]);
  });

  it('is not needed if the gate itself is killed: k6 stops too', async () => {
    const path = await scriptOf("get('one', '/1');");
    const adapter = fileURLToPath(new URL('../../src/adapters/k6/generator.ts', import.meta.url));
    const gate = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { createK6 } from ${JSON.stringify(adapter)};
         const sink = new Proxy({}, { get: () => () => undefined });
         const spec = ${JSON.stringify(spec(path, LONG))};
         const load = createK6({ binary: ${JSON.stringify(binary)} }).start(spec, sink, new AbortController().signal);
         console.log(load.pids[0]);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = await once(gate.stdout, 'data');
    const pid = Number(line);
    onTestFinished(() => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    await vi.waitUntil(() => service.requests.length > 0, { timeout: 60_000 });
    gate.kill('SIGKILL');
    await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000 });
    // What it had sent may still be unread.
    await wait(300);
    const after = service.requests.length;
    await wait(300);
    expect(service.requests.length).toBe(after);
  });
});

describe('the check of a script', () => {
  const ok = 'export default function () {}';

  it('accepts a script, even one that requires an address', async () => {
    await k6.check(await script(ok), {});
    await k6.check(await script(`if (!__ENV.BASE_URL) throw new Error('no address'); ${ok}`), {});
    await k6.check(await script(`if (__ENV.POLL !== '0.5') throw new Error('no pause'); ${ok}`), {
      POLL: '0.5',
    });
    await k6.check(
      await script({
        'script.ts': `import { n } from './lib.ts'; n(); ${ok}`,
        'lib.ts': 'export const n = (): void => {};',
      }),
      {},
    );
  });

  it('reports a missing script', async () => {
    const missing = join(await script(ok), '../missing.ts');
    expect(await faultOf(k6.check(missing, {}))).toMatchObject({
      code: 'E_SCENARIO_MISSING',
      kind: 'usage',
      place: missing,
    });
  });

  it.each([
    ['a syntax error', `const a = 1;\nconst b = ;\n${ok}`, ':2:11', 'Unexpected'],
    ['an exception', `const a = 1;\nthrow new Error('not mine');\n${ok}`, ':2:7', 'not mine'],
    ['a missing import', `import './nowhere.ts'; ${ok}`, '', 'nowhere.ts'],
    ['an extension that k6 lacks', `import sql from 'k6/x/sql'; ${ok}`, '', 'k6/x/sql'],
    ['no export', 'const a = 1;', '', 'default function'],
    ['no default export', 'export function other() {}', '', 'default function'],
    ['a default that is no function', 'export default { a: 1 };', '', 'default function'],
    [
      'a function of its own scenarios that is not there',
      "export const options = { scenarios: { s: { executor: 'shared-iterations', exec: 'other' } } }; export function mine() {}",
      '',
      'no function other',
    ],
  ])('finds %s', async (_, source, at, cause) => {
    const path = await script(source);
    const fault = await faultOf(k6.check(path, {}));
    expect(fault).toMatchObject({ code: 'E_SCENARIO_COMPILE', kind: 'usage', place: `${path}${at}` });
    expect(fault.cause).toContain(cause);
  });
});

describe("a script's own options", () => {
  const two = `
    import http from 'k6/http';
    const get = (name, path) => http.get(__ENV.BASE_URL + path, { tags: { name } });
    export const options = {
      scenarios: {
        buy: { executor: 'constant-vus', exec: 'buy', vus: 2, duration: '3s', env: { KIND: 'a buyer' } },
        look: { executor: 'constant-arrival-rate', exec: 'look', rate: 1, preAllocatedVUs: 1, duration: '3s' },
      },
    };
    export function setup() { return 'token'; }
    export function buy(data) { get(data + ' of ' + __ENV.KIND, '/'); }
    export function look(data) { get('look with ' + data, '/'); }
  `;
  it('are named where the load of gate.yml replaces them', async () => {
    const path = await script(
      `export const options = { vus: 5, duration: '1m', rps: 9 }; ${'export default () => {}'}`,
    );
    expect(await k6.check(path, {})).toMatchObject({
      env: {},
      replaced: ['options.vus', 'options.duration'],
    });
    expect((await k6.check(await script(two), {}, 'buy')).replaced).toEqual([
      'options.scenarios.buy (constant-vus)',
      'options.scenarios.look (constant-arrival-rate)',
    ]);
  });

  it('decide which function runs, if all of its scenarios run the same', async () => {
    const one = two.replace(/ {8}look: .*\n/, '');
    const use = await k6.check(await script(one), {});
    expect(use).toMatchObject({ exec: 'buy', env: { KIND: 'a buyer' } });
  });

  it('leave the choice to gate.yml, if they run several', async () => {
    const path = await script(two);
    expect(await faultOf(k6.check(path, {}))).toMatchObject({
      code: 'E_SCENARIO_EXEC',
      kind: 'usage',
      place: path,
      cause: expect.stringContaining('buy, look'),
    });
    expect(await k6.check(path, {}, 'look')).toMatchObject({ exec: 'look', env: {} });
    expect(await faultOf(k6.check(path, {}, 'sell'))).toMatchObject({
      code: 'E_SCENARIO_COMPILE',
      cause: 'the script exports no function sell',
    });
  });

  it.each([
    ['users', { stages: BRIEF }],
    ['arrivals', { stages: [], arrival: { perSecond: 20, vus: 5, seconds: 2 } }],
  ] as const)('run the function with the data of setup() for %s', async (_, load) => {
    const path = await script(two);
    const seen = new Recorder();
    const { exec, env } = await k6.check(path, {}, 'buy');
    const { done } = k6.start(
      { script: path, ...load, ...(exec && { exec }), env: { ...env, BASE_URL: service.url } },
      seen,
      AbortSignal.timeout(300_000),
    );
    expect((await done).end).toEqual({ kind: 'finished' });
    expect(Object.keys(seen.counts)).toEqual(['token of a buyer']);
  });
});

describe('the binary', () => {
  it('reports its version', async () => {
    expect(await k6.version()).toMatch(/^2\.\d+\.\d+$/);
  });

  it('is found by name', async () => {
    const named = createK6({ binary: basename(binary), path: dirname(binary) });
    expect(await named.version()).toBe(await k6.version());
    const { done } = named.start(
      spec(await scriptOf("get('one', '/1');")),
      new Recorder(),
      AbortSignal.timeout(300_000),
    );
    expect((await done).end).toEqual({ kind: 'finished' });
  });

  it('is named if it is missing', async () => {
    const path = await script('export default function () {}');
    const absent = createK6({ binary: '/nowhere/k6' });
    expect(await faultOf(absent.version())).toMatchObject({
      code: 'E_GENERATOR_MISSING',
      place: '/nowhere/k6',
    });
    expect(await faultOf(absent.check(path, {}))).toMatchObject({ code: 'E_GENERATOR_MISSING' });
    expect(() => absent.start(spec(path), new Recorder(), AbortSignal.timeout(300_000))).toThrow(
      'could not be started',
    );
  });

  it('is refused if it is not k6', async () => {
    expect(await faultOf(createK6({ binary: process.execPath }).version())).toMatchObject({
      code: 'E_GENERATOR_VERSION',
    });
  });
});
