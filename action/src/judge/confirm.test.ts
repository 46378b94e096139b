import { describe, expect, it } from 'vitest';
import type { Run } from '../model/run.ts';
import { type Verdict, verdictSchema } from '../model/verdict.ts';
import { confirm, suspectCells } from './confirm.ts';
import { judge } from './judge.ts';
import { runOf, simulatedBlock, simulatedCell, simulatedOptions } from './simulated-run.ts';

const when = { createdAt: '2026-01-01T00:20:00Z', seconds: 600 };

/** A run of one cell for each TPS; the others of the suite are not part of it. */
function run(id: string, ...tps: readonly number[]): Run {
  return runOf(
    id,
    tps.map((value, index) =>
      simulatedCell(
        index,
        [0.99, 1, 1.01].map((factor, round) =>
          simulatedBlock(round, value * factor, 100_000 / (value * factor)),
        ),
      ),
    ),
  );
}

const optionsFor = (count: number) => ({
  ...simulatedOptions,
  cells: simulatedOptions.cells.slice(0, count),
});
const stored = ['a', 'b', 'c', 'd'].map((id) => run(id, 500, 500));

function screened(head: Run): Verdict {
  return judge({ run: head, base: { kind: 'stored', runs: stored }, options: optionsFor(2), ...when });
}

function beside(base: Run, head: Run): Verdict {
  const side = { kind: 'side-by-side', run: base, commit: 'c0ffee' } as const;
  return judge({
    run: head,
    base: side,
    options: optionsFor(1),
    createdAt: '2026-01-01T00:30:00Z',
    seconds: 900,
  });
}

function confirmed(first: Verdict, second: Verdict): Verdict {
  const verdict = confirm(first, second);
  expect(() => verdictSchema.parse(verdict)).not.toThrow();
  return verdict;
}

describe('suspectCells', () => {
  it('are those that regressed, and those whose estimate alone is beyond the limit', () => {
    expect(suspectCells(screened(run('head', 300, 500)))).toEqual(['scenario-0@peak']);
    const unsure = judge({
      run: run('head', 500, 447),
      base: { kind: 'stored', runs: stored.slice(0, 1) },
      options: optionsFor(2),
      ...when,
    });
    expect(unsure.outcome).toBe('inconclusive');
    expect(suspectCells(unsure)).toEqual(['scenario-1@peak']);
  });

  it('are none where nothing looks worse, nothing was compared, or nothing can be trusted', () => {
    expect(suspectCells(screened(run('head', 500, 505)))).toEqual([]);
    expect(
      suspectCells(judge({ run: run('head', 100), base: { kind: 'none' }, options: optionsFor(1), ...when })),
    ).toEqual([]);
    const reason = { code: 'I_WARM_UP', cause: 'Cold.', nextStep: 'Wait.' };
    expect(suspectCells(screened({ ...run('head', 300, 500), invalid: [reason] }))).toEqual([]);
  });
});

describe('confirm', () => {
  const first = screened(run('head', 300, 500));

  it('passes what the machine did: base is as slow beside head', () => {
    const verdict = confirmed(first, beside(run('base', 300), run('head-2', 300)));
    expect(first.outcome).toBe('regression');
    expect(verdict.outcome).not.toBe('regression');
    expect(verdict.comparison).toMatchObject({
      kind: 'stored',
      confirmed: { baseCommit: 'c0ffee', cells: ['scenario-0@peak'] },
    });
    expect(verdict.seconds).toBe(900);
  });

  it('takes a metric that regressed for refuted even if another one could not be seen', () => {
    const second = beside(run('base', 300), run('head-2', 300));
    const unsure: Verdict = {
      ...second,
      outcome: 'inconclusive',
      cells: second.cells.map((cell) => ({
        ...cell,
        outcome: 'inconclusive',
        metrics: cell.metrics.map((metric) =>
          metric.metric === 'errorRate' ? { ...metric, outcome: 'inconclusive' } : metric,
        ),
      })),
    };
    const refuted = second.cells[0]?.metrics.every(
      ({ metric, outcome }) => metric === 'errorRate' || outcome === 'pass',
    );
    expect(refuted).toBe(true);
    expect(confirmed(first, unsure).outcome).toBe('inconclusive');
  });

  it('keeps what base shows as well, with the figures of that measurement', () => {
    const verdict = confirmed(first, beside(run('base', 480), run('head-2', 290)));
    expect(verdict.outcome).toBe('regression');
    expect(verdict.cells[0]?.head.tps).toBeCloseTo(290, 0);
    expect(verdict.cells[1]).toEqual(first.cells[1]);
  });

  it('does not give up a regression for a look that could not have seen it', () => {
    const shaky = runOf('base', [
      simulatedCell(
        0,
        [0.4, 1, 2].map((factor, round) => simulatedBlock(round, 300 * factor, 300 / factor)),
      ),
    ]);
    const second = beside(shaky, run('head-2', 300));
    expect(second.outcome).toBe('inconclusive');
    expect(confirmed(first, second).outcome).toBe('regression');
  });

  it('does not give up a regression for a look that cannot be trusted', () => {
    const second = beside(run('base', 300), run('head-2'));
    expect(second.outcome).toBe('invalid');
    const verdict = confirmed(first, second);
    expect(verdict.outcome).toBe('regression');
    expect(verdict.comparison).toMatchObject({ confirmed: { cells: [] } });
  });
});
