import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleRecord, recordedCell, warmUpSeries } from '../../../test/golden/example-record.ts';
import type { ExampleCell } from '../../../test/golden/example-run.ts';
import { blockSeries } from '../../../test/golden/example-series.ts';
import { hostileName } from '../../../test/golden/hostile-names.ts';
import type { Point } from '../../model/point.ts';
import { readings } from '../../model/reading.ts';
import type { RequestSeries } from '../../model/series.ts';
import { recordPoints } from './record-points.ts';

function pointsOf(
  measurement: string,
  record = exampleRecord(),
  tags: Readonly<Record<string, string>> = {},
): Point[] {
  return recordPoints(record, 'shop').filter(
    (point) =>
      point.measurement === measurement &&
      Object.entries(tags).every(([name, value]) => point.tags[name] === value),
  );
}

function column(points: readonly Point[], field: string): unknown[] {
  return points.map(({ fields }) => fields[field]);
}

const block = { scenario: 'trip-edit', load: 'peak', side: 'head' } as const;
const secondsOf = (second: number) => Date.parse('2026-10-05T10:00:00.000Z') + 1000 * second;

/** One second with that many requests. */
function second(requests: number): RequestSeries {
  return { requests: [requests], failed: [0], p50Ms: [5], p95Ms: [9], p99Ms: [10] };
}

const withTwoEndpoints: ExampleCell = {
  ...recordedCell,
  endpoints: [
    { name: 'trip-detail', shareOfRequests: 0.75, meanMs: 20, p95Ms: 30 },
    { name: 'trip-update', shareOfRequests: 0.25, meanMs: 40, p95Ms: 60 },
  ],
};

function withSignalUnit(unit: string) {
  const record = exampleRecord();
  const cells = record.verdict.cells.map((cell) => ({
    ...cell,
    signals: cell.signals.map((signal) => ({ ...signal, unit })),
  }));
  return { ...record, verdict: { ...record.verdict, cells } };
}

function withEndpoints(endpoints: Readonly<Record<string, RequestSeries>>) {
  return exampleRecord({
    head: [
      blockSeries({ users: [1], all: second(1), failures: {}, endpoints, readAtSeconds: [], readings: {} }),
    ],
    alone: true,
  });
}

describe('requests', () => {
  it('have a point per second, in the guard or in what counts', () => {
    const points = pointsOf('gate_requests', exampleRecord(), { ...block, endpoint: '(all)' });
    expect(points.map(({ timeMs }) => timeMs)).toEqual([0, 1, 2, 3].map(secondsOf));
    expect(points.map(({ tags }) => tags.phase)).toEqual(['guard', 'counted', 'counted', 'counted']);
    expect(points[2]).toEqual({
      measurement: 'gate_requests',
      tags: { gate: 'shop', suite: 'pr', phase: 'counted', endpoint: '(all)', ...block },
      fields: {
        run: '20260131-101203-4f2a',
        commit: '1a2b3c4d5e6f708192031a2b3c4d5e6f70819203',
        requests: { count: 102 },
        failed: { count: 1 },
        p50_ms: 10,
        p95_ms: 22,
        p99_ms: 40,
        round: { count: 0 },
      },
      timeMs: secondsOf(2),
    });
  });

  it('lack what a second does not have', () => {
    const points = pointsOf('gate_requests', exampleRecord(), { ...block, endpoint: '(all)' });
    expect(column(points, 'users')).toEqual([{ count: 10 }, { count: 10 }, undefined, { count: 10 }]);
    expect(column(points, 'p95_ms')).toEqual([20, 21, 22, undefined]);
  });

  it('of both sides carry the id of the check, and each the commit that ran', () => {
    const base = pointsOf('gate_requests', exampleRecord(), { side: 'base', endpoint: 'trip-detail' });
    expect(base.map(({ fields }) => [fields.run, fields.commit])).toEqual(
      Array.from({ length: 4 }, () => ['20260131-101203-4f2a', '9f8e7d6c5b4a392817069f8e7d6c5b4a39281706']),
    );
  });

  it('of the warm-up belong to no cell', () => {
    const points = pointsOf('gate_requests', exampleRecord(), { phase: 'warm-up', endpoint: '(all)' });
    expect(points).toHaveLength(4);
    for (const { tags, fields } of points) {
      expect(tags).toMatchObject({ scenario: '(warm-up)', load: '(warm-up)' });
      expect(fields).not.toHaveProperty('round');
    }
  });

  it('follow the commit by which reports know head', () => {
    const record = exampleRecord();
    const commit = 'b'.repeat(40);
    const known = { ...record, verdict: { ...record.verdict, code: { ...record.verdict.code, commit } } };
    const [point] = pointsOf('gate_requests', known, block);
    expect(point?.fields.commit).toBe(commit);
  });

  it('come from the second measurement too', () => {
    const { base, ...record } = exampleRecord();
    if (base === undefined) throw new Error('the record has a base');
    const later = { ...record.head, series: [blockSeries({ startedAt: '2026-10-05T10:05:00.000Z' })] };
    const points = pointsOf(
      'gate_requests',
      { ...record, again: { base, head: later } },
      { endpoint: '(all)' },
    );
    expect(new Set(points.map(({ timeMs }) => timeMs)).size).toBe(16);
  });
});

describe('endpoints of a cell', () => {
  const many = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`e${index}`, second(index + 1)]),
  );

  it('are those with the most requests, with the rest added up', () => {
    const points = pointsOf('gate_requests', withEndpoints(many));
    const names = points.map(({ tags }) => tags.endpoint);
    expect(names).toHaveLength(102);
    expect(names).toContain('e100');
    expect(names).not.toContain('e99');
    const rest = points.find(({ tags }) => tags.endpoint === '(other)');
    expect(rest?.fields).toMatchObject({ requests: { count: 5050 }, failed: { count: 0 } });
    expect(rest?.fields).not.toHaveProperty('p95_ms');
  });

  it('are the same in all blocks, or each block would add series', () => {
    const few = Object.fromEntries(Object.entries(many).slice(0, 100));
    const lines = [few, many].map((endpoints, round) =>
      blockSeries({ round, all: second(1), endpoints, failures: {} }),
    );
    const points = pointsOf('gate_requests', exampleRecord({ head: lines, alone: true }));
    expect(new Set(points.map(({ tags }) => tags.endpoint)).size).toBe(102);
  });

  it('are added up where their names differ only past the cut', () => {
    const long = 'x'.repeat(10_000);
    const points = pointsOf(
      'gate_requests',
      withEndpoints({ [`${long}a`]: second(3), [`${long}b`]: second(4) }),
    );
    const [, cut] = points;
    expect(points).toHaveLength(2);
    expect(cut?.tags.endpoint?.length).toBeLessThan(110);
    expect(cut?.fields).toMatchObject({ requests: { count: 7 } });
    expect(cut?.fields).not.toHaveProperty('p50_ms');
  });

  it('cannot take the name of all, or of the rest', () => {
    const points = pointsOf('gate_requests', withEndpoints({ '(all)': second(3), '(other)': second(4) }));
    expect(points.map(({ tags, fields }) => [tags.endpoint, fields.requests])).toEqual([
      ['(all)', { count: 1 }],
      ['(other)', { count: 7 }],
    ]);
  });
});

it('has a failure per status and second with one', () => {
  const failures = { '0': [0, 0, 0, 2], '500': [0, 0, 1, 0] };
  const points = pointsOf('gate_failures', exampleRecord({ head: [blockSeries({ failures })], alone: true }));
  expect(points.map(({ tags, fields, timeMs }) => [tags.status, fields.failed, timeMs])).toEqual([
    ['500', { count: 1 }, secondsOf(2)],
    ['0', { count: 2 }, secondsOf(3)],
  ]);
});

describe('readings', () => {
  it('have a point per time, without those that could not be read', () => {
    const points = pointsOf('gate_readings', exampleRecord(), block);
    expect(column(points, 'service_cpu')).toEqual([undefined, 0.5, 0.6, 0.55]);
    expect(column(points, 'pool_pending')).toEqual([0, 3, undefined, 4]);
  });

  it('are absent at a time at which nothing was read', () => {
    const series = blockSeries({ readAtSeconds: [-0.25, 1], readings: { heap: [null, 5] } });
    const points = pointsOf('gate_readings', exampleRecord({ head: [series], alone: true }));
    expect(points.map(({ timeMs, fields }) => [timeMs, fields.heap])).toEqual([[secondsOf(1), 5]]);
  });

  it('keep the names that the gate knows', () => {
    const series = blockSeries({ readAtSeconds: [1], readings: { heap: [1], constructor: [2], other: [3] } });
    const [point] = pointsOf('gate_readings', exampleRecord({ head: [series], alone: true }));
    expect(Object.keys(point?.fields ?? {})).toEqual(['run', 'commit', 'round', 'heap']);
  });
});

describe('the verdict', () => {
  const finished = Date.parse('2026-01-31T10:17:15Z');

  it('is a point per run, for annotations', () => {
    expect(pointsOf('gate_runs')).toEqual([
      {
        measurement: 'gate_runs',
        tags: { gate: 'shop', suite: 'pr', outcome: 'coarse' },
        fields: {
          run: '20260131-101203-4f2a',
          commit: '1a2b3c4d5e6f708192031a2b3c4d5e6f70819203',
          branch: 'faster-overview',
          sentence: expect.stringMatching(/^No regression/),
          seconds: 312,
          dirty: true,
        },
        timeMs: finished,
      },
    ]);
  });

  it('is a point per cell with every judged metric', () => {
    const [cell] = pointsOf('gate_cells');
    expect(cell?.timeMs).toBe(finished);
    expect(cell?.tags).toEqual({ gate: 'shop', suite: 'pr', ...block });
    expect(cell?.fields).toMatchObject({
      outcome: 'coarse',
      branch: 'faster-overview',
      tps: expect.any(Number),
      p95_ms: expect.any(Number),
      error_rate: 0,
      requests: { count: expect.any(Number) },
      p95_limit: 0.25,
      tps_limit: -0.1,
      error_rate_change: 0,
    });
    for (const part of ['base', 'change', 'low', 'high']) expect(cell?.fields).toHaveProperty(`p95_${part}`);
  });

  it('is a point per cost', () => {
    const costs = pointsOf('gate_costs');
    expect(costs.map(({ tags }) => tags.signal)).toContain('statements');
    expect(costs[0]?.fields).toMatchObject({
      failed: false,
      base: expect.any(Number),
      limit: expect.any(Number),
    });
  });

  it('is a point per cost with its unit', () => {
    const [point] = pointsOf('gate_costs', withSignalUnit('ms'));
    expect(point?.tags.unit).toBe('ms');
    expect(point?.fields.branch).toBe('faster-overview');
    expect(pointsOf('gate_costs', withSignalUnit(''))[0]?.tags).not.toHaveProperty('unit');
  });

  it('has a point per endpoint, of head and what it was compared with', () => {
    const points = pointsOf('gate_endpoints', exampleRecord({ cells: [withTwoEndpoints] }));
    expect(points.map(({ tags }) => tags.endpoint)).toEqual(['trip-detail', 'trip-update']);
    expect(points[0]?.fields).toMatchObject({
      branch: 'faster-overview',
      requests: { count: expect.any(Number) },
      mean_ms: expect.closeTo(20, 0),
      mean_ms_base: expect.closeTo(20, 0),
      error_rate: 0,
    });
    const [alone] = pointsOf('gate_endpoints', exampleRecord({ cells: [withTwoEndpoints], alone: true }));
    expect(alone?.fields).not.toHaveProperty('mean_ms_base');
  });

  it('has a point for each of the first hundred endpoints, once for names that are cut alike', () => {
    const long = 'x'.repeat(10_000);
    const names = [`${long}a`, `${long}b`, ...Array.from({ length: 150 }, (_, index) => `e${index}`)];
    const endpoints = names.map((name) => ({
      name,
      shareOfRequests: 1 / names.length,
      meanMs: 25,
      p95Ms: 40,
    }));
    const points = pointsOf('gate_endpoints', exampleRecord({ cells: [{ ...recordedCell, endpoints }] }));
    expect(new Set(points.map(({ tags }) => tags.endpoint)).size).toBe(100);
    expect(points).toHaveLength(100);
  });

  it('without a base has figures of head alone', () => {
    const record = exampleRecord({ alone: true });
    const [cell] = pointsOf('gate_cells', record);
    expect(cell?.fields).toHaveProperty('tps');
    expect(cell?.fields).not.toHaveProperty('tps_base');
    expect(pointsOf('gate_costs', record)).toEqual([]);
  });

  it.each([
    ['every request failed', { ...recordedCell, errorRate: 1 }],
    ['no request began', { ...recordedCell, silent: true }],
  ])('is written even if %s', (_, cell) => {
    expect(pointsOf('gate_cells', exampleRecord({ cells: [cell], alone: true }))).toHaveLength(1);
  });

  it('has no figures of a cell that was not measured', () => {
    const record = exampleRecord({ alone: true });
    const cells = record.verdict.cells.map((cell) => ({ ...cell, head: { ...cell.head, blocks: 0 } }));
    const [cell] = pointsOf('gate_cells', { ...record, verdict: { ...record.verdict, cells } });
    expect(cell?.fields).not.toHaveProperty('tps');
  });
});

it('gives no field the name of a tag, which a query could not tell apart', () => {
  const read = Object.fromEntries(Object.keys(readings).map((name) => [name, [1, 1, 1, 1]]));
  const points = recordPoints(
    exampleRecord({ head: [warmUpSeries(), blockSeries({ readings: read })] }),
    'shop',
  );
  for (const { measurement, tags, fields } of points) {
    expect(
      Object.keys(fields).filter((name) => name in tags),
      measurement,
    ).toEqual([]);
  }
});

it('writes a check of which no seconds were kept', () => {
  const record = exampleRecord({ head: [], base: [] });
  expect(new Set(recordPoints(record, 'shop').map(({ measurement }) => measurement))).toEqual(
    new Set(['gate_runs', 'gate_cells', 'gate_costs']),
  );
});

it('has no two points of one series at one time, and no empty tag, whatever the names are', () => {
  fc.assert(
    fc.property(fc.uniqueArray(hostileName, { minLength: 1, maxLength: 8 }), hostileName, (names, gate) => {
      const endpoints = Object.fromEntries(names.map((name) => [name, second(1)]));
      const record = exampleRecord({ head: [warmUpSeries(), blockSeries({ all: second(1), endpoints })] });
      const verdict = { ...record.verdict, code: { commit: gate, branch: gate, dirty: false } };
      const points = recordPoints({ ...record, verdict }, gate);
      const keys = points.map(({ measurement, tags, timeMs }) => JSON.stringify([measurement, tags, timeMs]));
      expect(new Set(keys).size).toBe(keys.length);
      for (const { tags, fields } of points) {
        for (const tag of Object.values(tags)) {
          expect(tag).not.toBe('');
          // biome-ignore lint/suspicious/noControlCharactersInRegex: no tag may have these
          expect(tag).not.toMatch(/[\u0000-\u001f\\]/);
        }
        expect(Object.keys(fields).length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 100 },
  );
});
