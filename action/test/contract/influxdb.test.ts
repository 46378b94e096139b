import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { influxdbTarget } from '../../src/adapters/influxdb/target.ts';
import { type InfluxdbMeans, writePoints } from '../../src/adapters/influxdb/writer.ts';
import { writeOutputs } from '../../src/entry/outputs.ts';
import type { InfluxdbConfig } from '../../src/model/output-config.ts';
import type { Point } from '../../src/model/point.ts';
import type { CheckRecord } from '../../src/model/record.ts';
import { recordPoints } from '../../src/report/points/record-points.ts';
import { hostileNames } from '../github/hostile-names.ts';
import { exampleRecord, warmUpSeries } from '../golden/example-record.ts';
import { blockSeries } from '../golden/example-series.ts';
import { type Answer, serveInfluxdb } from './fake-influxdb.ts';
import { faultOf } from './fault-of.ts';
import { lackOfInfluxdb, RealInfluxdb } from './real-influxdb.ts';

const patient: InfluxdbMeans = { clock: createSystemClock(), signal: new AbortController().signal };
/** Asks again at once. */
const eager: InfluxdbMeans = { ...patient, random: () => 0 };
/** Also gives up soon, on a server that does not answer. */
const hasty: InfluxdbMeans = { ...eager, limits: { wholeMs: 60_000, requestMs: 2_000 } };

function write(config: InfluxdbConfig, points: readonly Point[], means = patient): Promise<void> {
  return writePoints(influxdbTarget(config, 'here '), points, means);
}

const lacking = lackOfInfluxdb();

describe.skipIf(lacking !== undefined)('a real InfluxDB', () => {
  let server: RealInfluxdb;
  const query: RealInfluxdb['query'] = (...args) => server.query(...args);
  const rows: RealInfluxdb['rows'] = (...args) => server.rows(...args);

  beforeAll(async () => {
    server = await RealInfluxdb.start();
    await query("CREATE USER reader WITH PASSWORD 'read-pass'");
  });
  afterAll(() => server?.end());

  async function created(database: string): Promise<InfluxdbConfig> {
    await query(`CREATE DATABASE "${database}"`);
    return { url: server.url, database, username: 'admin', password: 'adm1n-pass' };
  }

  it('keeps every point of a check', async () => {
    const target = await created('whole');
    const points = recordPoints(exampleRecord(), 'shop');
    await write(target, points);
    const kept: Record<string, number> = {};
    for (const measurement of new Set(points.map(({ measurement }) => measurement))) {
      const [row] = await rows(`SELECT count(run) FROM ${measurement}`, 'whole');
      kept[measurement] = Number(row?.count);
    }
    expect(kept).toEqual(countsOf(points));
    const counted = `side = 'head' AND endpoint = '(all)' AND phase = 'counted'`;
    expect(
      await rows(`SELECT requests, failed, p95_ms, "users" FROM gate_requests WHERE ${counted}`, 'whole'),
    ).toEqual([
      { time: Date.parse('2026-10-05T10:00:01Z'), requests: 101, failed: 0, p95_ms: 21, users: 10 },
      { time: Date.parse('2026-10-05T10:00:02Z'), requests: 102, failed: 1, p95_ms: 22, users: null },
      { time: Date.parse('2026-10-05T10:00:03Z'), requests: 103, failed: 0, p95_ms: null, users: 10 },
    ]);
    expect(await rows('SELECT outcome, branch, requests, p95_limit FROM gate_cells', 'whole')).toMatchObject([
      {
        time: Date.parse('2026-01-31T10:17:15Z'),
        outcome: 'coarse',
        branch: 'faster-overview',
        p95_limit: 0.25,
      },
    ]);
    const tags = await rows('SHOW TAG KEYS FROM gate_requests', 'whole');
    expect(tags.map(({ tagKey }) => tagKey)).toEqual([
      'endpoint',
      'gate',
      'load',
      'phase',
      'scenario',
      'side',
      'suite',
    ]);
    const types = await rows('SHOW FIELD KEYS', 'whole');
    expect(types).toContainEqual({ fieldKey: 'requests', fieldType: 'integer' });
    expect(types).toContainEqual({ fieldKey: 'p95_ms', fieldType: 'float' });
    expect(types).toContainEqual({ fieldKey: 'failed', fieldType: 'boolean' });
    expect(types).toContainEqual({ fieldKey: 'sentence', fieldType: 'string' });
  });

  it('answers the queries of the documentation', async () => {
    const target = await created('documented');
    await write(target, recordPoints(exampleRecord(), 'shop'));
    const text = await readFile(join(import.meta.dirname, '../../../.github/docs/influxdb.md'), 'utf8');
    const queries = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, found = '']) => found);
    expect(queries).toHaveLength(2);
    for (const found of queries) expect(await rows(found, 'documented'), found).not.toEqual([]);
  });

  it('keeps a check once that is written twice', async () => {
    const target = await created('twice');
    const points = recordPoints(exampleRecord(), 'shop');
    await write(target, points);
    await write(target, points);
    const [row] = await rows('SELECT count(run) FROM gate_requests', 'twice');
    expect(row?.count).toBe(countsOf(points).gate_requests);
  });

  it('gets no more series from many checks with many endpoints than from one', async () => {
    const target = await created('bounded');
    const seen: unknown[] = [];
    for (const day of ['05', '06', '07']) {
      const startedAt = `2026-10-${day}T10:00:00.000Z`;
      const lines = [0, 1].map((round) => blockSeries({ round, startedAt, endpoints: endpoints(200) }));
      const record = exampleRecord({ head: lines, alone: true });
      const named = { ...record, verdict: { ...record.verdict, runId: `run-${day}`, createdAt: startedAt } };
      await write(target, recordPoints(named, 'shop'));
      seen.push((await rows('SHOW SERIES CARDINALITY', 'bounded'))[0]?.['cardinality estimation']);
    }
    // 102 endpoints, a status, and the readings, with the guard and the counted interval apart; then the verdict.
    expect(seen).toEqual([seen[0], seen[0], seen[0]]);
    const series = await rows('SHOW SERIES FROM gate_requests', 'bounded');
    expect(series).toHaveLength(2 * 102);
  });

  it('takes a long check in several requests', async () => {
    const target = await created('long');
    const points = recordPoints(lasting(24, 8, 100), 'shop');
    expect(points.length).toBeGreaterThan(15_000);
    await write(target, points);
    const [row] = await rows('SELECT count(run) FROM gate_requests', 'long');
    expect(row?.count).toBe(countsOf(points).gate_requests);
  });

  it.each(
    Object.entries({
      ...hostileNames,
      'a backslash at the end': 'C:\\',
      'only a backslash': '\\',
      quotes: `it's "quoted"`,
      'what the line protocol separates with': 'a=b,c d i"x"',
      'line breaks': 'a\nb\r\nc',
      emoji: '🦀👩‍👩‍👧',
      'half a character': '\ud83d',
      nothing: '',
      spaces: '  ',
      'a comment': '# x',
    }),
  )('keeps %s as a name', async (what, name) => {
    const target = await created(`hostile ${what}`);
    const record = exampleRecord({
      head: [warmUpSeries(), blockSeries({ endpoints: { [name]: blockSeries({}).all } })],
      alone: true,
    });
    const verdict = {
      ...record.verdict,
      code: { commit: name, branch: name, dirty: false },
      runId: `r${name}`,
    };
    const points = recordPoints({ ...record, verdict }, name || 'shop');
    await write(target, points);
    const kept = await rows('SELECT requests, gate, endpoint, commit FROM gate_requests', `hostile ${what}`);
    expect(kept).toHaveLength(countsOf(points).gate_requests ?? 0);
    const wanted = points.filter(({ measurement }) => measurement === 'gate_requests');
    expect(new Set(kept.map(({ endpoint }) => endpoint))).toEqual(
      new Set(wanted.map(({ tags }) => tags.endpoint)),
    );
    expect(new Set(kept.map(({ commit }) => commit))).toEqual(
      new Set(wanted.map(({ fields }) => fields.commit)),
    );
  });

  it.each([
    [
      'the database does not exist',
      { database: 'nowhere', username: 'admin', password: 'adm1n-pass' },
      /the answer is 404: database not found: "nowhere"; 0 of \d+ points were written$/,
      /create nowhere/,
    ],
    [
      'the password is wrong',
      { database: 'whole', username: 'admin', password: 'wr0ng-pass' },
      /the answer is 401: authorization failed/,
      /name a token or user/,
    ],
    ['nobody writes', { database: 'whole' }, /the answer is 401: unable to parse/, /name a token or user/],
    [
      'the user may not write',
      { database: 'whole', username: 'reader', password: 'read-pass' },
      /the answer is 403: .*"reader" user is not authorized to write/,
      /name a token or user that may write to whole/,
    ],
    [
      'this version has no buckets',
      { bucket: 'whole', org: 'team', token: 'some-token' },
      /the answer is 404: 404 page not found/,
      /correct its name or the address/,
    ],
  ])('explains that %s', async (_, config, cause, nextStep) => {
    const fault = await faultOf(write({ url: server.url, ...config }, recordPoints(exampleRecord(), 'shop')));
    expect(fault).toMatchObject({
      code: 'E_OUTPUT_WRITE',
      kind: 'measurement',
      cause: expect.stringMatching(cause),
      nextStep: expect.stringMatching(nextStep),
    });
  });

  it('explains that a database holds other types under the same names', async () => {
    const target = await created('taken');
    const taken = {
      measurement: 'gate_requests',
      tags: {},
      fields: { requests: 'many' },
      timeMs: Date.parse(warmUpSeries().startedAt),
    };
    await write(target, [taken]);
    expect(await faultOf(write(target, recordPoints(exampleRecord(), 'shop')))).toMatchObject({
      code: 'E_OUTPUT_WRITE',
      cause: expect.stringMatching(/the answer is 400: partial write: field type conflict/),
      nextStep: expect.stringMatching(/give the gate a database of its own/),
    });
  });
});

describe('a server', () => {
  const points = recordPoints(exampleRecord(), 'shop');
  const database = 'perf';

  it('gets gzip with one point per line, and the token in the header alone', async () => {
    const { url, requests } = await serveInfluxdb((_, response) => response.writeHead(204).end());
    await write({ url, bucket: 'perf', org: 'team', token: 's3cret-token' }, points);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      path: '/api/v2/write?org=team&bucket=perf&precision=ms',
      headers: { authorization: 'Token s3cret-token', 'content-encoding': 'gzip' },
    });
    expect(requests[0]?.lines).toHaveLength(points.length);
  });

  it('gets at most 5,000 points in a request', async () => {
    const { url, requests } = await serveInfluxdb((_, response) => response.writeHead(204).end());
    await write({ url, database }, recordPoints(lasting(24, 8, 100), 'shop'));
    expect(Math.max(...requests.map(({ lines }) => lines.length))).toBe(5_000);
  });

  it('that is busy is asked again', async () => {
    const { url, requests } = await serveInfluxdb((_, response, count) =>
      response.writeHead([503, 429, 204][count] ?? 500).end(),
    );
    await write({ url, database }, points, eager);
    expect(requests).toHaveLength(3);
  });

  it('that drops the connection is asked again', async () => {
    const { url, requests } = await serveInfluxdb((request, response, count) =>
      count === 0 ? request.socket.destroy() : response.writeHead(204).end(),
    );
    await write({ url, database }, points, eager);
    expect(requests).toHaveLength(2);
  });

  const html = { 'content-type': 'text/html; charset=utf-8' };
  it.each<[string, Answer, number, RegExp, RegExp]>([
    [
      'a full disk',
      (_, response) => response.writeHead(500).end('{"error":"engine: no space left on device"}'),
      4,
      /^the answer is 500: engine: no space left on device; 0 of \d+ points were written$/,
      /has room/,
    ],
    [
      'a full disk behind a proxy',
      (_, response) => response.writeHead(507, html).end(`<html>${'x'.repeat(100_000)}</html>`),
      4,
      /^the answer is 507 with a page for browsers; /,
      /correct the address/,
    ],
    [
      'a refused token',
      (_, response) => response.writeHead(401).end('{"code":"unauthorized","message":"unauthorized access"}'),
      1,
      /^the answer is 401: unauthorized access; /,
      /name a token or user/,
    ],
    [
      'a login page',
      (_, response) => response.writeHead(200, html).end('<!doctype html><p>who are you?'),
      1,
      /^the answer is 200 with a page for browsers; /,
      /correct the address/,
    ],
    [
      'the way to a login page',
      (_, response) => response.writeHead(302, { location: '/login' }).end(),
      1,
      /^the answer is 302; /,
      /correct the address/,
    ],
    [
      'a success without a promise',
      (_, response) => response.writeHead(200).end('ok'),
      1,
      /^the answer is 200; /,
      /correct the address/,
    ],
    [
      'an endless refusal',
      (_, response) => endless(response.writeHead(400)),
      1,
      /^the answer is 400: (no ){99,}n?o?…; /,
      /read the answer/,
    ],
    ['silence', () => undefined, 3, /^there was no answer in time; /, /check that InfluxDB runs there/],
  ])('that answers with %s is explained', async (name, answer, atLeast, cause, nextStep) => {
    const { url, requests } = await serveInfluxdb(answer);
    const fault = await faultOf(write({ url, database }, points, name === 'silence' ? hasty : eager));
    expect(fault).toMatchObject({
      code: 'E_OUTPUT_WRITE',
      place: `${url}/write`,
      cause: expect.stringMatching(cause),
      nextStep: expect.stringMatching(nextStep),
    });
    expect(fault.cause.length).toBeLessThan(500);
    expect(requests.length).toBeGreaterThanOrEqual(atLeast);
    expect(requests.length).toBeLessThanOrEqual(4);
  });

  it('that repeats what it got shows no secret', async () => {
    const { url } = await serveInfluxdb((request, response) =>
      response.writeHead(401).end(`no ${request.headers.authorization}`),
    );
    const fault = await faultOf(write({ url, database, token: 's3cret-token' }, points, eager));
    expect(fault.cause).toContain('401: no Token ***');
  });

  it('that repeats it where the answer is cut shows no part of it', async () => {
    const { url } = await serveInfluxdb((request, response) =>
      response.writeHead(401).end(`${'x'.repeat(288)} ${request.headers.authorization}`),
    );
    const fault = await faultOf(write({ url, database, token: 's3cret-token' }, points, eager));
    expect(fault.cause).not.toContain('s3c');
  });

  it('that fails in the middle is said to have part of the points', async () => {
    const { url } = await serveInfluxdb((_, response, count) =>
      response.writeHead(count === 0 ? 204 : 400).end(),
    );
    const all = recordPoints(lasting(24, 8, 100), 'shop');
    const { cause } = await faultOf(write({ url, database }, all, eager));
    expect(cause).toBe(`the answer is 400; 5000 of ${all.length} points were written`);
  });

  it('that does not exist is explained', async () => {
    const { url, close } = await serveInfluxdb(() => undefined);
    await close();
    const fault = await faultOf(write({ url, database }, points, eager));
    expect(fault.cause).toMatch(/^connect ECONNREFUSED 127\.0\.0\.1/);
  });

  it('that does not answer is left when the check is cancelled', async () => {
    const stop = new AbortController();
    const { url } = await serveInfluxdb(() => stop.abort(new Error('cancelled')));
    await expect(write({ url, database }, points, { ...patient, signal: stop.signal })).rejects.toThrow(
      'cancelled',
    );
  });

  it('that fails is a warning, and the next one gets the points', async () => {
    const broken = await serveInfluxdb((_, response) => response.writeHead(401).end('no'));
    const sound = await serveInfluxdb((_, response) => response.writeHead(204).end());
    const targets = [broken, sound].map(({ url }) => influxdbTarget({ url, database }, 'here '));
    const said: string[] = [];
    const listener = {
      note: (text: string) => said.push(`note: ${text}`),
      warn: (text: string) => said.push(`warning: ${text}`),
    };
    await writeOutputs({ gate: 'shop', targets }, exampleRecord(), listener, patient.signal);
    expect(said).toEqual([
      expect.stringMatching(
        /^warning: E_OUTPUT_WRITE .*: the answer is 401: no; 0 of \d+ points were written\. Next: /,
      ),
      `note: wrote ${points.length} points to ${sound.url}/write`,
    ]);
  });
});

/** Writes for as long as somebody reads. */
function endless(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write('no '.repeat(1_000)));
  };
  response.on('drain', more);
  more();
}

/** The real server, on ports and in folders of its own. */
function countsOf(points: readonly Point[]): Record<string, number> {
  const groups = Map.groupBy(points, ({ measurement }) => measurement);
  return Object.fromEntries([...groups].map(([measurement, own]) => [measurement, own.length]));
}

function endpoints(count: number) {
  const { all } = blockSeries({});
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`endpoint-${index}`, all]));
}

/** A check of one cell with so many blocks, each of so many seconds and endpoints. */
function lasting(blocks: number, seconds: number, names: number): CheckRecord {
  const all = {
    requests: Array.from({ length: seconds }, () => 100),
    failed: Array.from({ length: seconds }, () => 0),
    p50Ms: Array.from({ length: seconds }, () => 10),
    p95Ms: Array.from({ length: seconds }, () => 20),
    p99Ms: Array.from({ length: seconds }, () => 30),
  };
  const named = Object.fromEntries(Array.from({ length: names }, (_, index) => [`endpoint-${index}`, all]));
  const lines = Array.from({ length: blocks }, (_, round) =>
    blockSeries({
      round,
      startedAt: new Date(Date.parse('2026-10-05T10:00:00Z') + round * 20_000).toISOString(),
      users: all.requests,
      all,
      endpoints: named,
      failures: {},
    }),
  );
  return exampleRecord({ head: lines, alone: true });
}
