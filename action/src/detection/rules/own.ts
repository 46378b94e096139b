import { judgeFirstOfSuite } from '../../check/index.ts';
import { cellsToConfirm, type FirstJudged, isSettled, type Measurements } from '../../judge/index.ts';
import type { Plan } from '../../measure/index.ts';
import type { Config } from '../../model/config.ts';
import { cellName, type Interleaved, type Run } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { Trial } from '../trial.ts';

/** What a check needs besides what was measured. */
export interface Judging {
  readonly config: Config;
  readonly plan: Plan;
}

/** What this project's rule made of a trial. */
export interface OwnAnswer {
  readonly verdict: Verdict;
  /** Cells that looked worse at first and were re-measured. */
  readonly suspects: number;
  /** Rounds of the second measurement, and the cells in each of them; 0 without one. */
  readonly roundsAgain: number;
}

/** Head against stored runs, or interleaved with base from the start. */
export type Mode = 'stored' | 'side-by-side';

/** One part of the rule that can be left out, to see what it adds. */
export interface Lever {
  readonly name: string;
  readonly title: string;
  /** Changes what was measured, as if the part did not exist. */
  readonly run?: (run: Run, side: 'base' | 'head') => Run;
  readonly config?: (config: Config) => Config;
  /** What is known after the first measurement. */
  readonly first?: (verdict: Verdict) => Verdict;
  /** Leaves the second measurement out. */
  readonly once?: true;
  /** What is measured first; head alone by default. */
  readonly mode?: Mode;
}

/** Rounds of a first measurement and, at most, of a second one. */
export const roundsOfCheck = 4;
export const roundsOfConfirmation = 6;

const when = { createdAt: new Date(0), seconds: 0 };

export const whole: Lever = { name: 'whole', title: '(nothing)' };

/** Judges as `./gate check` does with `--compare auto` or `side-by-side`, through the same functions. */
export function ownAnswer(trial: Trial, judging: Judging, lever: Lever = whole): OwnAnswer {
  const change = lever.run ?? ((run: Run) => run);
  const config = lever.config?.(judging.config) ?? judging.config;
  const judged = judgeFirstOfSuite(config, judging.plan, firstMeasurement(trial, lever.mode, change), when);
  const judge: FirstJudged = (again) => {
    const verdict = judged(again);
    return lever.first?.(verdict) ?? verdict;
  };
  const screened = judge();
  const suspects = cellsToConfirm(screened);
  if (suspects.length === 0 || lever.once) {
    return { verdict: screened, suspects: suspects.length, roundsAgain: 0 };
  }
  // Asked after every second round, as a check does.
  for (let rounds = 2; ; rounds += 2) {
    const { base, head } = interleavedRounds(onlyCells(trial.again, suspects), rounds);
    const verdict = judge({ base: change(base, 'base'), head: change(head, 'head') });
    if (rounds >= roundsOfConfirmation || isSettled(verdict)) {
      return { verdict, suspects: suspects.length, roundsAgain: rounds };
    }
  }
}

/** What a check measures first, after the change that a lever makes. */
export function firstMeasurement(
  trial: Trial,
  mode?: Mode,
  change: NonNullable<Lever['run']> = (run) => run,
): Measurements {
  if (mode === 'side-by-side') {
    const { base, head } = interleavedRounds(trial.beside, roundsOfCheck);
    return { run: change(head, 'head'), base: change(base, 'base') };
  }
  return {
    run: change(trial.head, 'head'),
    stored: trial.history.map((run) => change(run, 'base')),
  };
}

export function firstRounds(run: Run, rounds: number): Run {
  const cells = run.cells.map((cell) => ({ ...cell, blocks: cell.blocks.slice(0, rounds) }));
  return { ...run, cells };
}

function interleavedRounds({ base, head }: Interleaved, rounds: number): Interleaved {
  return { base: firstRounds(base, rounds), head: firstRounds(head, rounds) };
}

function onlyCells({ base, head }: Interleaved, names: readonly string[]): Interleaved {
  const only = (run: Run): Run => ({
    ...run,
    cells: run.cells.filter((cell) => names.includes(cellName(cell))),
  });
  return { base: only(base), head: only(head) };
}
