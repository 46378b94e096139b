import { describe, expect, it } from 'vitest';
import { runOfTps as run, simulatedOptions } from '../../test/simulation/simulated-run.ts';
import { cellName, type Run } from '../model/run.ts';
import { type SignalChange, type Verdict, verdictSchema } from '../model/verdict.ts';
import type { Waiver } from '../model/waiver.ts';
import { isBeyondDoubt, suspectCells } from './confirm.ts';
import { judge } from './judge.ts';
import { failingRows, withWaivers } from './waivers.ts';

const stored = ['a', 'b', 'c', 'd'].map((id) => run(id, 500, 500));
const cell = 'scenario-0@peak';

function verdictOn(head: Run): Verdict {
  const options = { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 2) };
  return judge({
    run: head,
    base: { kind: 'stored', runs: stored },
    options,
    createdAt: '2026-01-01T00:20:00Z',
    seconds: 600,
  });
}

/** The cell has two thirds more of everything that takes time. */
const slower = verdictOn(run('head', 300, 500));
const terms = { until: '2026-02-01', reason: 'a new index', by: 'mona' };

function waiversFor(verdict: Verdict, ceiling: (growth: number) => number | null): readonly Waiver[] {
  return failingRows(verdict).map(({ cell: name, metric, growth }) => ({
    cell: name,
    metric,
    ceiling: ceiling(growth ?? 0),
    ...terms,
  }));
}

function accepted(verdict: Verdict, waivers: readonly Waiver[]): Verdict {
  const result = withWaivers(verdict, waivers);
  expect(() => verdictSchema.parse(result)).not.toThrow();
  return result;
}

describe('a waiver', () => {
  it('accepts the rows that it names, up to its ceiling, and says so', () => {
    const verdict = accepted(
      slower,
      waiversFor(slower, (growth) => growth),
    );
    expect(slower.outcome).toBe('regression');
    expect(verdict.outcome).toBe('accepted');
    expect(verdict.cells.map(({ outcome }) => outcome)).toEqual(['accepted', slower.cells[1]?.outcome]);
    expect(verdict.accepted).toHaveLength(failingRows(slower).length);
    expect(verdict.accepted?.[0]).toMatchObject({ cell, growth: expect.any(Number), ...terms });
    expect(failingRows(verdict)).toEqual([]);
    // Nor need they be measured again.
    expect([slower, verdict].map((one) => suspectCells(one).includes(cell))).toEqual([true, false]);
  });

  it('accepts nothing beyond its ceiling', () => {
    const verdict = accepted(
      slower,
      waiversFor(slower, (growth) => growth * 0.9),
    );
    expect(verdict).toEqual(slower);
  });

  it('accepts any growth without a ceiling', () => {
    expect(
      accepted(
        slower,
        waiversFor(slower, () => null),
      ).outcome,
    ).toBe('accepted');
  });

  it('leaves the check a regression if another row is one', () => {
    const [first, ...others] = waiversFor(slower, () => null);
    expect(others).not.toEqual([]);
    const verdict = accepted(slower, first === undefined ? [] : [first]);
    expect(verdict.outcome).toBe('regression');
    expect(verdict.accepted).toHaveLength(1);
    expect(failingRows(verdict)).toHaveLength(others.length);
  });

  it('says too what was accepted before', () => {
    const [first, ...others] = waiversFor(slower, () => null);
    const verdict = accepted(accepted(slower, first === undefined ? [] : [first]), others);
    expect(verdict.outcome).toBe('accepted');
    expect(verdict.accepted).toHaveLength(failingRows(slower).length);
    expect(verdict.accepted).toContainEqual(expect.objectContaining({ cell, metric: first?.metric }));
  });

  it('accepts no other cell', () => {
    const both = verdictOn(run('head', 300, 300));
    const verdict = accepted(
      both,
      waiversFor(slower, () => null),
    );
    expect(verdict.outcome).toBe('regression');
    expect(verdict.cells.map(({ outcome }) => outcome)).toEqual(['accepted', 'regression']);
  });

  it('counts less of a cost as worse where the configuration does', () => {
    const hits: SignalChange = {
      ...{ name: 'hits', title: 'cache hits per request', unit: '', hint: '', gate: 'fail' },
      ...{ base: 2, head: 1, change: -0.5, worse: 'lower', limit: 0.1, moved: true, failed: true },
    };
    const same = verdictOn(run('head', 500, 500));
    const cells = same.cells.map((one) =>
      cellName(one) === cell ? { ...one, outcome: 'regression' as const, signals: [hits] } : one,
    );
    const fewer: Verdict = { ...same, outcome: 'regression', cells };
    expect(isBeyondDoubt(fewer)).toBe(true);
    const unlimited = cells.map((one) => ({
      ...one,
      signals: one.signals.map((hit) => ({ ...hit, limit: 0 })),
    }));
    expect(isBeyondDoubt({ ...fewer, cells: unlimited })).toBe(false);
    expect(failingRows(fewer)).toEqual([
      { cell, metric: 'hits', growth: 0.5, ceiling: expect.closeTo(0.55, 9) },
    ]);
    const waivedTo = (ceiling: number) => accepted(fewer, [{ cell, metric: 'hits', ceiling, ...terms }]);
    expect([0.49, 0.55].map((ceiling) => waivedTo(ceiling).outcome)).toEqual(['regression', 'accepted']);
  });

  it('accepts a counted cost by the name of its signal', () => {
    const head = run('head', 500, 500);
    const cells = head.cells.map((one, index) =>
      index > 0
        ? one
        : {
            ...one,
            blocks: one.blocks.map((block) => ({ ...block, signals: { ...block.signals, statements: 9 } })),
          },
    );
    const dearer = verdictOn({ ...head, cells });
    expect(failingRows(dearer)).toEqual([
      { cell, metric: 'statements', growth: 3.5, ceiling: expect.closeTo(3.85) },
    ]);
    const verdict = accepted(dearer, [{ cell, metric: 'statements', ceiling: null, ...terms }]);
    expect(verdict.outcome).toBe('accepted');
    expect(verdict.cells[0]?.signals.some(({ failed }) => failed)).toBe(false);
  });

  it('of a count is none for the times of a cell that was too disturbed to be timed', () => {
    const head = run('head', 500, 500);
    const disturbed = {
      invalid: [{ code: 'I_OTHERS_CPU', cause: 'A build ran.', nextStep: 'Stop it.' }],
      signals: { statements: 9 },
    };
    const cells = head.cells.map((one, index) =>
      index > 0 ? one : { ...one, blocks: one.blocks.map((block) => ({ ...block, ...disturbed })) },
    );
    const dearer = verdictOn({ ...head, cells });
    expect(dearer.outcome).toBe('regression');
    const verdict = accepted(dearer, [{ cell, metric: 'statements', ceiling: null, ...terms }]);
    expect(verdict.cells[0]?.outcome).toBe('noise');
  });

  it('accepts what a group of cells shares under the name of the group', () => {
    const shared = verdictOn(run('head', 475, 475));
    const rows = failingRows(shared);
    expect(rows.map((row) => row.cell)).toContain('*');
    const verdict = accepted(
      shared,
      waiversFor(shared, () => null),
    );
    expect(verdict.outcome).toBe('accepted');
  });

  it('says nothing where nothing regressed', () => {
    const same = verdictOn(run('head', 500, 500));
    expect(withWaivers(same, [{ cell, metric: 'tps', ceiling: null, ...terms }])).toBe(same);
  });
});
