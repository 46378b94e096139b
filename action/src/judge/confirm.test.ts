import { describe, expect, it } from 'vitest';
import {
  commitOf,
  runOfTps as run,
  runOf,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
} from '../../test/simulation/simulated-run.ts';
import type { Run } from '../model/run.ts';
import { type Verdict, verdictSchema } from '../model/verdict.ts';
import { confirm, replaceStored, suspectCells } from './confirm.ts';
import { judge } from './judge.ts';

const when = { createdAt: '2026-01-01T00:20:00Z', seconds: 600 };

const optionsFor = (count: number) => ({
  ...simulatedOptions,
  cells: simulatedOptions.cells.slice(0, count),
});
const stored = ['a', 'b', 'c', 'd'].map((id) => run(id, 500, 500));

function screened(head: Run): Verdict {
  return judge({ run: head, base: { kind: 'stored', runs: stored }, options: optionsFor(2), ...when });
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
    expect(unsure.outcome).toBe('coarse');
    expect(suspectCells(unsure)).toEqual(['scenario-1@peak']);
  });

  it('are none where nothing is tolerated and head is faster', () => {
    const strict = {
      ...optionsFor(1),
      tolerances: { p95: 0, tps: 0, errorRate: 0 },
      floors: { p95Ms: 0, meanMs: 0 },
    };
    const faster = judge({
      run: run('head', 600),
      base: { kind: 'stored', runs: stored },
      options: strict,
      ...when,
    });
    expect(suspectCells(faster)).toEqual([]);
    const slower = judge({
      run: run('head', 490),
      base: { kind: 'stored', runs: stored },
      options: strict,
      ...when,
    });
    expect(suspectCells(slower)).toEqual(['scenario-0@peak']);
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

  it('passes what the machine caused: the interleaved base is as slow as head', () => {
    const verdict = confirmed(first, beside(run('base', 300), run('head-2', 300)));
    expect(first.outcome).toBe('regression');
    expect(verdict.outcome).not.toBe('regression');
    expect(verdict.comparison).toMatchObject({
      kind: 'stored',
      confirmed: { baseCommit: commitOf('base'), cells: [{ name: 'scenario-0@peak' }] },
    });
    expect(verdict.seconds).toBe(900);
  });

  it('keeps what base shows as well, with the figures of that measurement', () => {
    const verdict = confirmed(first, beside(run('base', 480), run('head-2', 290)));
    expect(verdict.outcome).toBe('regression');
    expect(verdict.cells[0]?.head.tps).toBeCloseTo(290, 0);
    expect(verdict.cells[1]).toEqual(first.cells[1]);
  });

  /** Blocks that scatter so much that nothing can be proved by them. */
  const shaky = (id: string, tps: number): Run =>
    runOf(id, [
      simulatedCell(
        0,
        [0.5, 1, 2].map((factor, round) => simulatedBlock(round, tps * factor, 100_000 / (tps * factor))),
      ),
    ]);

  it('keeps a regression that base bears out without being able to prove it', () => {
    const second = beside(shaky('base', 480), run('head-2', 300));
    expect(second.outcome).toBe('coarse');
    const verdict = confirmed(first, second);
    expect(verdict.outcome).toBe('regression');
    expect(verdict.cells[0]).toEqual(first.cells[0]);
    expect(verdict.comparison).toMatchObject({
      confirmed: { cells: [{ name: 'scenario-0@peak', outcome: 'coarse' }] },
    });
  });

  it('gives up a regression that base shows nothing of, even if it could not have been seen there', () => {
    const second = beside(shaky('base', 300), run('head-2', 300));
    expect(second.outcome).toBe('coarse');
    expect(confirmed(first, second).outcome).toBe('coarse');
  });

  it('drops a regression if the interleaved base is slower than head', () => {
    const second = beside(shaky('base', 200), run('head-2', 300));
    expect(second.outcome).toBe('coarse');
    expect(confirmed(first, second).outcome).toBe('coarse');
  });

  it('gives up a regression of one metric where only another one looks worse', () => {
    const { cells, ...head } = run('head', 500, 500);
    const failing = cells.map((cell, index) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({ ...block, errors: index === 0 ? block.requests / 5 : 0 })),
    }));
    const wrong = screened({ ...head, cells: failing });
    expect(wrong.cells[0]?.metrics.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'regression']);
    expect(confirmed(wrong, beside(shaky('base', 480), run('head-2', 300))).outcome).toBe('coarse');
  });

  it('does not drop a regression for a confirmation that cannot be trusted', () => {
    const second = beside(run('base', 300), run('head-2'));
    expect(second.outcome).toBe('invalid');
    const verdict = confirmed(first, second);
    expect(verdict.outcome).toBe('regression');
    expect(verdict.comparison).toMatchObject({
      confirmed: { cells: [{ name: 'scenario-0@peak', outcome: 'invalid' }] },
    });
  });
});

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
