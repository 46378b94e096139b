import { describe, expect, it } from 'vitest';
import { runOf, simulatedBlock } from '../../test/simulation/simulated-run.ts';
import type { Block } from '../model/run.ts';
import { differByCheckout, fingerprintDifferences } from './comparable/fingerprint.ts';
import { compareEndpoints } from './endpoints.ts';
import { headFigures } from './figures/cell-figures.ts';
import { checkObjectives, missedThresholds } from './objectives.ts';

function withEndpoints(
  endpoints: readonly (readonly [name: string, requests: number, meanMs: number])[],
): Block {
  const block = simulatedBlock(0, 100, 50);
  return {
    ...block,
    endpoints: endpoints.map(([name, requests, meanMs]) => ({
      name,
      requests,
      errors: 0,
      latency: { ...block.latency, meanMs, p95Ms: meanMs * 2 },
    })),
  };
}

describe('compareEndpoints', () => {
  it('does not take requests that the gate itself counts for some that wait for nothing', () => {
    const at = (wait: number) =>
      withEndpoints([
        ['(dropped)', 5, 0],
        ['list', 100, 10 + wait],
        ['detail', 100, 10 + wait],
        ['add', 100, 10 + wait],
      ]);
    const changes = compareEndpoints([at(0)], [at(300)]);
    expect(changes.map(({ beyondSharedMs }) => beyondSharedMs)).toEqual([0, 0, 0, 0]);
  });

  it('shares the added time out by growth and requests, most of it first', () => {
    const base = [
      withEndpoints([
        ['login', 100, 10],
        ['sort', 100, 10],
        ['detail', 100, 10],
      ]),
    ];
    const head = [
      withEndpoints([
        ['login', 100, 8],
        ['sort', 100, 40],
        ['detail', 300, 20],
      ]),
    ];
    const changes = compareEndpoints(base, head);
    expect(changes.map(({ name }) => name)).toEqual(['sort', 'detail', 'login']);
    // 10 ms more for 300 requests, 30 ms more for 100, none for the one that became faster.
    expect(changes.map(({ shareOfAddedTime }) => shareOfAddedTime)).toEqual([0.5, 0.5, 0]);
  });

  it('puts the endpoint first that grew beyond what all of them wait for, not the one most asked for', () => {
    // A slow query of "sort" keeps the pool busy: everything that needs a connection waits 300 ms for one.
    const at = (wait: number, sort: number): Block =>
      withEndpoints([
        ['login', 400, 5],
        ['overview', 900, 20 + wait],
        ['detail', 400, 20 + wait],
        ['add', 300, 30 + wait],
        ['update', 300, 30 + wait],
        ['sort', 100, 40 + wait + sort],
      ]);
    const changes = compareEndpoints([at(0, 0)], [at(300, 200)]);
    expect(changes[0]).toMatchObject({ name: 'sort', beyondSharedMs: expect.closeTo(200, 9) });
    expect(changes.find(({ name }) => name === 'overview')).toMatchObject({ beyondSharedMs: 0 });
    expect(changes.toSorted((a, b) => b.shareOfAddedTime - a.shareOfAddedTime)[0]?.name).toBe('overview');
  });

  it('falls back to the share of added time where all grew alike', () => {
    const at = (wait: number): Block =>
      withEndpoints([
        ['overview', 900, 20 + wait],
        ['detail', 400, 20 + wait],
        ['add', 300, 30 + wait],
      ]);
    const changes = compareEndpoints([at(0)], [at(300)]);
    expect(changes.map(({ name, beyondSharedMs }) => [name, beyondSharedMs])).toEqual([
      ['overview', 0],
      ['detail', 0],
      ['add', 0],
    ]);
  });

  it('weighs blocks by requests for the mean, and takes the geometric mean of p95', () => {
    const base = [withEndpoints([['login', 100, 10]]), withEndpoints([['login', 300, 30]])];
    const [change] = compareEndpoints(base, base);
    expect(change?.base).toEqual({ meanMs: 25, p95Ms: expect.closeTo(Math.sqrt(20 * 60), 9), errorRate: 0 });
    expect(change?.shareOfAddedTime).toBe(0);
  });

  it('leaves out what only one side has', () => {
    expect(compareEndpoints([withEndpoints([['old', 1, 1]])], [withEndpoints([['new', 1, 1]])])).toEqual([]);
  });
});

describe('checkObjectives', () => {
  it('describes every objective and says whether it was met', () => {
    const figures = headFigures([simulatedBlock(0, 1000, 900, 200)]);
    const results = checkObjectives(
      { meanMs: 500, p95Ms: 800, p99Ms: 2000.5, tps: 1020, errorRate: 0.01 },
      figures,
    );
    expect(results.map(({ objective, met }) => [objective, met])).toEqual([
      ['mean < 500 ms', true],
      ['p95 < 800 ms', false],
      ['p99 < 2,000.5 ms', true],
      ['TPS >= 1,020', false],
      ['errors < 1%', false],
    ]);
    expect(checkObjectives({}, figures)).toEqual([]);
    const gated = checkObjectives({ meanMs: 1, gate: true }, figures);
    expect(gated).toEqual([expect.objectContaining({ met: false, judged: true })]);
  });
});

describe('missedThresholds', () => {
  it('says in how many blocks each metric kept within its thresholds', () => {
    const blocks: Block[] = [['checks'], ['checks', 'a{b:c}'], undefined, undefined].map((missed, round) => ({
      ...simulatedBlock(round, 100, 50),
      ...(missed && { missedThresholds: missed }),
    }));
    expect(missedThresholds(blocks)).toEqual([
      {
        objective: "blocks within the script's thresholds of checks = 100%",
        value: 0.5,
        limit: 1,
        met: false,
      },
      {
        objective: "blocks within the script's thresholds of a{b:c} = 100%",
        value: 0.75,
        limit: 1,
        met: false,
      },
    ]);
    expect(missedThresholds(blocks.slice(2))).toEqual([]);
  });
});

describe('fingerprintDifferences', () => {
  it('names every part that differs, with absent versions and shortened hashes', () => {
    const { fingerprint } = runOf('any', []);
    const other = {
      ...fingerprint,
      memoryGiB: 32,
      versions: { database: 'MariaDB 11.4.5' },
      dataKey: '',
      loadHash: '0123456789abcdef',
    };
    expect(fingerprintDifferences(fingerprint, other)).toEqual([
      { field: 'memoryGiB', base: '16 GiB', head: '32 GiB' },
      { field: 'versions.java', base: '25.0.3', head: 'none' },
      { field: 'dataKey', base: 'data', head: 'none' },
      { field: 'loadHash', base: 'load', head: '0123456789ab' },
      { field: 'versions.database', base: 'none', head: 'MariaDB 11.4.5' },
    ]);
    expect(fingerprintDifferences(fingerprint, fingerprint)).toEqual([]);
  });
});

describe('differByCheckout', () => {
  const differing = (...runs: readonly (readonly string[])[]) =>
    differByCheckout(
      runs.map((fields, index) => ({
        runId: `run-${index}`,
        differences: fields.map((field) => ({ field, base: 'one', head: 'another' })),
      })),
    );

  it.each(['dataKey', 'loadHash', 'versions.java', 'k6'])('holds for %s in every run', (field) => {
    expect(differing([field], ['cpuModel', field])).toBe(true);
  });

  it.each(['cpuModel', 'cpuCount', 'memoryGiB', 'os', 'runner'])('does not hold for %s', (field) => {
    expect(differing([field])).toBe(false);
  });

  it('leaves out runs of another suite or kind of stack', () => {
    expect(differing(['dataKey'], ['stack'], ['suite'])).toBe(true);
    expect(differing(['stack', 'dataKey'], ['suite', 'loadHash'])).toBe(false);
  });

  it('does not hold while one run differs by its machine alone, nor without any run', () => {
    expect(differing(['dataKey'], ['cpuModel'])).toBe(false);
    expect(differing()).toBe(false);
  });
});

describe('headFigures', () => {
  it('is all zero without blocks', () => {
    expect(Object.values(headFigures([])).every((value) => value === 0)).toBe(true);
  });
});
