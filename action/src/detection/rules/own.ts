import { judgeFirstOfSuite } from '../../check/index.ts';
import {
  type FirstJudged,
  isClearlySuspect,
  isConfirmed,
  isSettled,
  type Measurements,
  partsToConfirm,
  suspectCells,
} from '../../judge/index.ts';
import type { Plan } from '../../measure/index.ts';
import type { Config } from '../../model/config.ts';
import { cellName, type Run } from '../../model/run.ts';
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
  /** Cells that looked worse at first, whether or not they were re-measured. */
  readonly suspects: number;
  /** Rounds of the first measurement. */
  readonly rounds: number;
  /** Blocks of the second measurement on each side; 0 without one. */
  readonly blocksAgain: number;
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
  /** Chooses stored runs at any speed of the machine. */
  readonly anySpeed?: true;
  /** What is measured first; head alone by default. */
  readonly mode?: Mode;
}

/** Rounds of a first measurement and, at most, of a second one. */
export const roundsOfCheck = 4;
export const roundsOfConfirmation = 6;
/** A check asks after so many rounds whether it needs more. */
const roundsUntilAsked = 2;

const when = { createdAt: new Date(0), seconds: 0, skipsEndpoints: true };

export const whole: Lever = { name: 'whole', title: '(nothing)' };

/** Judges as `./gate check` does with `--compare auto` or `side-by-side`, through the same functions. */
export function ownAnswer(trial: Trial, judging: Judging, lever: Lever = whole): OwnAnswer {
  const change = lever.run ?? ((run: Run) => run);
  const config = lever.config?.(judging.config) ?? judging.config;
  const judgedBy = (measured: Measurements): FirstJudged => {
    const judged = judgeFirstOfSuite(config, judging.plan, measured, {
      ...when,
      ...(lever.anySpeed && { anySpeed: true }),
    });
    return (again) => {
      const verdict = judged(again);
      return lever.first?.(verdict) ?? verdict;
    };
  };
  const all = firstMeasurement(trial, lever.mode, change);
  const begun = { ...all, run: { ...firstRounds(all.run, roundsUntilAsked), endedEarly: true as const } };
  const mayEndEarly = all.base === undefined && !lever.once;
  const isShort = mayEndEarly && isClearlySuspect(judgedBy(begun)());
  const rounds = isShort ? roundsUntilAsked : roundsOfCheck;
  const judge = judgedBy(isShort ? begun : all);
  let verdict = judge();
  const suspects = suspectCells(verdict).length;
  if (suspects === 0 || lever.once) return { verdict, suspects, rounds, blocksAgain: 0 };
  const taken = new Map<string, number>();
  for (const part of partsToConfirm(verdict)) {
    for (let again = roundsUntilAsked; again <= roundsOfConfirmation; again += roundsUntilAsked) {
      for (const name of part) taken.set(name, again);
      const { base, head } = trial.again;
      verdict = judge({
        base: change(firstRoundsOf(base, taken), 'base'),
        head: change(firstRoundsOf(head, taken), 'head'),
      });
      if (isSettled(verdict)) break;
    }
    if (isConfirmed(verdict)) break;
  }
  const blocksAgain = [...taken.values()].reduce((sum, blocks) => sum + blocks, 0);
  return { verdict, suspects, rounds, blocksAgain };
}

/** What a check measures first, after the change that a lever makes. */
export function firstMeasurement(
  trial: Trial,
  mode?: Mode,
  change: NonNullable<Lever['run']> = (run) => run,
): Measurements {
  if (mode === 'side-by-side') {
    const { base, head } = trial.beside;
    return {
      run: change(firstRounds(head, roundsOfCheck), 'head'),
      base: change(firstRounds(base, roundsOfCheck), 'base'),
    };
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

/** The first blocks of the named cells, as many as given. */
function firstRoundsOf(run: Run, rounds: ReadonlyMap<string, number>): Run {
  const cells = run.cells.flatMap((cell) => {
    const own = rounds.get(cellName(cell));
    return own === undefined ? [] : [{ ...cell, blocks: cell.blocks.slice(0, own) }];
  });
  return { ...run, cells };
}
