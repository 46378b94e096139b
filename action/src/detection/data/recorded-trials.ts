import type { Interleaved, Run } from '../../model/run.ts';
import { createRandom, type Random } from '../../stats/index.ts';
import { type Effect, withEffect } from '../effects.ts';
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

/** Which runs make a trial. */
export interface TrialPlan {
  /** Which way the runs are halved; in each, either half tests once. */
  readonly split: number;
  /** The half that head belongs to; the other one is the history, and calibrates. */
  readonly half: 0 | 1;
  /** Positions in the recorded runs. */
  readonly head: number;
  /** In time order. */
  readonly history: readonly number[];
  /** The cell that a change touches. */
  readonly cell: number;
  readonly seed: number;
}

/** As many runs as a check compares with. */
export const mostHistory = 10;
/** All ways to halve this many runs are few enough to take. */
const fewRuns = 6;

/**
 * Every run is the head of as many trials as any other. Histories are drawn from the half that head is not in, and keep
 * their order in time. `splits` is how many ways of halving are drawn where there are many.
 */
export function planTrials(
  count: number,
  cells: number,
  splits: number,
  random: Random,
): readonly TrialPlan[] {
  const halvings = count <= fewRuns ? allHalvings(count) : drawnHalvings(count, splits, random);
  let next = 0;
  return halvings.flatMap((members, split) =>
    Array.from({ length: count }, (_, head): TrialPlan => {
      const isIn = members.has(head);
      const others = Array.from({ length: count }, (__, at) => at).filter((at) => members.has(at) !== isIn);
      const history = draw(others, mostHistory, random).toSorted((a, b) => a - b);
      const plan = {
        split,
        half: isIn ? 1 : 0,
        head,
        history,
        cell: (head + split) % cells,
        seed: next,
      } as const;
      next++;
      return plan;
    }),
  );
}

/** Each half holds the first run in one of two mirrored halvings, so those without it are left out. */
function allHalvings(count: number): readonly ReadonlySet<number>[] {
  const size = Math.floor(count / 2);
  return Array.from(
    { length: 2 ** count },
    (_, bits) => new Set(Array.from({ length: count }, (__, at) => at).filter((at) => (bits >> at) & 1)),
  ).filter((members) => members.size === size && (members.has(0) || count % 2 === 1));
}

function drawnHalvings(count: number, splits: number, random: Random): readonly ReadonlySet<number>[] {
  const all = Array.from({ length: count }, (_, at) => at);
  return Array.from({ length: splits }, () => new Set(draw(all, Math.floor(count / 2), random)));
}

function draw<One>(from: readonly One[], count: number, random: Random): readonly One[] {
  const left = [...from];
  return Array.from(
    { length: Math.min(count, from.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0],
  ).filter((one): one is NonNullable<typeof one> => one !== undefined);
}

/** Rounds of a pair that rules may look at which interleave from the start. */
const roundsBeside = 8;

/** The trial that was planned, with the effect on head in the planned cell, or in all of them. */
export function recordedTrial(
  { runs, pairs }: RecordedData,
  { head, history, cell, seed }: Pick<TrialPlan, 'head' | 'history' | 'cell' | 'seed'>,
  effect?: Effect,
  everywhere = false,
): Trial {
  const at = (index: number): Run => {
    const found = runs[index];
    if (found === undefined) throw new Error(`there is no recorded run ${index}`);
    return found.run;
  };
  const random = createRandom(seed);
  // Not the same pair twice: a false alarm would confirm itself.
  const drawn = draw(pairs, 2, random);
  const pairFor = (pair: RecordedPair | undefined, name: string): Interleaved =>
    pair === undefined
      ? resampledPair(random, at(head), name, roundsBeside)
      : { base: pair.base.run, head: pair.head.run };
  const [beside, again] = [pairFor(drawn[0], 'beside'), pairFor(drawn[1], 'again')];
  const cells = everywhere ? [...at(head).cells.keys()] : [cell];
  const changed = (run: Run) => withEffect(run, effect, cells);
  return {
    history: history.map(at),
    head: changed(at(head)),
    beside: { base: beside.base, head: changed(beside.head) },
    again: { base: again.base, head: changed(again.head) },
  };
}
