import { describe, expect, it } from 'vitest';
import { runOfTps, simulatedOptions, simulatedUsage } from '../../test/simulation/simulated-run.ts';
import type { SignalConfig } from '../model/config.ts';
import type { Run } from '../model/run.ts';
import { type CellVerdict, type Verdict, verdictSchema } from '../model/verdict.ts';
import type { Base } from './comparable/base.ts';
import { isSettled, suspectCells } from './confirm.ts';
import { judge } from './judge.ts';
import { judgeMeasurements } from './measurements.ts';

const signal: SignalConfig = {
  title: 'SQL statements per request',
  from: 'backing',
  series: ['statements'],
  per: 'request',
  scale: 1,
  unit: '',
  gate: 'fail',
  floor: 0.05,
  hint: 'Look for a query in a loop.',
};
const options = (gate: SignalConfig['gate']) => ({
  ...simulatedOptions,
  signals: { statements: { ...signal, gate } },
  cells: simulatedOptions.cells.slice(0, 2),
});
const context = (gate: SignalConfig['gate']) => ({
  options: options(gate),
  createdAt: '2026-01-01T00:20:00Z',
  seconds: 600,
});

/** A run of two cells whose blocks count so many statements; undefined if they count none. */
function counting(id: string, first: number | undefined, second: number | undefined, tps = 500): Run {
  const run = runOfTps(id, tps, 500);
  const counts = [first, second];
  return {
    ...run,
    cells: run.cells.map((cell, index) => {
      const statements = counts[index];
      const signals = statements === undefined ? {} : { statements };
      return { ...cell, blocks: cell.blocks.map((block) => ({ ...block, signals: { ...signals } })) };
    }),
  };
}

const stored = ['a', 'b', 'c', 'd'].map((id) => counting(id, 1, 1));

function judged(head: Run, gate: SignalConfig['gate'] = 'fail', base?: Base): Verdict {
  const verdict = judge({ run: head, base: base ?? { kind: 'stored', runs: stored }, ...context(gate) });
  expect(() => verdictSchema.parse(verdict)).not.toThrow();
  return verdict;
}

function outcomes({ cells }: Verdict): readonly CellVerdict['outcome'][] {
  return cells.map(({ outcome }) => outcome);
}

describe('a cost with gate fail', () => {
  it('decides in a cell that is judged by nothing else', () => {
    const cells = options('fail').cells.map((cell) => ({ ...cell, costsAlone: true }));
    const run = counting('head', 3, 1, 100);
    const withCells = { ...context('fail'), options: { ...options('fail'), cells } };
    const verdict = judge({ run, base: { kind: 'stored', runs: stored }, ...withCells });
    expect(outcomes(verdict)).toEqual(['regression', 'pass']);
  });

  it('is a regression of its cell, although times are as before', () => {
    const verdict = judged(counting('head', 3, 1));
    expect(verdict.outcome).toBe('regression');
    expect(outcomes(verdict)).toEqual(['regression', 'pass']);
    expect(verdict.cells[0]?.metrics.filter(({ suspect }) => suspect)).toEqual([]);
  });

  it('asks for no second measurement, and none clears it', () => {
    const slow = counting('head', 3, 1, 300);
    const first = judged(slow);
    expect(suspectCells(first)).toEqual([]);
    const again = { base: counting('base', 1, 1), head: counting('again', 1, 1) };
    const both = judgeMeasurements({ run: slow, stored, again }, context('fail'));
    expect(both.cells[0]).toEqual(first.cells[0]);
    expect(judgeMeasurements({ run: slow, stored }, context('fail')).outcome).toBe('regression');
  });

  it('leaves the other suspects to a second measurement once somebody has accepted it', () => {
    const { options: own, ...when } = context('fail');
    const waiver = { cell: 'scenario-0@peak', metric: 'statements', ceiling: null };
    const waivers = [{ ...waiver, until: '2026-02-01', reason: 'an audit log' }];
    const outcomeWith = (tps: number) => {
      const again = { base: counting('base', 1, 1), head: counting('again', 3, 1, tps) };
      const measured = { run: counting('head', 3, 1, 300), stored, again };
      return judgeMeasurements(measured, { ...when, options: { ...own, waivers } }).outcome;
    };
    expect([500, 300].map(outcomeWith)).toEqual(['accepted', 'regression']);
  });

  it('decides nothing where another mix of requests has other costs', () => {
    const { cells, ...head } = counting('head', 3, 1);
    const other = cells.map((cell, index) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({
        ...block,
        endpoints: block.endpoints.map((one) => ({ ...one, name: index === 0 ? 'other' : one.name })),
      })),
    }));
    const verdict = judged({ ...head, cells: other });
    expect(outcomes(verdict)).toEqual(['invalid', 'pass']);
    expect(verdict.cells[0]?.signals).toEqual([]);
    const slow = { ...head, cells: other.map((cell, index) => (index === 0 ? slower(cell) : cell)) };
    expect(judged(slow).cells[0]).toMatchObject({ outcome: 'regression', signals: [{ failed: false }] });
  });

  describe('on a machine three times as fast', () => {
    const faster = (run: Run): Run => ({
      ...run,
      cells: run.cells.map((cell) => ({
        ...cell,
        blocks: cell.blocks.map((block) => ({ ...block, usage: simulatedUsage(block.tps / 3) })),
      })),
    });
    const little = faster(counting('head', 1.1, 1));
    const statements = (verdict: Verdict) => verdict.cells[0]?.signals[0];

    it('is undecided if the speed may explain its growth, and measured again', () => {
      expect(judged(counting('head', 1.1, 1)).outcome).toBe('regression');
      const first = judged(little);
      expect(outcomes(first)[0]).toBe('undecided');
      expect(statements(first)).toMatchObject({
        failed: false,
        evidence: { suspect: true, undecided: true },
      });
      expect(suspectCells(first)).toEqual(['scenario-0@peak']);
    });

    it.each([
      [1, { head: 1, moved: false, failed: false, evidence: { undecided: false } }],
      [1.2, { head: 1.2, failed: true, evidence: { undecided: false } }],
      [undefined, { failed: false, evidence: { undecided: true } }],
    ])('is decided by a second measurement, whose head counts %s', (count, expected) => {
      const again = { base: counting('base', 1, 1), head: counting('again', count, 1) };
      const both = judgeMeasurements({ run: little, stored, again }, context('fail'));
      expect(statements(both)).toMatchObject(expected);
    });

    it('is not cleared by growth that the rounds so far cannot prove', () => {
      const filling = (id: string, factor: number, rounds: number): Run => {
        const run = counting(id, 1, 1);
        const [cell, ...others] = run.cells;
        if (cell === undefined) throw new Error('there is no cell');
        const blocks = Array.from({ length: rounds }, (_, round) => ({
          ...(cell.blocks[1] ?? expect.unreachable()),
          round,
          signals: { statements: factor * (round === 0 ? 1.7 : 1.45) },
        }));
        return { ...run, cells: [{ ...cell, blocks }, ...others] };
      };
      const second = (factor: number, rounds: number) => {
        const again = { base: filling('base', 1, rounds), head: filling('again', factor, rounds) };
        const verdict = judgeMeasurements({ run: little, stored, again }, context('fail'));
        return { ...statements(verdict), settled: isSettled(verdict) };
      };
      expect(second(1.08, 2)).toMatchObject({ evidence: { undecided: true }, settled: false });
      expect(second(1.08, 6)).toMatchObject({ failed: true, settled: true });
      expect(second(1, 2)).toMatchObject({ failed: false, moved: false, evidence: { undecided: false } });
    });

    it('fails at once if it grew by more than that', () => {
      expect(judged(faster(counting('head', 1.3, 1))).outcome).toBe('regression');
    });

    it('fails at once next to base', () => {
      const base = { kind: 'side-by-side', run: faster(counting('base', 1, 1)) } as const;
      expect(judged(little, 'fail', base).outcome).toBe('regression');
    });
  });

  it('leaves a cell undecided if head no longer counts what base counted', () => {
    const verdict = judged(counting('head', undefined, 1));
    expect(verdict.outcome).toBe('undecided');
    expect(outcomes(verdict)).toEqual(['undecided', 'pass']);
    expect(verdict.cells[0]?.uncounted).toEqual([
      { name: 'statements', title: signal.title, missing: 'head' },
    ]);
  });

  it('does not hide a regression in time behind a missing count', () => {
    expect(judged(counting('head', undefined, 1, 300)).outcome).toBe('regression');
  });

  // What is not counted cannot tell the machine's speed either, so smaller changes could hide.
  it.each([
    ['base', 1, undefined],
    ['both', undefined, undefined],
  ])('passes with a note if %s has no value', (missing, value, before) => {
    const base = { kind: 'stored', runs: stored.map(({ id }) => counting(id, before, 1)) } as const;
    const verdict = judged(counting('head', value, 1), 'fail', base);
    expect(verdict.cells[0]).toMatchObject({ outcome: 'coarse', uncounted: [{ missing }] });
  });

  it('is undecided if head stops counting after the first round', () => {
    const head = counting('head', 3, 1);
    const [first, ...others] = head.cells;
    const few = first?.blocks.map((block, index) => (index === 0 ? block : { ...block, signals: {} })) ?? [];
    const verdict = judged({
      ...head,
      cells: [...(first === undefined ? [] : [{ ...first, blocks: few }]), ...others],
    });
    expect(verdict.cells[0]).toMatchObject({
      outcome: 'undecided',
      signals: [{ moved: true, failed: false }],
      uncounted: [{ missing: 'head' }],
    });
  });

  it('has nothing to note if nothing is compared, or the signal only explains', () => {
    expect(judged(counting('head', undefined, 1), 'fail', { kind: 'none' }).cells[0]?.uncounted).toEqual([]);
    expect(judged(counting('head', undefined, 1), 'report')).toMatchObject({
      outcome: 'coarse',
      cells: [{ uncounted: [] }, { uncounted: [] }],
    });
  });
});

function slower(cell: Run['cells'][number]): Run['cells'][number] {
  const blocks = cell.blocks.map((block) => ({
    ...block,
    tps: block.tps / 2,
    usage: simulatedUsage(block.tps / 2),
  }));
  return { ...cell, blocks };
}

describe('a cost with gate suspect', () => {
  const head = counting('head', 3, 1);
  const first = judged(head, 'suspect');
  const measuredAgain = (run: Run, base: number, after: number): Verdict => {
    const again = { base: counting('base', base, 1), head: counting('again', after, 1) };
    return judgeMeasurements({ run, stored, again }, context('suspect'));
  };

  it('passes on its own, and has its cell re-measured', () => {
    expect(outcomes(first)).not.toContain('regression');
    expect(suspectCells(first)).toEqual(['scenario-0@peak']);
  });

  it('is a regression if the base commit shows the growth too', () => {
    const verdict = measuredAgain(head, 1, 3);
    expect(verdict.outcome).toBe('regression');
    expect(verdict.cells[0]).toMatchObject({ outcome: 'regression', signals: [{ failed: true, head: 3 }] });
    expect(verdict.comparison).toMatchObject({
      confirmed: { cells: [{ name: 'scenario-0@peak', outcome: 'regression' }] },
    });
    expect(verdict.cells[1]).toEqual(first.cells[1]);
  });

  it('is cleared if the base commit has the same cost', () => {
    const verdict = measuredAgain(head, 3, 3);
    expect(outcomes(verdict)).not.toContain('regression');
    expect(verdict.cells[0]?.signals).toMatchObject([{ failed: false }]);
  });

  it('stays undecided if the second measurement did not count it, or had another mix of requests', () => {
    const uncounted = counting('again', undefined, 1);
    const otherMix: Run = {
      ...counting('again', 3, 1),
      cells: counting('again', 3, 1).cells.map((cell) => ({
        ...cell,
        blocks: cell.blocks.map((block) => ({
          ...block,
          endpoints: block.endpoints.map((endpoint) => ({ ...endpoint, name: 'another' })),
        })),
      })),
    };
    for (const after of [uncounted, otherMix]) {
      const again = { base: counting('base', 1, 1), head: after };
      const verdict = judgeMeasurements({ run: head, stored, again }, context('suspect'));
      expect(verdict.cells[0]?.outcome).toBe('undecided');
    }
  });

  it('has nothing confirmed that the first measurement did not show', () => {
    expect(outcomes(measuredAgain(counting('head', 1, 1), 1, 3))).not.toContain('regression');
  });
});
