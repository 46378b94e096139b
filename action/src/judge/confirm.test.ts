import { describe, expect, it } from 'vitest';
import {
  commitOf,
  runOfTps as run,
  runOf,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
} from '../../test/simulation/simulated-run.ts';
import { byExcess } from '../model/excess.ts';
import { cellName, type Interleaved, type InvalidReason, type Run } from '../model/run.ts';
import { type MetricName, type MetricVerdict, type Verdict, verdictSchema } from '../model/verdict.ts';
import {
  isClearlySuspect,
  isConfirmed,
  isSettled,
  partsToConfirm,
  replaceStored,
  suspectCells,
  worseCells,
} from './confirm.ts';
import { judge } from './judge.ts';
import { judgeMeasurements } from './measurements.ts';

const when = { createdAt: '2026-01-01T00:20:00Z', seconds: 600 };

const optionsFor = (count: number) => ({
  ...simulatedOptions,
  cells: simulatedOptions.cells.slice(0, count),
});
const stored = ['a', 'b', 'c', 'd'].map((id) => run(id, 500, 500));

function screened(head: Run, runs: readonly Run[] = stored): Verdict {
  return judge({ run: head, base: { kind: 'stored', runs }, options: optionsFor(2), ...when });
}

function beside(base: Run, head: Run): Verdict {
  const side = { kind: 'side-by-side', run: base } as const;
  return judge({
    run: head,
    base: side,
    options: optionsFor(1),
    createdAt: '2026-01-01T00:30:00Z',
    seconds: 900,
  });
}

/** What both measurements come to. */
function confirmed(first: Run, base: Run, head: Run, runs: readonly Run[] = stored): Verdict {
  const looks = { run: first, stored: runs, again: { base, head } };
  const verdict = judgeMeasurements(looks, { options: optionsFor(2), ...when });
  expect(() => verdictSchema.parse(verdict)).not.toThrow();
  return verdict;
}

function metricOf({ cells }: Verdict, name: MetricName): MetricVerdict {
  const metric = cells[0]?.metrics.find((one) => one.metric === name);
  if (metric === undefined) throw new Error(`no ${name}`);
  return metric;
}

describe('suspectCells', () => {
  it('are those with a row that looks worse, proved or not', () => {
    expect(suspectCells(screened(run('head', 300, 500)))).toEqual(['scenario-0@peak']);
    const unsure = screened(run('head', 500, 447), stored.slice(0, 1));
    expect(unsure.outcome).toBe('undecided');
    expect(suspectCells(unsure)).toEqual(['scenario-1@peak']);
  });

  it('are all cells of a group that looks worse while none of them does', () => {
    const runs = Array.from({ length: 10 }, (_, index) => run(`long-${index}`, 500, 500));
    const options = optionsFor(2);
    const cells = options.cells.map((cell, index) => ({
      ...cell,
      scenario: 'scenario-0',
      load: `load-${index}`,
    }));
    const grouped = (one: Run): Run => ({
      ...one,
      cells: one.cells.map((cell, index) => ({ ...cell, scenario: 'scenario-0', load: `load-${index}` })),
    });
    const verdict = judge({
      run: grouped(run('head', 476, 476)),
      base: { kind: 'stored', runs: runs.map(grouped) },
      options: { ...options, cells },
      ...when,
    });
    expect(verdict.cells.flatMap(({ metrics }) => metrics.filter(({ suspect }) => suspect))).toEqual([]);
    expect(verdict.groups).toMatchObject([
      { scenario: 'scenario-0', cells: ['scenario-0@load-0', 'scenario-0@load-1'] },
    ]);
    expect(verdict.groups[0]?.metrics.find(({ suspect }) => suspect)).toMatchObject({ metric: 'tps' });
    expect(suspectCells(verdict)).toEqual(['scenario-0@load-0', 'scenario-0@load-1']);
    expect(partsToConfirm(verdict)).toEqual([suspectCells(verdict)]);
  });

  it('are none where nothing is tolerated and head is faster', () => {
    const strict = {
      ...optionsFor(1),
      tolerances: { p95: 0, tps: 0, errorRate: 0 },
      floors: { p95Ms: 0, meanMs: 0 },
    };
    const against = (tps: number) =>
      suspectCells(
        judge({ run: run('head', tps), base: { kind: 'stored', runs: stored }, options: strict, ...when }),
      );
    expect(against(600)).toEqual([]);
    expect(against(460)).toEqual(['scenario-0@peak']);
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

describe('a first measurement that ended early', () => {
  const whole = run('head', 300, 500);
  const judged = (head: Run, again?: Interleaved) =>
    judgeMeasurements({ run: head, stored, ...(again && { again }) }, { options: optionsFor(2), ...when });
  const early = (again?: Interleaved) => judged({ ...whole, endedEarly: true }, again);

  it('proves nothing alone', () => {
    expect([judged(whole), early()].map(({ outcome }) => outcome)).toEqual(['regression', 'undecided']);
    expect(suspectCells(early())).toEqual(suspectCells(judged(whole)));
    const scoresOf = ({ cells }: Verdict) => cells[0]?.metrics.map(({ score }) => score);
    expect(scoresOf(early())).toEqual(scoresOf(judged(whole)));
  });

  it.each([
    ['is confirmed', 300, 'regression'],
    ['is cleared', 500, 'pass'],
  ])('decides with a second one, which says that it %s', (_, tps, outcome) => {
    expect(early({ base: run('base', 500), head: run('head', tps) }).outcome).toBe(outcome);
  });
});

describe('isClearlySuspect', () => {
  it.each([
    ['if a time looks much worse', 300, stored, true],
    ['not if it may be chance', 447, stored.slice(0, 1), false],
    ['not if nothing looks worse', 500, stored, false],
  ])('%s', (_, tps, runs, expected) => {
    const verdict = screened(run('head', 500, tps), runs);
    expect(suspectCells(verdict)).toHaveLength(tps === 500 ? 0 : 1);
    expect(isClearlySuspect(verdict)).toBe(expected);
  });

  it('is nothing while another cell has no verdict', () => {
    const head = run('head', 300, 500);
    const disturbed: InvalidReason = { code: 'I_STEAL', cause: 'Stolen.', nextStep: 'Try later.' };
    const [first, second] = head.cells;
    if (first === undefined || second === undefined) throw new Error('a cell is missing');
    const blocks = second.blocks.map((block) => ({ ...block, invalid: [disturbed] }));
    expect(isClearlySuspect(screened({ ...head, cells: [first, { ...second, blocks }] }))).toBe(false);
  });

  it('is nothing while a count has grown that more rounds may prove', () => {
    const screen = (statements: (round: number) => number) => {
      const head = run('head', 300, 500);
      const cells = head.cells.map((cell) => ({
        ...cell,
        blocks: cell.blocks
          .slice(0, 2)
          .map((block) => ({ ...block, signals: { ...block.signals, statements: statements(block.round) } })),
      }));
      return screened({ ...head, cells });
    };
    const usual = screen(() => 2);
    const grown = screen((round) => (round === 0 ? 2.03 : 2.2));
    expect(
      [usual, grown].map(({ cells }) => cells[0]?.signals.find(({ name }) => name === 'statements')),
    ).toMatchObject([
      { moved: false, failed: false },
      { moved: true, failed: false },
    ]);
    expect([usual, grown].map(isClearlySuspect)).toEqual([true, false]);
  });

  it('is nothing while a count was read in too few rounds', () => {
    const head = run('head', 300, 500);
    const cells = head.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => (block.round === 0 ? block : { ...block, signals: {} })),
    }));
    const verdict = screened({ ...head, cells });
    expect(verdict.cells[0]?.uncounted).toMatchObject([{ missing: 'head' }, { missing: 'head' }]);
    expect(isClearlySuspect(verdict)).toBe(false);
  });
});

describe('partsToConfirm', () => {
  it('begins with the cell that looks worse most clearly, and measures the others together', () => {
    const [clearest, other] = ['scenario-1@peak', 'scenario-0@peak'];
    expect(partsToConfirm(screened(run('head', 450, 400)))).toEqual([[clearest], [other]]);
    expect(partsToConfirm(screened(run('head', 500, 300)))).toEqual([[clearest]]);
  });

  it('takes the surer cell for the clearest, even if another one grew by more', () => {
    const slower = run('head', 400);
    const longTail = simulatedCell(
      1,
      [0.99, 1, 1.01].map((factor, round) => simulatedBlock(round, 500 * factor, (1.6 * 200) / factor)),
    );
    const verdict = screened({ ...slower, cells: [...slower.cells, longTail] });
    expect(verdict.cells.toSorted(byExcess).map(cellName)).toEqual(['scenario-1@peak', 'scenario-0@peak']);
    expect(partsToConfirm(verdict)).toEqual([['scenario-0@peak'], ['scenario-1@peak']]);
  });

  it('measures all together if head fell silent', () => {
    const head = run('head', 450, 400);
    const silent = { code: 'I_ALL_FAILED', cause: 'All failed.', nextStep: 'Look.' };
    const cells = head.cells.map((cell, index) => ({
      ...cell,
      blocks: cell.blocks.map((block, round) =>
        index === 1 && round === cell.blocks.length - 1 ? { ...block, invalid: [silent] } : block,
      ),
    }));
    const verdict = screened({ ...head, cells });
    expect(partsToConfirm(verdict)).toEqual([['scenario-0@peak', 'scenario-1@peak']]);
  });
});

describe('a suspect that is measured again alone', () => {
  const both = run('head', 400, 300);
  const alone = (head: number, base = 500): Verdict => {
    const only = (id: string, tps: number): Run => {
      const { cells, ...rest } = run(id, 500, tps);
      return { ...rest, cells: cells.slice(1) };
    };
    return confirmed(both, only('base', base), only('head-2', head));
  };

  it('is enough if it fails the check, and the others keep what the first measurement says', () => {
    const verdict = alone(300);
    expect([isSettled(verdict), isConfirmed(verdict)]).toEqual([true, true]);
    expect(verdict.cells.map(({ outcome }) => outcome)).toEqual(
      screened(both).cells.map(({ outcome }) => outcome),
    );
    expect(verdict.comparison).toMatchObject({ confirmed: { spared: ['scenario-0@peak'] } });
    expect(worseCells(verdict)).toEqual(['scenario-1@peak']);
  });

  it('is settled but not enough if it is cleared, although the others still look worse', () => {
    const verdict = alone(500);
    expect([isSettled(verdict), isConfirmed(verdict)]).toEqual([true, false]);
  });

  it('needs more rounds where only the first measurement is sure', () => {
    const slow = run('head', 500, 455);
    const verdict = confirmed(slow, run('base', 500, 500), run('head-2', 500, 478));
    const other = metricOf({ ...verdict, cells: verdict.cells.slice(1) }, 'tps');
    expect(other.scoreAgain).toBeGreaterThan(1);
    expect(other.scoreAgain).toBeLessThan(2.4);
    expect(other).toMatchObject({ outcome: 'regression' });
    expect(other.score).toBeGreaterThan(4.2);
    expect([isSettled(verdict), isConfirmed(verdict)]).toEqual([false, false]);
  });
});

describe('a second measurement', () => {
  const head = run('head', 400, 500);

  it('clears what the machine caused: the interleaved base is as slow as head', () => {
    expect(screened(head).outcome).toBe('regression');
    const verdict = confirmed(head, run('base', 400), run('head-2', 400));
    expect(verdict.cells.map(({ outcome }) => outcome)).not.toContain('regression');
    expect(['pass', 'coarse']).toContain(verdict.outcome);
    expect(metricOf(verdict, 'tps')).toMatchObject({ suspect: true, provedWorse: false });
    expect(verdict.comparison).toMatchObject({
      kind: 'stored',
      confirmed: { baseCommit: commitOf('base'), cells: [{ name: 'scenario-0@peak' }] },
    });
  });

  it('confirms what base shows as well, and leaves the other cells alone', () => {
    const slow = run('head', 465, 500);
    const verdict = confirmed(slow, run('base', 480), run('head-2', 446.4));
    expect(verdict.outcome).toBe('regression');
    const [alone, both] = [metricOf(screened(slow), 'tps'), metricOf(verdict, 'tps')];
    expect(both.outcome).toBe('regression');
    expect(both.base).toBeCloseTo(480, 0);
    expect(both.head).toBeCloseTo(446.4, 0);
    expect(both.score).toBeGreaterThan(alone.score + 0.5);
    expect(both.change).toBeCloseTo(-0.07, 4);
    expect(verdict.cells[1]).toEqual(screened(slow).cells[1]);
  });

  it('proves together with the first one what neither proves alone', () => {
    const slight = run('head', 474, 500);
    expect(screened(slight).outcome).toBe('undecided');
    const [base, again] = [run('base', 500), run('head-2', 474)];
    expect(metricOf(beside(base, again), 'tps').score).toBeLessThan(3.6);
    const verdict = confirmed(slight, base, again);
    expect(metricOf(verdict, 'tps').score).toBeGreaterThan(3.6);
    expect(verdict.outcome).toBe('regression');
  });

  it('stands alone where it contradicts the first one', () => {
    const verdict = confirmed(head, run('base', 400), run('head-2', 396));
    const [tps, alone] = [
      metricOf(verdict, 'tps'),
      metricOf(beside(run('base', 400), run('head-2', 396)), 'tps'),
    ];
    expect(tps.change).toBeCloseTo(-0.01, 6);
    expect(tps.change).toBeCloseTo(alone.change, 6);
    expect(verdict.outcome).not.toBe('regression');
  });

  it('has to point the same way on its own, however sure the first one was', () => {
    // Blocks that scatter so much that they contradict nothing.
    const shaky = (id: string, tps: number): Run =>
      runOf(id, [
        simulatedCell(
          0,
          [0.5, 1, 2].map((factor, round) => simulatedBlock(round, tps * factor, 100_000 / (tps * factor))),
        ),
      ]);
    const loose = ['a', 'b', 'c', 'd'].map((id) => ({ ...run(id, 500, 500) }));
    const first = metricOf(screened(head, loose), 'tps');
    expect(first.score).toBeGreaterThan(3.6);
    const verdict = confirmed(head, shaky('base', 400), run('head-2', 400), loose);
    expect(metricOf(verdict, 'tps').outcome).not.toBe('regression');
  });

  it('confirms a row only on its own: errors are not confirmed by times', () => {
    const failing = (one: Run, errors: number): Run => ({
      ...one,
      cells: one.cells.map((cell, index) => ({
        ...cell,
        blocks: cell.blocks.map((block) => ({ ...block, errors: index === 0 ? errors : 0 })),
      })),
    });
    const wrong = failing(run('head', 500, 500), 1000);
    expect(metricOf(screened(wrong), 'errorRate').outcome).toBe('regression');
    const slower = confirmed(wrong, run('base', 500), run('head-2', 300));
    expect(metricOf(slower, 'errorRate').outcome).not.toBe('regression');
    // What the second measurement finds, it proves alone.
    expect(metricOf(slower, 'tps')).toMatchObject({ outcome: 'regression', suspect: false });
    const again = confirmed(wrong, run('base', 500), failing(run('head-2', 500), 1000));
    expect(metricOf(again, 'errorRate').outcome).toBe('regression');
  });

  it.each<[string, (one: Run) => Run]>([
    ['the whole of it was disturbed', (one) => ({ ...one, invalid: [stolen] })],
    [
      'its cell was disturbed',
      (one) => ({
        ...one,
        cells: one.cells.map((cell) => ({
          ...cell,
          blocks: cell.blocks.map((block) => ({ ...block, invalid: [stolen] })),
        })),
      }),
    ],
    ['head lacks the cell', (one) => ({ ...one, cells: [] })],
  ])('leaves the suspects undecided if %s, whatever the first one proved', (_, spoil) => {
    expect(metricOf(screened(head), 'tps').score).toBeGreaterThan(3.6);
    const verdict = confirmed(head, run('base', 500), spoil(run('head-2', 400)));
    expect(metricOf(verdict, 'tps').outcome).toBe('undecided');
    expect(verdict.outcome).toBe('undecided');
    expect(verdict.comparison).toMatchObject({
      confirmed: { cells: [{ name: 'scenario-0@peak', outcome: 'undecided' }] },
    });
  });
});

const stolen: InvalidReason = { code: 'I_STEAL', cause: 'Half the time was stolen.', nextStep: 'Try later.' };

describe('replaceStored', () => {
  const head = run('head', 300);
  const uncompared = judge({
    run: { ...head, fingerprint: { ...head.fingerprint, dataKey: 'without index' } },
    base: { kind: 'stored', runs: stored },
    options: optionsFor(1),
    ...when,
  });

  it('decides by the base commit, and still says which stored runs were of no use', () => {
    const verdict = replaceStored(uncompared, beside(run('base', 500), run('head-2', 300)));
    expect(() => verdictSchema.parse(verdict)).not.toThrow();
    expect(verdict).toMatchObject({ outcome: 'regression', runId: 'head', seconds: 900 });
    expect(verdict.comparison).toMatchObject({ kind: 'side-by-side', baseCommit: commitOf('base') });
    expect(verdict.comparison).toHaveProperty('mismatches.length', stored.length);
    expect(replaceStored(uncompared, beside(run('base', 300), run('head-2', 300))).outcome).not.toBe(
      'regression',
    );
  });

  it('is about the commit that was looked at first, whatever the other look says of its own', () => {
    const code = { commit: 'f'.repeat(40), branch: 'forged', dirty: true };
    const verdict = replaceStored(uncompared, beside(run('base', 500), { ...run('head-2', 300), code }));
    expect(verdict.code).toEqual(head.code);
  });

  it('says why that measurement cannot be trusted, if so', () => {
    const verdict = replaceStored(uncompared, beside(run('base', 500), run('head-2')));
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.cells[0]?.invalid).toMatchObject([{ code: 'I_CELL_MISSING' }]);
  });
});
