import fc from 'fast-check';
import { median } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import type { LoadSink } from '../../measure/ports.ts';
import { otherEndpoints } from './names.ts';
import { K6Samples } from './samples.ts';

const HEADER =
  'metric_name,timestamp,metric_value,check,error_code,expected_response,name,scenario,status,extra_tags,metadata\n';
const TIME = '1795224043520758';

type Event =
  | { kind: 'request'; endpoint: string; endedAtMs: number; durationMs: number; failed: boolean }
  | { kind: 'failedCheck'; endpoint: string }
  | { kind: 'iteration'; endedAtMs: number; durationMs: number; ownMs: number }
  | { kind: 'received'; bytes: number }
  | { kind: 'users'; atMs: number; users: number }
  | { kind: 'metric'; name: string; atMs: number; value: number }
  | { kind: 'dropped'; atMs: number };

function recorder(): { sink: LoadSink; events: Event[] } {
  const events: Event[] = [];
  const sink: LoadSink = {
    request: (endpoint, endedAtMs, durationMs, failed) =>
      events.push({ kind: 'request', endpoint, endedAtMs, durationMs, failed }),
    failedCheck: (endpoint) => events.push({ kind: 'failedCheck', endpoint }),
    users: (atMs, users) => events.push({ kind: 'users', atMs, users }),
    iteration: (endedAtMs, durationMs, ownMs) =>
      events.push({ kind: 'iteration', endedAtMs, durationMs, ownMs }),
    received: (bytes) => events.push({ kind: 'received', bytes }),
    metric: (name, atMs, value) => events.push({ kind: 'metric', name, atMs, value }),
    exception: () => expect.fail('samples contain no exceptions'),
    dropped: (atMs) => events.push({ kind: 'dropped', atMs }),
  };
  return { sink, events };
}

function read(csv: string, cuts: readonly number[] = [], metrics: readonly string[] = []): Event[] {
  const { sink, events } = recorder();
  const samples = new K6Samples(sink, 'http://127.0.0.1:8080', metrics);
  const bytes = Buffer.from(csv);
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.min(cut, bytes.length);
    samples.feed(bytes.subarray(from, to));
    from = to;
  }
  samples.feed(bytes.subarray(from));
  samples.end();
  return events;
}

/** Writes a field as Go's encoding/csv does. */
function field(text: string): string {
  return /[",\r\n]|^\s/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The rows that k6 writes per request. */
function rowsOfRequest(name: string, status: number, failed: boolean): string {
  const tags = `,,${!failed},${field(name)},default,${status},,`;
  return [
    `http_reqs,${TIME},1.000000,${tags}`,
    `http_req_duration,${TIME},12.033207,${tags}`,
    `http_req_blocked,${TIME},0.626348,${tags}`,
    `http_req_connecting,${TIME},0.563138,${tags}`,
    `http_req_tls_handshaking,${TIME},0.000000,${tags}`,
    `http_req_sending,${TIME},0.119268,${tags}`,
    `http_req_waiting,${TIME},11.714800,${tags}`,
    `http_req_receiving,${TIME},0.199139,${tags}`,
    `http_req_failed,${TIME},${failed ? 1 : 0}.000000,${tags}\n`,
  ].join('\n');
}

describe('K6Samples', () => {
  it('reads one sample per request, to the microsecond', () => {
    expect(read(HEADER + rowsOfRequest('trip-add', 201, false))).toEqual([
      {
        kind: 'request',
        endpoint: 'trip-add',
        endedAtMs: 1795224043520.758,
        durationMs: 12.033207,
        failed: false,
      },
    ]);
  });

  it('reads iterations and failed checks', () => {
    const csv = [
      `checks,${TIME},1.000000,holds,,,login,default,,,`,
      `checks,${TIME},0.000000,does not hold,,,login,default,,,`,
      `checks,${TIME},0.000000,names nothing,,,,default,,,`,
      `iteration_duration,${TIME},17.985455,,,,,default,,,`,
      `iterations,${TIME},1.000000,,,,,default,,,`,
      `vus,${TIME},5.000000,,,,,,,\n`,
    ].join('\n');
    expect(read(HEADER + csv)).toEqual([
      { kind: 'failedCheck', endpoint: 'login' },
      { kind: 'failedCheck', endpoint: '' },
      { kind: 'iteration', endedAtMs: 1795224043520.758, durationMs: 17.985455, ownMs: 0 },
    ]);
  });

  it('reads the bytes of an iteration, and not those of setup()', () => {
    const csv = [
      `data_received,${TIME},1234.000000,,,,,default,,,`,
      `data_received,${TIME},99.000000,,,,,,,,\n`,
    ].join('\n');
    expect(read(HEADER + csv)).toEqual([{ kind: 'received', bytes: 1234 }]);
  });

  it('finds the columns by the header', () => {
    const csv = `metric_name,timestamp,metric_value,check,error_code,expected_response,group,name,proto,scenario,status,extra_tags,metadata
http_req_duration,${TIME},2.500000,,1500,false,"::a,b",login,HTTP/1.1,default,500,,\n`;
    expect(read(csv)).toEqual([
      { kind: 'request', endpoint: 'login', endedAtMs: 1795224043520.758, durationMs: 2.5, failed: true },
    ]);
  });

  it('treats a request as successful when the script does not judge its status', () => {
    expect(read(`${HEADER}http_req_duration,${TIME},2.500000,,,,login,default,500,,\n`)).toMatchObject([
      { failed: false },
    ]);
  });

  it('reads every name, wherever the stream is cut', () => {
    const name = fc.string({ minLength: 1, unit: fc.constantFrom(...'ab,"\n\r é€😀 &=') });
    fc.assert(
      fc.property(
        fc.array(fc.record({ name, failed: fc.boolean() }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(4000), { maxLength: 40 }),
        (requests, cuts) => {
          const csv = HEADER + requests.map((r) => rowsOfRequest(r.name, 200, r.failed)).join('');
          expect(read(csv, cuts)).toEqual(
            requests.map((r) => expect.objectContaining({ endpoint: r.name, failed: r.failed })),
          );
        },
      ),
    );
  });

  it('reads a stream that arrives byte by byte', () => {
    const csv = HEADER + rowsOfRequest('a "b", c\nd', 200, false).repeat(3);
    expect(read(csv, [...Buffer.from(csv).keys()])).toEqual(read(csv));
  });

  it('lists failures, the most frequent first', () => {
    const { sink } = recorder();
    const samples = new K6Samples(sink);
    samples.feed(Buffer.from(HEADER + rowsOfRequest('trip-update', 409, true)));
    samples.feed(Buffer.from(rowsOfRequest('log\nin', 0, true).repeat(2)));
    samples.feed(Buffer.from(`checks,${TIME},0.000000,"token, given",,,login,default,,,\n`.repeat(3)));
    expect(samples.failures()).toEqual([
      'check failed: token, given (3x)',
      'log in: no answer (2x)',
      'trip-update: answered 409 (1x)',
    ]);
  });

  describe('of several failed checks', () => {
    const answer = (user: number) => rowsOfRequest('page', 200, false).replaceAll(',,\n', `,,vu=${user}\n`);
    const pass = (user: number) => `data_sent,${TIME},75.000000,,,,,default,,,vu=${user}\n`;
    const fails = (user: number, names = 'abc', endpoint = '') =>
      [...names]
        .map((name) => `checks,${TIME},0.000000,${name},,,${endpoint},default,,,vu=${user}\n`)
        .join('');
    const failed = (...rows: readonly string[]) =>
      read(HEADER + rows.join('')).filter(({ kind }) => kind === 'failedCheck').length;

    it('counts those of one response once, whatever other users do meanwhile', () => {
      expect(failed(answer(1), answer(2), fails(1, 'a'), fails(2), fails(1, 'bc'))).toBe(2);
      expect(failed(answer(1), fails(1), answer(1), fails(1, 'ab'))).toBe(2);
    });

    it('counts each response of a batch that failed some', () => {
      expect(failed(answer(1).repeat(3), fails(1), fails(1, 'b'), fails(1))).toBe(3);
      expect(failed(answer(1).repeat(2), fails(1, 'abc', 'one'), fails(1, 'abc', 'two'))).toBe(2);
    });

    it('counts those of each pass that sends only what k6 does not time', () => {
      expect(failed(fails(1), pass(1), fails(1, 'c'), pass(1))).toBe(2);
    });

    it('lists each of them with how often it failed', () => {
      const samples = new K6Samples(recorder().sink);
      samples.feed(Buffer.from(HEADER + answer(1) + fails(1, 'ab') + answer(1) + fails(1, 'b')));
      expect(samples.failures()).toEqual(['check failed: b (2x)', 'check failed: a (1x)']);
    });
  });

  /** One row of a virtual user. */
  const row = (metric: string, atMs: number, value: number, user: number, tags = ',true,x,default,200') =>
    `${metric},${atMs * 1000},${value.toFixed(6)},,${tags},,vu=${user}\n`;
  /** A complete iteration with one request. */
  const iteration = (atMs: number, user: number) =>
    row('http_req_duration', atMs, 20, user) +
    row('data_sent', atMs + 1, 75, user, ',,,default,') +
    row('iterations', atMs + 1, 1, user, ',,,default,');
  const requestsIn = (csv: string) => read(HEADER + csv).filter((event) => event.kind === 'request');

  it('reports a request that was cut off with its iteration, from the moment its user was last seen', () => {
    const csv =
      iteration(1_000, 1) +
      iteration(1_000, 2) +
      iteration(1_500, 1) +
      row('data_sent', 32_000, 75, 1, ',,,default,');
    expect(requestsIn(csv).slice(3)).toEqual([
      { kind: 'request', endpoint: '(cut off)', endedAtMs: 32_000, durationMs: 30_499, failed: true },
    ]);
  });

  it('reports the cut-off request also if the user comes back later or was never seen before', () => {
    const csv =
      iteration(1_000, 1) + row('data_sent', 32_000, 75, 2000, ',,,default,') + iteration(40_000, 2000);
    expect(requestsIn(csv).filter(({ failed }) => failed)).toEqual([
      { kind: 'request', endpoint: '(cut off)', endedAtMs: 32_000, durationMs: 31_000, failed: true },
    ]);
  });

  it('reports no cut-off request for setup(), teardown() or an unknown user', () => {
    const csv = `${row('data_sent', 900, 75, 0, ',,,,')}${iteration(1_000, 1)}data_sent,${TIME},1.000000,,,,,default,,,\n`;
    expect(requestsIn(csv)).toHaveLength(1);
  });

  it('finds the user among metadata of the script', () => {
    const csv = iteration(1_000, 12) + row('data_sent', 5_000, 75, 12, ',,,default,');
    const found = requestsIn(csv.replaceAll('vu=12', '"a=1,2&nvu=3&vu=12&b=4"'));
    expect(found.at(-1)).toMatchObject({ endpoint: '(cut off)', durationMs: 3_999 });
  });

  it('gives a request that never got a connection the time that its user waited', () => {
    const csv =
      iteration(1_000, 7) +
      row('http_req_duration', 16_001, 0, 7, '1050,false,x,default,0') +
      row('http_req_duration', 16_002, 0, 7, '1212,false,x,default,0');
    expect(requestsIn(csv).map(({ durationMs, failed }) => [durationMs, failed])).toEqual([
      [20, false],
      [15_000, true],
      [0, true],
    ]);
  });

  it('groups the names past the limit and says so', () => {
    const { sink, events } = recorder();
    const samples = new K6Samples(sink);
    let csv = HEADER;
    for (let id = 0; id < 600; id++) csv += rowsOfRequest(`http://127.0.0.1/trips/${id}`, 200, false);
    samples.feed(Buffer.from(csv));
    const endpoints = events.map((event) => event.kind === 'request' && event.endpoint);
    expect(new Set(endpoints).size).toBe(501);
    expect(endpoints.slice(500)).toEqual(Array(100).fill(otherEndpoints));
    expect(samples.failures()).toEqual([expect.stringContaining('more than 500 endpoint names')]);
  });

  it('cuts a long name between two characters', () => {
    const [one, two] = ['a'.repeat(200), `${'a'.repeat(198)}😀${'b'.repeat(50_000)}`];
    const found = read(HEADER + rowsOfRequest(one, 200, false) + rowsOfRequest(two, 200, false));
    expect(found).toMatchObject([{ endpoint: one }, { endpoint: `${'a'.repeat(198)}\ufffd…` }]);
  });

  it('skips incomplete rows and text that is no row', () => {
    const csv = `${HEADER}http_req_duration,${TIME}\nhttp_req_duration\n\nSUMMARY: all well\n`;
    expect(read(csv + rowsOfRequest('login', 200, false))).toHaveLength(1);
  });

  it('refuses output without the columns that it needs', () => {
    expect(() => read('metric_name,timestamp,metric_value,extra_tags\n')).toThrow(/no column name/);
  });

  it('refuses a row that never ends', () => {
    expect(() => read(`${HEADER}http_reqs,"${'x'.repeat(2 << 20)}`)).toThrow(/longer than 1 MiB/);
  });

  it('takes less than half the CPU that an object for each row would', () => {
    const { sink } = recorder();
    let requests = 0;
    const samples = new K6Samples({ ...sink, request: () => requests++, iteration: () => {} });
    samples.feed(Buffer.from(HEADER));
    const inChunk = 50;
    const csv = Array.from({ length: inChunk }, (_, i) =>
      rowsOfRequest(`endpoint-${i % 9}`, 200, false),
    ).join('');
    const chunk = Buffer.from(csv);
    const columns = HEADER.trim().split(',');
    const objectFor = (row: string) => {
      const values = row.split(',');
      return Object.fromEntries(columns.map((column, index) => [column, values[index]]));
    };
    let rows: readonly unknown[] = [];
    const readObjects = () => {
      rows = chunk.toString().split('\n').map(objectFor);
    };
    const cpuOf = (work: () => void) => {
      const before = process.cpuUsage();
      for (let i = 0; i < 20; i++) work();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // The first few are left out, because the JIT compiler has not seen the code yet.
    const shares = Array.from(
      { length: 15 },
      () => cpuOf(() => samples.feed(chunk)) / cpuOf(readObjects),
    ).slice(5);
    expect(requests).toBe(15 * 20 * inChunk);
    expect(rows.length).toBeGreaterThan(inChunk);
    expect(median(shares)).toBeLessThan(0.5);
  });
});

describe('the time of a pass', () => {
  const row = (name: string, value: string, vu: number, tags = ',,') =>
    `${name},${TIME},${value},,,true,page,default,200${tags}vu=${vu}\n`;
  const pass = (vu: number, ms: string) =>
    ['data_sent', 'iteration_duration', 'iterations'].map((name) => row(name, ms, vu)).join('');

  it("is the user's own as far as it waited for no response and no connection", () => {
    const csv = [
      row('http_req_duration', '300', 1),
      row('http_req_blocked', '40', 1),
      row('http_req_blocked', '0.5', 1),
      row('http_req_duration', '999', 2),
      pass(1, '500'),
      row('http_req_duration', '100', 1),
      pass(1, '100'),
    ];
    const passes = read(HEADER + csv.join('')).filter(({ kind }) => kind === 'iteration');
    expect(passes).toMatchObject([
      { durationMs: 500, ownMs: 160 },
      { durationMs: 100, ownMs: 0 },
    ]);
  });

  it("is nobody's after a handshake, since the user may wait for messages all the time", () => {
    const csv =
      row('ws_connecting', '5', 1) + pass(1, '9000') + row('http_req_duration', '5', 1) + pass(1, '9');
    const passes = read(HEADER + csv).filter(({ kind }) => kind === 'iteration');
    expect(passes).toMatchObject([
      { durationMs: 9000, ownMs: 0 },
      { durationMs: 9, ownMs: 4 },
    ]);
  });

  it('is never less than nothing, although requests may be sent at once', () => {
    const csv = `${row('http_req_duration', '80', 1)}${row('http_req_duration', '90', 1)}${pass(1, '100')}`;
    expect(read(HEADER + csv)).toContainEqual(expect.objectContaining({ kind: 'iteration', ownMs: 0 }));
  });
});

describe('protocols other than HTTP', () => {
  const grpc = (status: number) => `grpc_req_duration,${TIME},7.5,,,,/hello.S/Say,default,${status},,vu=1\n`;
  const handshake = (name: string, status: string) =>
    `ws_connecting,${TIME},2.5,,,,${name},default,${status},,vu=1\n`;
  const passOf = (sent: number) =>
    `data_sent,${TIME},${sent},,,,,default,,,vu=1\niteration_duration,${TIME},3.5,,,,,default,,,vu=1\niterations,${TIME},1,,,,,default,,,vu=1\n`;
  const atMs = Number(TIME) / 1000;

  it('counts gRPC calls as requests, which fail with any status but 0', () => {
    const request = { kind: 'request', endpoint: '/hello.S/Say', endedAtMs: atMs, durationMs: 7.5 };
    expect(read(HEADER + grpc(0) + grpc(5))).toEqual([
      { ...request, failed: false },
      { ...request, failed: true },
    ]);
    const samples = new K6Samples(recorder().sink);
    samples.feed(Buffer.from(HEADER + grpc(5)));
    expect(samples.failures()).toEqual(['/hello.S/Say: gRPC status 5 (1x)']);
  });

  it('counts the handshake of a WebSocket as a request, which k6 dates by its start', () => {
    const request = { kind: 'request', endedAtMs: atMs + 2.5, durationMs: 2.5 };
    expect(read(HEADER + handshake('', '101') + handshake('ws://127.0.0.1:8080/chat', ''))).toEqual([
      { ...request, endpoint: 'WebSocket', failed: false },
      { ...request, endpoint: '/chat', failed: true },
    ]);
  });

  it('counts passes that send bytes as requests, until the script sends one that k6 times', () => {
    const pass = passOf(80);
    const requests = read(HEADER + passOf(0) + pass + grpc(0) + pass).filter(
      ({ kind }) => kind === 'request',
    );
    expect(requests).toMatchObject([
      { endpoint: 'iteration', durationMs: 3.5 },
      { endpoint: '/hello.S/Say' },
    ]);
  });

  it('counts neither for setup() and teardown()', () => {
    const outside = (grpc(0) + passOf(80)).replaceAll(',default,', ',,');
    expect(read(HEADER + outside).filter(({ kind }) => kind === 'request')).toEqual([]);
  });
});

describe('metrics of the script', () => {
  const value = (name: string, number: string) => `${name},${TIME},${number},,,,,default,,,vu=1\n`;

  it('are passed on whether they are asked for or not, whatever their sign', () => {
    const csv = HEADER + value('queue', '-3.25') + value('queue_length', '7');
    expect(read(csv, [], ['queue'])).toEqual([
      { kind: 'metric', name: 'queue', atMs: Number(TIME) / 1000, value: -3.25 },
      { kind: 'metric', name: 'queue_length', atMs: Number(TIME) / 1000, value: 7 },
    ]);
  });

  it('are not those of k6, which says what the report has', () => {
    const own = ['group_duration', 'iteration_duration', 'vus_max', 'grpc_streams', 'ws_sessions'];
    const csv = HEADER + own.map((name) => value(name, '1')).join('') + rowsOfRequest('page', 200, false);
    expect(read(csv).filter(({ kind }) => kind === 'metric')).toEqual([]);
  });

  it('are few', () => {
    const many = Array.from({ length: 30 }, (_, index) => value(`page_${index}`, '1')).join('');
    expect(new Set(read(HEADER + many + many).map((event) => 'name' in event && event.name)).size).toBe(20);
    expect(read(HEADER + many, [], ['page_29'])).toContainEqual(expect.objectContaining({ name: 'page_29' }));
  });

  it('may be one of k6, which still counts', () => {
    const events = read(HEADER + rowsOfRequest('page', 200, false), [], ['http_req_duration']);
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['metric', 'request']));
  });
});
