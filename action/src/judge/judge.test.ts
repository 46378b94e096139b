import { describe, expect, it } from 'vitest';
import type { Block, Cell, InvalidReason, Run } from '../model/run.ts';
import { type CellVerdict, type MetricName, type Verdict, verdictSchema } from '../model/verdict.ts';
import type { Base } from './base.ts';
import { judge } from './judge.ts';
import type { JudgeOptions } from './options.ts';
import { runOf, simulatedBlock, simulatedCell, simulatedOptions } from './simulated-run.ts';

const when = { createdAt: '2026-01-01T00:20:00Z', seconds: 600 };
const options: JudgeOptions = { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 1) };
const reason: InvalidReason = { code: 'I_STEAL', cause: 'Half the time was stolen.', nextStep: 'Try later.' };

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
    expect(tps.adjustedP).toBeLessThan(0.025);
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

  it('does not regress by less than its tolerance, however surely', () => {
    const history = Array.from({ length: 10 }, (_, index) => run(`long-${index}`, { blocks: 20 }));
    const verdict = judged(run('head', { tps: 460, blocks: 20 }), { kind: 'stored', runs: history });
    expect(metricOf(verdict, 'tps').adjustedP).toBeLessThan(0.025);
    expect(verdict.outcome).toBe('pass');
  });

  it('does not regress by less than the floor, and says so', () => {
    const history = calm.map(({ id }) => run(id, { p95Ms: 2, tps: 50_000 }));
    const verdict = judged(run('head', { p95Ms: 4, tps: 40_000 }), { kind: 'stored', runs: history });
    // p95 2 ms longer; mean response time 100 VUs / TPS 2.5 ms instead of 2 ms.
    expect(metricOf(verdict, 'p95')).toMatchObject({ outcome: 'pass', belowFloor: true });
    expect(metricOf(verdict, 'tps')).toMatchObject({ outcome: 'pass', belowFloor: true });
  });

  it('is inconclusive when one run of base could not have shown the tolerance', () => {
    const verdict = judged(run('head', { tps: 480 }), { kind: 'stored', runs: calm.slice(0, 1) });
    const tps = metricOf(verdict, 'tps');
    expect(tps.outcome).toBe('inconclusive');
    expect(tps.smallestVisible).toBeGreaterThan(0.1);
    expect(verdict.outcome).toBe('inconclusive');
  });

  it('improves beyond chance and half the tolerance', () => {
    const faster = judged(run('head', { tps: 700, p95Ms: 100 }));
    expect(cellOf(faster).metrics.map(({ improved }) => improved)).toEqual([true, true, false]);
    expect(faster.outcome).toBe('pass');
    const mended = judged(run('head'), {
      kind: 'stored',
      runs: calm.map(({ id }) => run(id, { errors: 150 })),
    });
    expect(metricOf(mended, 'errorRate').improved).toBe(true);
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
  it('is told to be not asked for, missing, or not comparable', () => {
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
      expect(verdict.outcome).toBe('inconclusive');
      expect(cellOf(verdict)).toMatchObject({ outcome: 'pass', metrics: [] });
    }
    // Another machine is no doing of the checkout.
    expect(judged(changed({ cpuModel: 'another' })).outcome).toBe('pass');
    expect(judged({ ...changed({ dataKey: 'b' }), invalid: [reason] }).outcome).toBe('invalid');
  });

  it('is the last ten comparable runs, without the invalid ones and without head itself', () => {
    const many = Array.from({ length: 14 }, (_, index) => run(`run-${index}`));
    const runs = many.map((one, index) => (index === 12 ? { ...one, invalid: [reason] } : one));
    const { comparison } = judged(run('run-13'), { kind: 'stored', runs });
    const used = comparison.kind === 'stored' ? comparison.base.map(({ runId }) => runId) : [];
    expect(used).toEqual(Array.from({ length: 10 }, (_, index) => `run-${index + 2}`));
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
    expect(verdict.cells.map(({ metrics }) => metrics.length)).toEqual([3, 0]);
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
    const visible = (head: string | undefined, ...ofBase: (string | undefined)[]) =>
      metricOf(
        judged(at(run('head'), head), {
          kind: 'stored',
          runs: calm.map((one, index) => at(one, ofBase[index % ofBase.length])),
        }),
        'tps',
      ).smallestVisible;
    const local = metricOf(judged(run('head')), 'tps').smallestVisible;
    expect(visible('a1', 'a1')).toBeCloseTo(local, 9);
    for (const elsewhere of [visible('a1', 'b2'), visible('a1', 'a1', 'b2'), visible(undefined, undefined)]) {
      expect(elsewhere).toBeGreaterThan(1.1 * local);
    }
  });

  it('takes turns side by side, so that a drift of both sides does not matter', () => {
    const drift = [1, 0.8, 0.6, 0.5];
    const side = (id: string, slower: number): Run =>
      runOf(id, [
        simulatedCell(
          0,
          drift.map((speed, round) => simulatedBlock(round, (500 * speed) / slower, (200 / speed) * slower)),
        ),
      ]);
    const base: Base = { kind: 'side-by-side', run: side('base', 1), commit: 'abc' };
    const verdict = judged(side('head', 1.4), base);
    expect(verdict.comparison).toEqual({ kind: 'side-by-side', baseCommit: 'abc' });
    expect(verdict.outcome).toBe('regression');
    const inRow = judged(side('head', 1.4), { kind: 'stored', runs: [side('base', 1)] });
    expect(inRow.outcome).toBe('inconclusive');
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
    const verdict = judged(run('head'), { kind: 'side-by-side', run: spoilt, commit: 'abc' });
    expect(cellOf(verdict).invalid[0]?.cause).toBe('Base: Half the time was stolen.');
    const whole = judged(run('head'), {
      kind: 'side-by-side',
      run: { ...run('base'), invalid: [reason] },
      commit: 'abc',
    });
    expect(whole).toMatchObject({
      outcome: 'invalid',
      invalid: [{ cause: 'Base: Half the time was stolen.' }],
    });
  });
});
