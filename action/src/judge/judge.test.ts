import { describe, expect, it } from 'vitest';
import {
  commitOf,
  runOf,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
  simulatedUsage,
} from '../../test/simulation/simulated-run.ts';
import { type Block, type Cell, type InvalidReason, ownEndpoints, type Run } from '../model/run.ts';
import { type CellVerdict, type MetricName, type Verdict, verdictSchema } from '../model/verdict.ts';
import type { Base } from './comparable/base.ts';
import { isTrusted } from './comparable/validity.ts';
import { judge } from './judge.ts';
import type { JudgeOptions } from './options.ts';

const when = { createdAt: '2026-01-01T00:20:00Z', seconds: 600 };
const options: JudgeOptions = { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 1) };
const stolen: InvalidReason = { code: 'I_STEAL', cause: 'Half the time was stolen.', nextStep: 'Try later.' };
const reason: InvalidReason = { code: 'I_EXCEPTIONS', cause: 'The script threw.', nextStep: 'Mend it.' };

interface Level {
  readonly tps?: number;
  readonly p95Ms?: number;
  readonly errors?: number;
  readonly blocks?: number;
}

/** Blocks that scatter by 1% around a level. */
function blocks({ tps = 500, p95Ms = 200, errors = 0, blocks: count = 3 }: Level): Block[] {
  return Array.from({ length: count }, (_, round) => {
    const factor = 1 + 0.01 * (round - (count - 1) / 2);
    return simulatedBlock(round, tps * factor, p95Ms / factor, errors);
  });
}

function run(id: string, level: Level = {}): Run {
  return runOf(id, [simulatedCell(0, blocks(level))]);
}

function withBlocks(measured: Run, change: (block: Block) => Block): Run {
  return { ...measured, cells: measured.cells.map((cell) => ({ ...cell, blocks: cell.blocks.map(change) })) };
}

/** The run, had everything taken half as long again. */
function onSlowMachine(measured: Run): Run {
  return withBlocks(measured, ({ round, tps, latency, usage }) => ({
    ...simulatedBlock(round, tps / 1.5, latency.p95Ms * 1.5),
    usage,
  }));
}

/** The run, had each request needed so many statements. */
function costing(statements: number, measured: Run): Run {
  return withBlocks(measured, (block) => ({ ...block, signals: { ...block.signals, statements } }));
}

/** The run, had its users arrived at a fixed rate. */
function arriving(measured: Run): Run {
  return { ...measured, cells: measured.cells.map((cell) => ({ ...cell, arrival: 40 })) };
}

const calm = ['a', 'b', 'c', 'd', 'e'].map((id) => run(id));
const stored: Base = { kind: 'stored', runs: calm };

function judged(head: Run, base: Base = stored, withOptions: JudgeOptions = options): Verdict {
  const verdict = judge({ run: head, base, options: withOptions, ...when });
  expect(() => verdictSchema.parse(verdict)).not.toThrow();
  return verdict;
}

function cellOf({ cells }: Verdict): CellVerdict {
  const [cell] = cells;
  if (cell === undefined) throw new Error('no cell');
  return cell;
}

function metricOf(verdict: Verdict, name: MetricName): CellVerdict['metrics'][number] {
  const metric = cellOf(verdict).metrics.find((one) => one.metric === name);
  if (metric === undefined) throw new Error(`no ${name}`);
  return metric;
}

describe('a metric', () => {
  it('passes where nothing changed, and says what could have been seen', () => {
    const verdict = judged(run('head'));
    expect(verdict.outcome).toBe('pass');
    for (const { change, smallestVisible, interval, improved } of cellOf(verdict).metrics) {
      expect(change).toBeCloseTo(0, 10);
      expect(smallestVisible).toBeGreaterThan(0);
      expect(interval.low).toBeLessThan(0);
      expect(interval.high).toBeGreaterThan(0);
      expect(improved).toBe(false);
    }
  });

  it('regresses when TPS falls, with the limit in that direction', () => {
    const tps = metricOf(judged(run('head', { tps: 350 })), 'tps');
    expect(tps).toMatchObject({ outcome: 'regression', limit: -0.1 });
    expect(tps.change).toBeCloseTo(-0.3, 2);
    expect(tps.interval.high).toBeLessThan(0);
    expect(tps.suspect).toBe(true);
    expect(tps.score).toBeGreaterThan(3.6);
  });

  it('regresses when p95 grows', () => {
    const p95 = metricOf(judged(run('head', { p95Ms: 400 })), 'p95');
    expect(p95).toMatchObject({ outcome: 'regression', limit: 0.25 });
    expect(p95.change).toBeCloseTo(1, 2);
  });

  it('regresses when requests fail, from none at all', () => {
    const errors = metricOf(judged(run('head', { errors: 150 })), 'errorRate');
    expect(errors).toMatchObject({ outcome: 'regression', limit: 0.01, base: 0 });
    expect(errors.change).toBeCloseTo(0.03, 3);
  });

  describe('with a missed threshold of the script', () => {
    const missing = (id: string): Run =>
      runOf(id, [
        simulatedCell(
          0,
          blocks({}).map((block) => ({ ...block, missedThresholds: ['checks'] })),
        ),
      ]);
    const judging = {
      ...options,
      cells: options.cells.map((cell) => ({ ...cell, judgesThresholds: true })),
    };

    it.each<[string, Base]>([
      ['that base keeps', stored],
      ['that base misses too', { kind: 'stored', runs: ['a', 'b', 'c'].map(missing) }],
      ['and nothing to compare with', { kind: 'none' }],
    ])('%s regresses only if it is judged', (_, base) => {
      expect(judged(missing('head'), base, judging).outcome).toBe('regression');
      expect(cellOf(judged(missing('head'), base, judging)).objectives).toMatchObject([
        { met: false, judged: true },
      ]);
      expect(judged(missing('head'), base).outcome).toBe('pass');
    });

    it('that base alone missed passes', () => {
      const base: Base = { kind: 'stored', runs: ['a', 'b', 'c'].map(missing) };
      expect(judged(run('head'), base, judging).outcome).toBe('pass');
    });
  });

  it('regresses beyond half its limit if that is sure, since a bar at the limit would miss it every other time', () => {
    const long = (id: string, tps = 500) => run(id, { tps, blocks: 20 });
    const history = Array.from({ length: 10 }, (_, index) => long(`long-${index}`));
    const wide = { ...options, tolerances: { tps: 0.25 } };
    const against = (tps: number) =>
      metricOf(judged(long('head', tps), { kind: 'stored', runs: history }, wide), 'tps');
    expect(against(420)).toMatchObject({ outcome: 'regression', suspect: true, provedWorse: true });
    // Half of the limit is 13%. This is worse for sure, and too little to matter.
    expect(against(450)).toMatchObject({ outcome: 'pass', suspect: false, provedWorse: true });
    expect(against(450).score).toBeGreaterThan(3.6);
    expect(against(500)).toMatchObject({ outcome: 'pass', suspect: false, provedWorse: false });
  });

  it('is undecided where one measurement makes it suspect and does not prove it', () => {
    const found = metricOf(judged(run('head', { tps: 470 }), { kind: 'stored', runs: calm }), 'tps');
    expect(found.score).toBeGreaterThan(2.6);
    expect(found.score).toBeLessThan(4.2);
    expect(found).toMatchObject({ outcome: 'undecided', suspect: true, provedWorse: true });
  });

  const floors = { ...options.floors, p95Ms: 3, meanMs: 1 };

  it('does not regress by less than the floor, and says so', () => {
    const history = calm.map(({ id }) => run(id, { p95Ms: 2, tps: 50_000 }));
    const base: Base = { kind: 'stored', runs: history };
    const verdict = judged(run('head', { p95Ms: 4, tps: 40_000 }), base, { ...options, floors });
    // p95 2 ms longer; mean response time 100 VUs / TPS 2.5 ms instead of 2 ms.
    expect(metricOf(verdict, 'p95')).toMatchObject({ outcome: 'pass', belowFloor: true });
    expect(metricOf(verdict, 'tps')).toMatchObject({ outcome: 'pass', belowFloor: true });
  });

  it('is held to twice the floor where that is more than the tolerance, and shows it', () => {
    // 100 VUs at 50,000 TPS: 2 ms, and 1 ms more is a factor of 1.5. p95 5 ms, and 3 ms more is one of 1.6.
    const history = calm.map(({ id }) => run(id, { p95Ms: 5, tps: 50_000 }));
    const against = (level: Level) =>
      judged(run('head', level), { kind: 'stored', runs: history }, { ...options, floors });
    const small = against({ p95Ms: 7.9, tps: 34_000 });
    expect(metricOf(small, 'p95')).toMatchObject({ outcome: 'pass', limitFrom: 'floor' });
    expect(metricOf(small, 'p95').limit).toBeCloseTo(1.6 ** 2 - 1, 2);
    expect(metricOf(small, 'tps')).toMatchObject({ outcome: 'pass', limitFrom: 'floor' });
    expect(metricOf(small, 'tps').limit).toBeCloseTo(1 / 1.5 ** 2 - 1, 2);
    const large = against({ p95Ms: 8.2, tps: 33_000 });
    expect(metricOf(large, 'p95').outcome).toBe('regression');
    expect(metricOf(large, 'tps').outcome).toBe('regression');
    expect(metricOf(judged(run('head')), 'tps')).toMatchObject({ limit: -0.1, limitFrom: 'tolerance' });
  });

  it('passes only if a change at its limit would have been caught, for what a pass promises', () => {
    const [calmly, roughly] = [0.01, 0.08].map((sd) => {
      const scattered = (id: string): Run =>
        runOf(id, [
          simulatedCell(
            0,
            [-1, 0, 1].map((by, round) => simulatedBlock(round, 500 * Math.exp(sd * by), 200)),
          ),
        ]);
      return judged(scattered('head'), { kind: 'stored', runs: calm.map(({ id }) => scattered(id)) });
    });
    if (calmly === undefined || roughly === undefined) throw new Error('nothing was judged');
    expect(metricOf(calmly, 'tps').outcome).toBe('pass');
    expect(metricOf(calmly, 'tps').smallestVisible).toBeLessThanOrEqual(0.1);
    expect(metricOf(roughly, 'tps').outcome).toBe('coarse');
    expect(metricOf(roughly, 'tps').smallestVisible).toBeGreaterThan(0.1);
    // It guards against surprises, and promises nothing.
    expect(
      metricOf(judged(run('head'), { kind: 'stored', runs: calm.slice(0, 1) }), 'backingCpu'),
    ).toMatchObject({
      outcome: 'pass',
      smallestVisible: expect.toSatisfy((share: number) => share > 0.3),
    });
  });

  it('says how many blocks would detect the limit, if any number would', () => {
    const scattered = (id: string): Run =>
      runOf(id, [
        simulatedCell(
          0,
          [0.86, 1, 1.16].map((factor, round) => simulatedBlock(round, 500, 200 * factor)),
        ),
      ]);
    const history = calm.map(({ id }) => scattered(id));
    const p95 = metricOf(judged(scattered('head'), { kind: 'stored', runs: history }), 'p95');
    expect(p95.outcome).toBe('coarse');
    expect(p95.roundsNeeded).toBeGreaterThan(3);
    // Two boots alone differ by more than this.
    const strict = { ...options, tolerances: { ...options.tolerances, tps: 0.02 } };
    const tps = metricOf(judged(run('head'), { kind: 'stored', runs: calm.slice(0, 1) }, strict), 'tps');
    expect(tps.outcome).toBe('coarse');
    expect(tps).not.toHaveProperty('roundsNeeded');
    expect(metricOf(judged(run('head')), 'tps')).not.toHaveProperty('roundsNeeded');
  });

  it('is coarse when one stored run is too little to detect the tolerance', () => {
    const verdict = judged(run('head', { tps: 490 }), { kind: 'stored', runs: calm.slice(0, 1) });
    const tps = metricOf(verdict, 'tps');
    expect(tps.outcome).toBe('coarse');
    expect(tps.smallestVisible).toBeGreaterThan(0.1);
    expect(verdict.outcome).toBe('coarse');
  });

  it('improves beyond chance and half the tolerance', () => {
    const faster = judged(run('head', { tps: 700, p95Ms: 100 }));
    expect(metricOf(faster, 'p95').improved && metricOf(faster, 'tps').improved).toBe(true);
    expect(metricOf(faster, 'errorRate').improved).toBe(false);
    expect(faster.outcome).toBe('pass');
    const mended = judged(run('head'), {
      kind: 'stored',
      runs: calm.map(({ id }) => run(id, { errors: 150 })),
    });
    expect(metricOf(mended, 'errorRate').improved).toBe(true);
  });

  it('is not improved while its interval leaves that open', () => {
    const base: Base = { kind: 'side-by-side', run: run('base', { blocks: 4 }) };
    const uneven = [10, 10, 10, 4000].map((p95Ms, round) => simulatedBlock(round, 500, p95Ms));
    const p95 = metricOf(judged(runOf('head', [simulatedCell(0, uneven)]), base), 'p95');
    expect(p95.score).toBeLessThan(-3);
    expect(p95.interval.high).toBeGreaterThan(0);
    expect(p95.improved).toBe(false);
  });
});

describe('a check', () => {
  const twoCells: JudgeOptions = { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 2) };
  const base: Base = {
    kind: 'stored',
    runs: calm.map(({ id }) => runOf(id, [simulatedCell(0, blocks({})), simulatedCell(1, blocks({}))])),
  };
  const broken = blocks({}).map((block) => ({ ...block, invalid: [reason] }));

  it('is a regression when one cell proves it, even if what followed cannot be trusted', () => {
    const head = runOf('head', [simulatedCell(0, blocks({ tps: 100 })), simulatedCell(1, broken)]);
    const verdict = judged(head, base, twoCells);
    expect(verdict.cells.map(({ outcome }) => outcome)).toEqual(['regression', 'invalid']);
    expect(verdict.outcome).toBe('regression');
  });

  it('is invalid when no other cell proves a regression', () => {
    const head = runOf('head', [simulatedCell(0, blocks({})), simulatedCell(1, broken)]);
    expect(judged(head, base, twoCells).outcome).toBe('invalid');
  });

  it('is invalid when the whole run is, whatever its cells look like', () => {
    const head = runOf('head', [simulatedCell(0, blocks({ tps: 100 })), simulatedCell(1, blocks({}))]);
    const verdict = judged({ ...head, invalid: [reason] }, base, twoCells);
    expect(verdict.outcome).toBe('invalid');
  });
});

describe('the base', () => {
  it('is reported as not requested, missing, or not comparable', () => {
    const other = { ...run('other') };
    other.fingerprint = { ...other.fingerprint, cpuModel: 'another', versions: { java: '21' } };
    expect(judged(run('head'), { kind: 'none' }).comparison).toMatchObject({
      kind: 'none',
      reason: 'not-asked',
    });
    expect(judged(run('head'), { kind: 'stored', runs: [] }).comparison).toMatchObject({
      reason: 'no-baseline',
    });
    const verdict = judged(run('head'), { kind: 'stored', runs: [other] });
    expect(verdict.comparison).toEqual({
      kind: 'none',
      reason: 'not-comparable',
      mismatches: [
        {
          runId: 'other',
          differences: [
            { field: 'cpuModel', base: 'another', head: 'simulated' },
            { field: 'versions.java', base: '21', head: '25.0.3' },
          ],
        },
      ],
    });
    expect(cellOf(verdict)).toMatchObject({ outcome: 'pass', metrics: [], endpoints: [], signals: [] });
  });

  it('does not let a checkout pass that made itself incomparable', () => {
    const changed = (part: Partial<Run['fingerprint']>): Run => {
      const head = run('head', { tps: 100 });
      return { ...head, fingerprint: { ...head.fingerprint, ...part } };
    };
    for (const part of [{ dataKey: 'without index' }, { loadHash: 'b' }, { versions: { java: '24' } }]) {
      const verdict = judged(changed(part));
      expect(verdict.outcome).toBe('undecided');
      expect(cellOf(verdict)).toMatchObject({ outcome: 'pass', metrics: [] });
    }
    // Another machine is no doing of the checkout.
    expect(judged(changed({ cpuModel: 'another' })).outcome).toBe('pass');
    expect(judged({ ...changed({ dataKey: 'b' }), invalid: [reason] }).outcome).toBe('invalid');
  });

  it('asks only stored runs of the same suite and kind of stack whether the checkout changed anything', () => {
    const head = run('head', { tps: 100 });
    const full: Run = { ...head, suite: 'full', fingerprint: { ...head.fingerprint, loadHash: 'b' } };
    const compose: Run = { ...head, fingerprint: { ...head.fingerprint, stack: 'compose', dataKey: 'b' } };
    // Nothing was measured that way yet: the first of its kind, whatever the others hold.
    expect(judged(full).outcome).toBe('pass');
    expect(judged(compose).outcome).toBe('pass');
    expect(judged(full).comparison).toMatchObject({
      reason: 'not-comparable',
      mismatches: calm.map(() => ({ differences: [{ field: 'suite', base: 'pr', head: 'full' }] })),
    });
    // One that was measured that way is what the change must answer to.
    const stored = { kind: 'stored', runs: [...calm, { ...compose, id: 'compose' }] } as const;
    const changed: Run = { ...compose, fingerprint: { ...compose.fingerprint, dataKey: 'c' } };
    expect(judged(changed, stored).outcome).toBe('undecided');
  });

  it('is the last ten comparable runs, without the invalid ones and without head itself', () => {
    const many = Array.from({ length: 14 }, (_, index) => run(`run-${index}`));
    const runs = many.map((one, index) => (index === 12 ? { ...one, invalid: [reason] } : one));
    const { comparison } = judged(run('run-13'), { kind: 'stored', runs });
    const used = comparison.kind === 'stored' ? comparison.base.map(({ runId }) => runId) : [];
    expect(used).toEqual(Array.from({ length: 10 }, (_, index) => `run-${index + 2}`));
  });

  it('is the last ten runs at head’s machine speed with the newest run, and names those left out', () => {
    const slow = [14, 15, 16];
    const runs = Array.from({ length: 17 }, (_, index) =>
      slow.includes(index) ? onSlowMachine(run(`run-${index}`)) : run(`run-${index}`),
    );
    const { comparison } = judged(run('head'), { kind: 'stored', runs });
    if (comparison.kind !== 'stored') throw new Error('nothing was compared');
    expect(comparison.base.map(({ runId }) => runId)).toEqual([
      ...Array.from({ length: 9 }, (_, index) => `run-${index + 5}`),
      'run-16',
    ]);
    expect(comparison.otherSpeed).toEqual(['run-14', 'run-15']);
    expect(judged(run('head'), { kind: 'stored', runs: runs.slice(0, 14) }).comparison).not.toHaveProperty(
      'otherSpeed',
    );
  });

  it('still has the newest run, so that no cost is new that this one has too', () => {
    const old = calm.map((one) => costing(2, one));
    const merged = ['x', 'y', 'z'].map((id) => costing(3, onSlowMachine(run(id))));
    const head = costing(3, run('head'));
    expect(judged(head, { kind: 'stored', runs: [...old, ...merged] }).outcome).not.toBe('regression');
    expect(judged(head, { kind: 'stored', runs: old }).outcome).toBe('regression');
  });

  it('takes what the newest run costs for merged, even if that run is so slow that its times are left out', () => {
    const slow = { tps: 350, p95Ms: 285 };
    const runs = [...calm.slice(0, 4), costing(3, run('merged', slow))];
    const { comparison, cells } = judged(costing(3, run('head', slow)), { kind: 'stored', runs });
    expect(comparison).toMatchObject({ outlying: [{ runId: 'merged' }] });
    expect(cells[0]?.signals.filter(({ failed }) => failed)).toEqual([]);
    const { cells: more } = judged(costing(4, run('head', slow)), { kind: 'stored', runs });
    expect(more[0]?.signals.filter(({ failed }) => failed).map(({ name }) => name)).toEqual(['statements']);
  });

  it('may have a cell only in a newest run whose times are left out', () => {
    const two = (level: Level) => [simulatedCell(0, blocks(level)), simulatedCell(1, blocks(level))];
    const older = ['a', 'b', 'c'].map((id) => runOf(id, two({}).slice(1)));
    const newest = runOf('newest', two({ tps: 350, p95Ms: 285 }));
    const [first, second] = two({});
    const disturbed = blocks({}).map((block) => ({ ...block, invalid: [stolen] }));
    const head = runOf('head', [{ ...(first as Cell), blocks: disturbed }, second as Cell]);
    const { comparison, cells } = judged(
      head,
      { kind: 'stored', runs: [...older, newest] },
      { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 2) },
    );
    expect(comparison).toMatchObject({ outlying: [{ runId: 'newest' }] });
    expect(cells[0]?.outcome).toBe('noise');
  });

  it('shows a figure over those base runs that have it', () => {
    const backing = (cpuShare: number, measured: Run): Run =>
      withBlocks(measured, (block) => ({
        ...block,
        usage: { ...block.usage, backing: { cpuShare, rssBytes: 0 } },
      }));
    const usual = calm.slice(0, 1).map((one) => backing(0.1, one));
    // So little CPU time is not counted.
    const idle = backing(1e-5, run('idle'));
    const baseOf = (runs: readonly Run[]) =>
      metricOf(judged(backing(0.1, run('head')), { kind: 'stored', runs }), 'backingCpu').base;
    expect(baseOf([...usual, idle])).toBeCloseTo(baseOf(usual), 9);
  });

  it.each<[string, readonly number[], readonly number[]]>([
    ['a slow run among others', [500, 350, 505, 495], [1]],
    ['a slow run that is the newest', [500, 505, 350], [2]],
    ['a fast run with slower ones after it', [500, 700, 505, 495], [1]],
    ['no newest runs that are faster, as a change may have made them', [500, 505, 495, 490, 700, 705], []],
    ['no runs that differ as runs do', [500, 450, 540], []],
    ['none of two', [500, 300], []],
    ['none of a history that differs much', [500, 350, 420, 600, 290], []],
  ])('leaves out %s', (_, levels, expected) => {
    const runs = levels.map((tps, index) => run(`run-${index}`, { tps, p95Ms: 100_000 / tps }));
    const { comparison } = judged(run('head'), { kind: 'stored', runs });
    if (comparison.kind !== 'stored') throw new Error('nothing was compared');
    expect((comparison.outlying ?? []).map(({ runId }) => runId)).toEqual(
      expected.map((index) => `run-${index}`),
    );
    expect(comparison.base).toHaveLength(levels.length - expected.length);
  });

  it('says how far the run was off that it left out', () => {
    const runs = [500, 350, 500].map((tps, index) => run(`run-${index}`, { tps }));
    const { comparison } = judged(run('head'), { kind: 'stored', runs });
    expect(comparison).toMatchObject({ outlying: [{ metric: 'tps', change: expect.closeTo(-0.3, 5) }] });
  });

  it('leaves out runs with an invalid block', () => {
    const spoilt = run('spoilt');
    spoilt.cells = [
      simulatedCell(
        0,
        blocks({}).map((block) => ({ ...block, invalid: [reason] })),
      ),
    ];
    expect(judged(run('head'), { kind: 'stored', runs: [spoilt] }).comparison).toMatchObject({
      reason: 'no-baseline',
    });
  });

  it('may lack a cell, which is then compared with nothing', () => {
    const cells = [simulatedCell(0, blocks({})), simulatedCell(1, blocks({}))];
    const verdict = judged(runOf('head', cells));
    expect(verdict.cells.map(({ metrics }) => metrics.length)).toEqual([5, 0]);
    expect(verdict.cells.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
  });

  it('may come from another machine on CI, which makes it less sure', () => {
    const onCi = (one: Run): Run => ({ ...one, fingerprint: { ...one.fingerprint, runner: 'ubuntu-24.04' } });
    const there = judged(onCi(run('head')), { kind: 'stored', runs: calm.map(onCi) });
    expect(metricOf(there, 'tps').smallestVisible).toBeGreaterThan(
      1.1 * metricOf(judged(run('head')), 'tps').smallestVisible,
    );
  });

  it('is as sure on one host of a self-hosted pool as on one machine, and less on another or unknown host', () => {
    const at = (one: Run, host?: string): Run => {
      const { host: _, ...fingerprint } = one.fingerprint;
      const place = host === undefined ? {} : { host };
      return { ...one, fingerprint: { ...fingerprint, runner: 'self-hosted X64', ...place } };
    };
    const visible = (head: string | undefined, ...baseHosts: (string | undefined)[]) =>
      metricOf(
        judged(at(run('head'), head), {
          kind: 'stored',
          runs: calm.map((one, index) => at(one, baseHosts[index % baseHosts.length])),
        }),
        'tps',
      ).smallestVisible;
    const local = metricOf(judged(run('head')), 'tps').smallestVisible;
    expect(visible('a1', 'a1')).toBeCloseTo(local, 9);
    for (const elsewhere of [visible('a1', 'b2'), visible('a1', 'a1', 'b2'), visible(undefined, undefined)]) {
      expect(elsewhere).toBeGreaterThan(1.1 * local);
    }
  });

  describe('beside head', () => {
    const drift = [1, 0.8, 0.6, 0.5];
    /** Both sides slow down by half; `costly` if that costs CPU time, as on a slower machine. */
    const side = (id: string, slower: number, costly: boolean): Run => {
      const drifting = drift.map((speed, round) => {
        const block = simulatedBlock(round, (500 * speed) / slower, (200 / speed) * slower);
        const cost = costly ? 1 / speed : 1;
        return {
          ...block,
          usage: simulatedUsage(block.tps, { service: cost, generator: cost, backing: cost }),
        };
      });
      return runOf(id, [simulatedCell(0, drifting)]);
    };
    const besides = (slower: number, costly: boolean) =>
      judged(side('head', slower, costly), { kind: 'side-by-side', run: side('base', 1, costly) });

    it('takes turns, so that a machine that slows down does not matter', () => {
      const verdict = besides(1.15, true);
      expect(verdict.comparison).toEqual({ kind: 'side-by-side', baseCommit: commitOf('base') });
      expect(verdict.outcome).toBe('regression');
      expect(metricOf(verdict, 'tps').change).toBeCloseTo(1 / 1.15 - 1, 6);
      expect(['pass', 'coarse']).toContain(besides(1, true).outcome);
    });

    it('sees more than in a row of a drift that costs no CPU time', () => {
      const inTurns = metricOf(besides(1.4, false), 'tps');
      const stored: Base = { kind: 'stored', runs: [side('base', 1, false)] };
      const inRow = metricOf(judged(side('head', 1.4, false), stored), 'tps');
      expect(inTurns.change).toBeCloseTo(1 / 1.4 - 1, 6);
      expect(inTurns.score).toBeGreaterThan(1.2 * inRow.score);
      expect(inTurns.smallestVisible).toBeLessThan(0.9 * inRow.smallestVisible);
    });
  });
});

describe('a disturbed machine', () => {
  const twoCells: JudgeOptions = { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 2) };
  const base: Base = {
    kind: 'stored',
    runs: calm.map(({ id }) => runOf(id, [simulatedCell(0, blocks({})), simulatedCell(1, blocks({}))])),
  };
  const others = { ...stolen, code: 'I_OTHERS_CPU' };
  const disturbed = (index: number, ...reasons: readonly InvalidReason[]) =>
    simulatedCell(
      index,
      blocks({}).map((block) => ({ ...block, invalid: [...reasons] })),
    );
  const outcomesOf = (head: Run, from: Base = base) => {
    const { outcome, cells } = judged(head, from, twoCells);
    return [outcome, ...cells.map((cell) => cell.outcome)];
  };
  const quiet = simulatedCell(1, blocks({}));

  it.each([
    ['stolen CPU', [stolen]],
    ['other programs', [others]],
    ['both', [stolen, others]],
  ])('is noise, not invalid: %s', (_, reasons) => {
    expect(outcomesOf(runOf('head', [disturbed(0, ...reasons), quiet]))).toEqual(['noise', 'noise', 'pass']);
  });

  it('is no excuse for a measurement that is broken as well', () => {
    expect(outcomesOf(runOf('head', [disturbed(0, stolen, reason), quiet]))).toEqual([
      'invalid',
      'invalid',
      'pass',
    ]);
    expect(outcomesOf(runOf('head', [disturbed(0, stolen), disturbed(1, reason)]))).toEqual([
      'invalid',
      'noise',
      'invalid',
    ]);
  });

  it('hides no regression that another cell proves', () => {
    const slow = simulatedCell(1, blocks({ tps: 100 }));
    expect(outcomesOf(runOf('head', [disturbed(0, stolen), slow]))).toEqual([
      'regression',
      'noise',
      'regression',
    ]);
  });

  it('may concern the whole run, of head or base', () => {
    const whole = runOf('head', [simulatedCell(0, blocks({})), quiet]);
    expect(outcomesOf({ ...whole, invalid: [others] })).toEqual(['noise', 'noise', 'noise']);
    expect(outcomesOf({ ...whole, invalid: [others, reason] })).toEqual(['invalid', 'invalid', 'invalid']);
    expect(outcomesOf({ ...runOf('head', [disturbed(0, reason), quiet]), invalid: [others] })).toEqual([
      'invalid',
      'invalid',
      'noise',
    ]);
    const disturbedBase = { ...whole, id: 'base', invalid: [stolen] };
    expect(outcomesOf(whole, { kind: 'side-by-side', run: disturbedBase })).toEqual([
      'noise',
      'noise',
      'noise',
    ]);
    const oneCell = runOf('base', [disturbed(0, stolen), quiet]);
    expect(outcomesOf(whole, { kind: 'side-by-side', run: oneCell }).slice(0, 2)).toEqual(['noise', 'noise']);
  });

  it('is why the cells after it were not measured', () => {
    expect(outcomesOf(runOf('head', [disturbed(0, stolen)]))).toEqual(['noise', 'noise', 'noise']);
    expect(outcomesOf({ ...runOf('head', []), invalid: [stolen] })).toEqual(['noise', 'noise', 'noise']);
    expect(outcomesOf(runOf('head', [disturbed(0, reason)]))).toEqual(['invalid', 'invalid', 'invalid']);
  });

  describe('and counts', () => {
    const counting = (statements: number, change: Partial<Block> = {}, tps = 500) =>
      simulatedCell(
        0,
        blocks({ tps }).map((block) => ({
          ...block,
          invalid: [others],
          signals: { ...block.signals, statements },
          ...change,
        })),
      );
    const dearer = runOf('head', [counting(4), quiet]);

    it('hides none that grew: other programs do not change what a request needs', () => {
      expect(outcomesOf(dearer)).toEqual(['regression', 'regression', 'pass']);
      const cell = cellOf(judged(dearer, base, twoCells));
      expect(cell.signals.map(({ name, failed }) => [name, failed])).toEqual([['statements', true]]);
      expect(cell).toMatchObject({ metrics: [], endpoints: [], invalid: [others] });
    });

    it('hides none next to base, whichever side was disturbed', () => {
      const calmBase = runOf('base', [simulatedCell(0, blocks({})), quiet]);
      const disturbedBase = runOf('base', [counting(2), quiet]);
      const calmHead = runOf('head', [
        { ...counting(4), blocks: counting(4).blocks.map((block) => ({ ...block, invalid: [] })) },
        quiet,
      ]);
      expect(outcomesOf(dearer, { kind: 'side-by-side', run: calmBase })[0]).toBe('regression');
      expect(outcomesOf(calmHead, { kind: 'side-by-side', run: disturbedBase })[0]).toBe('regression');
    });

    it.each([
      [4, 'noise'],
      [4.04, 'noise'],
      [4.2, 'regression'],
    ])(
      'blames head for none that fewer requests share: half the TPS, 2 → %d statements',
      (statements, outcome) => {
        expect(outcomesOf(runOf('head', [counting(statements, {}, 250), quiet]))[0]).toBe(outcome);
      },
    );

    it('asks no growth per second of a count of which less is worse', () => {
      const [, statements] = Object.values(simulatedOptions.signals);
      if (statements === undefined) throw new Error('nothing counts statements');
      const signals = { statements: { ...statements, worse: 'lower' as const } };
      const fewer = runOf('head', [counting(1, {}, 250), quiet]);
      expect(judged(fewer, base, { ...twoCells, signals }).outcome).toBe('regression');
    });

    it('blames head for none of other requests, or of blocks in which something else was wrong', () => {
      const [{ latency }] = blocks({}) as [Block];
      const other = [{ name: 'other', requests: 5000, errors: 0, latency }];
      expect(outcomesOf(runOf('head', [counting(4, { endpoints: other }), quiet]))[0]).toBe('noise');
      expect(outcomesOf(runOf('head', [counting(4, { invalid: [others, reason] }), quiet]))[0]).toBe(
        'invalid',
      );
    });
  });

  it('outweighs that the checkout made itself incomparable', () => {
    const head = runOf('head', [disturbed(0, stolen), quiet]);
    const changed = { ...head, fingerprint: { ...head.fingerprint, dataKey: 'b' } };
    expect(outcomesOf(changed)).toEqual(['noise', 'noise', 'pass']);
  });
});

describe('validity', () => {
  const invalidBlock = (cell: Cell): Cell => ({
    ...cell,
    blocks: cell.blocks.map((block, index) => (index === 1 ? { ...block, invalid: [reason] } : block)),
  });

  it('of a block decides its cell and the check', () => {
    const cells = [simulatedCell(0, blocks({ tps: 200 }))].map(invalidBlock);
    const verdict = judged(runOf('head', cells));
    expect(verdict.outcome).toBe('invalid');
    expect(cellOf(verdict)).toMatchObject({ outcome: 'invalid', metrics: [], invalid: [reason] });
  });

  it('of the run decides every cell', () => {
    const verdict = judged({ ...run('head'), invalid: [reason] });
    expect(verdict).toMatchObject({ outcome: 'invalid', invalid: [reason] });
    expect(cellOf(verdict).outcome).toBe('invalid');
  });

  it('is missing with a cell that was asked for', () => {
    const verdict = judged(runOf('head', []));
    expect(verdict.outcome).toBe('invalid');
    expect(cellOf(verdict)).toMatchObject({ vus: 100, head: { blocks: 0, requests: 0 } });
    expect(cellOf(verdict).invalid[0]?.code).toBe('I_CELL_MISSING');
  });

  it('is not repeated for the cells that were not measured because of it', () => {
    const failed = judged({ ...runOf('head', []), invalid: [reason] });
    expect(cellOf(failed)).toMatchObject({ outcome: 'invalid', invalid: [] });
  });

  it('is missing with a block in which nothing ended', () => {
    const verdict = judged(run('head', { tps: 0 }));
    expect(cellOf(verdict).invalid[0]?.code).toBe('I_NO_REQUESTS');
    expect(verdict.outcome).toBe('invalid');
  });

  it('counts for both sides where they took turns', () => {
    const spoilt = runOf('base', [simulatedCell(0, blocks({}))].map(invalidBlock));
    const verdict = judged(run('head'), { kind: 'side-by-side', run: spoilt });
    expect(cellOf(verdict).invalid[0]?.cause).toBe('Base: The script threw.');
    const whole = judged(run('head'), {
      kind: 'side-by-side',
      run: { ...run('base'), invalid: [reason] },
    });
    expect(whole).toMatchObject({
      outcome: 'invalid',
      invalid: [{ cause: 'Base: The script threw.' }],
    });
  });
});

describe('a load at a fixed arrival rate', () => {
  const base: Base = { kind: 'stored', runs: calm.map(arriving) };
  const judged = (head: Level) => judge({ run: arriving(run('head', head)), base, options, ...when });

  it('is not judged by TPS, which follows from the rate', () => {
    const { outcome, cells } = judged({ tps: 400 });
    expect(cells[0]?.metrics.map(({ metric }) => metric)).not.toContain('tps');
    expect(cells[0]?.arrival).toBe(40);
    expect(outcome).toBe('pass');
  });

  it('is judged by p95 and errors', () => {
    expect(judged({ p95Ms: 600 }).outcome).toBe('regression');
    expect(judged({ errors: 200 }).outcome).toBe('regression');
  });
});

describe('dropped passes', () => {
  /** The run with a share of its passes dropped, at the speed that is left. */
  const dropping = (id: string, share: number): Run => {
    const measured = arriving(run(id));
    const cells = measured.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => {
        const lost = Math.round((share * block.requests) / (1 - share));
        const latency = { meanMs: 0, p50Ms: 0, p90Ms: 0, p95Ms: 0, p99Ms: 0, maxMs: 0 };
        return {
          ...block,
          requests: block.requests + lost,
          errors: block.errors + lost,
          endpoints: [
            {
              ...block.endpoints[0],
              name: 'all',
              requests: block.requests,
              errors: 0,
              latency: block.latency,
            },
            { name: ownEndpoints.dropped, requests: lost, errors: lost, latency },
          ],
        };
      }),
    }));
    return { ...measured, cells };
  };
  const beside = (base: Run, head: Run) =>
    judge({ run: head, base: { kind: 'side-by-side', run: base }, options, ...when });

  it("are head's errors if base had enough users", () => {
    const verdict = beside(dropping('base', 0), dropping('head', 0.2));
    expect(verdict.cells[0]).toMatchObject({ outcome: 'regression', invalid: [] });
    expect(metricOf(verdict, 'errorRate').outcome).toBe('regression');
  });

  it('make the cell invalid if base had too few users too', () => {
    const verdict = beside(dropping('base', 0.1), dropping('head', 0.2));
    expect(verdict.outcome).toBe('invalid');
    expect(cellOf(verdict)).toMatchObject({ arrival: 40, invalid: [{ code: 'I_DROPPED' }] });
    expect(cellOf(verdict).invalid[0]?.cause).toContain('dropped 10.0% of the passes, and head 20.0%');
  });

  it('do not stand in the way of a change that ends them', () => {
    expect(beside(dropping('base', 0.1), dropping('head', 0)).outcome).not.toBe('invalid');
  });

  it('are nobody’s fault without a base', () => {
    const verdict = judge({ run: dropping('head', 0.2), base: { kind: 'none' }, options, ...when });
    expect(cellOf(verdict).invalid).toMatchObject([{ code: 'I_DROPPED' }]);
  });

  it('keep a run out of the baseline', () => {
    expect([isTrusted(dropping('few', 0.005)), isTrusted(dropping('many', 0.02))]).toEqual([true, false]);
  });
});

describe('a cell that is judged by its costs alone', () => {
  const cells = options.cells.map((cell) => ({ ...cell, costsAlone: true }));
  const judgedByCosts = (head: Level) => judged(run('head', head), stored, { ...options, cells });

  it('has no figure that depends on time', () => {
    const verdict = judgedByCosts({ tps: 100, p95Ms: 5000 });
    expect(verdict.outcome).toBe('pass');
    expect(cellOf(verdict).metrics.map(({ metric }) => metric)).toEqual(['errorRate']);
    expect(cellOf(verdict).endpoints.map(({ worse }) => worse)).toEqual([[]]);
    expect(verdict.groups).toEqual([]);
  });

  it('says how many rounds its error rate needs where few requests say too little', () => {
    const rowWith = (rounds: number) => {
      const few = (id: string) =>
        runOf(id, [
          simulatedCell(
            0,
            Array.from({ length: rounds }, (_, round) => simulatedBlock(round, 20, 200)),
          ),
        ]);
      const base: Base = { kind: 'stored', runs: ['a', 'b', 'c'].map(few) };
      return cellOf(judged(few('head'), base, { ...options, cells })).metrics[0];
    };
    const { outcome, roundsNeeded = expect.unreachable() } = rowWith(2) ?? expect.unreachable();
    expect(outcome).toBe('coarse');
    expect(roundsNeeded).toBeGreaterThan(2);
    expect(rowWith(roundsNeeded)?.outcome).toBe('pass');
  });

  it('is held to its error rate', () => {
    expect(judgedByCosts({ errors: 200 }).outcome).toBe('regression');
  });

  it('changes nothing about the others', () => {
    const several = (id: string, tps: number): Run =>
      runOf(
        id,
        [0, 1, 2].map((index) => simulatedCell(index, blocks({ tps: index === 2 ? 100 : tps }))),
      );
    const base: Base = { kind: 'stored', runs: ['a', 'b', 'c'].map((id) => several(id, 500)) };
    const required = simulatedOptions.cells.slice(0, 3);
    const verdictOf = (third: boolean) =>
      judge({
        run: several('head', 480),
        base,
        options: {
          ...options,
          cells: required.map((cell, index) => (index === 2 ? { ...cell, costsAlone: third } : cell)),
        },
        ...when,
      });
    const without = judge({
      run: { ...several('head', 480), cells: several('head', 480).cells.slice(0, 2) },
      base,
      options: { ...options, cells: required.slice(0, 2) },
      ...when,
    });
    expect(verdictOf(true).cells.slice(0, 2)).toEqual(without.cells);
    expect(verdictOf(true).groups).toEqual(without.groups);
    expect(verdictOf(false).cells[2]?.metrics).toHaveLength(Object.keys(options.tolerances).length);
  });
});
