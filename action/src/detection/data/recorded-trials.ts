import { differencesBetween } from '../../judge/index.ts';
import type { Interleaved, Run } from '../../model/run.ts';
import { createRandom, type Random } from '../../stats/index.ts';
import { type Effect, withEffect } from '../effects.ts';
import { firstRounds, roundsOfCheck } from '../rules/own.ts';
import type { Trial } from '../trial.ts';
import { pairsOf, type RecordedPair, type RecordedRun, unchangedRuns } from './recorded-run.ts';
import { resampledPair } from './resampled-pair.ts';

/** What may be drawn for a trial: whole runs only, so that a run is the cluster of all that was measured in it. */
export interface RecordedData {
  /** Unchanged and measured alone, in time order. */
  readonly runs: readonly RecordedRun[];
  /** Unchanged on both sides, in time order. */
  readonly pairs: readonly RecordedPair[];
}

export function recordedData(recorded: readonly RecordedRun[]): RecordedData {
  return {
    runs: unchangedRuns(recorded),
    pairs: pairsOf(recorded).filter(({ base, head }) => base.change === '' && head.change === ''),
  };
}

/** With fewer stored runs a check depends on what is expected of machines in general. */
export const fewestHistory = 3;
/** As many runs as a check compares with. */
const mostHistory = 10;

/** Which runs make a trial. Runs and pairs are named by their positions in the recorded data. */
export interface TrialPlan {
  /** The half of the time that head and pairs were recorded in: the first calibrates, and the second tests. */
  readonly half: 0 | 1;
  readonly head: number;
  /** In time order, all before head. */
  readonly history: readonly number[];
  /** Interleaved from the start; undefined if no pair is recorded in this half. */
  readonly beside?: number;
  /** Interleaved as confirmation. Never the same as `beside`, because a false alarm would then confirm itself. */
  readonly again?: number;
  /** The cell that a change touches. */
  readonly cell: number;
  readonly seed: number;
}

/**
 * Every run that has enough comparable ones before it is the head of `repeats` trials, in which the change touches
 * different cells. History is what was stored before head, as in a check.
 */
export function planTrials(
  { runs, pairs }: RecordedData,
  cells: number,
  repeats: number,
  random: Random,
): readonly TrialPlan[] {
  const halfOf = (position: number, count: number) => (position < Math.floor(count / 2) ? 0 : 1);
  const pairsIn = ([0, 1] as const).map((half) =>
    [...pairs.keys()].filter((position) => halfOf(position, pairs.length) === half),
  );
  return [...runs.keys()]
    .map((head) => ({ head, history: historyOf(runs, head) }))
    .filter(({ history }) => history.length >= fewestHistory)
    .flatMap(({ head, history }, nth) =>
      Array.from({ length: repeats }, (_, repeat): TrialPlan => {
        const half = halfOf(head, runs.length);
        const seed = nth * repeats + repeat;
        const own = pairsIn[half] ?? [];
        const beside = own[seed % Math.max(1, own.length)];
        const others = own.filter((pair) => pair !== beside);
        const again = others[Math.floor(random() * others.length)];
        return {
          half,
          head,
          history,
          ...(beside !== undefined && { beside }),
          ...(again !== undefined && { again }),
          cell: (nth + repeat * Math.max(1, Math.floor(cells / repeats))) % cells,
          seed,
        };
      }),
    );
}

/** The newest runs before this one that are comparable with it, as they are stored for a check. */
function historyOf(runs: readonly RecordedRun[], head: number): readonly number[] {
  const isComparable = (position: number) => {
    const [base, own] = [runs[position]?.run, runs[head]?.run];
    return base !== undefined && own !== undefined && differencesBetween(base, own).length === 0;
  };
  return [...runs.keys()].slice(0, head).filter(isComparable).slice(-mostHistory);
}

/** Rounds of a pair that rules may look at which interleave from the start. */
const roundsBeside = 8;

/**
 * The trial that was planned, with as many rounds as a check has. The effect is put into head: into the planned cell, or into
 * all of them.
 */
export function recordedTrial(
  { runs, pairs }: RecordedData,
  { head, history, beside, again, cell, seed }: Omit<TrialPlan, 'half'>,
  effect?: Effect,
  everywhere = false,
): Trial {
  const at = (index: number): Run => {
    const found = runs[index];
    if (found === undefined) throw new Error(`there is no recorded run ${index}`);
    return found.run;
  };
  const random = createRandom(seed);
  const cells = everywhere ? [...at(head).cells.keys()] : [cell];
  const changed = (run: Run) => withEffect(run, effect, cells);
  const pairAt = (position: number | undefined, name: string): Interleaved => {
    const pair = position === undefined ? undefined : pairs[position];
    const sides =
      pair === undefined
        ? resampledPair(random, at(head), name, roundsBeside)
        : { base: pair.base.run, head: pair.head.run };
    return { base: sides.base, head: changed(sides.head) };
  };
  return {
    history: history.map((one) => firstRounds(at(one), roundsOfCheck)),
    head: changed(firstRounds(at(head), roundsOfCheck)),
    beside: pairAt(beside, 'beside'),
    again: pairAt(again, 'again'),
  };
}
