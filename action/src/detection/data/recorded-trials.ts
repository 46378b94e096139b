import { sample } from 'simple-statistics';
import { consideredRuns, differencesBetween, isOfMachine } from '../../judge/index.ts';
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

/** Which runs make a trial. Runs and pairs are named by their positions in the recorded data. */
export interface TrialPlan {
  /** The half of its comparable heads that head is in, by time. Each half sets limits that are tested in the other one. */
  readonly half: 0 | 1;
  readonly head: number;
  /** In time order, all before head. */
  readonly history: readonly number[];
  /** Interleaved from the start; undefined if no comparable pair is recorded in this half. */
  readonly beside?: number;
  /** Interleaved as confirmation. Never the same as `beside`, because a false alarm would then confirm itself. */
  readonly again?: number;
  /** The cell that a change touches. */
  readonly cell: number;
  readonly seed: number;
}

/** The positions of runs that are comparable with each other, group by group, each in time order. */
export function comparableGroups(
  runs: readonly RecordedRun[],
  areOfOneGroup = areComparable,
): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (const [position, run] of runs.entries()) {
    const own = groups.find(([first = position]) => areOfOneGroup(runs[first], run));
    if (own === undefined) groups.push([position]);
    else own.push(position);
  }
  return groups;
}

/** True if the runs are comparable, or would be if they had been measured on the same machine. */
export function haveOneLoad(one: RecordedRun | undefined, other: RecordedRun | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return differencesBetween(one.run, other.run).every(({ field }) => isOfMachine(field));
}

function areComparable(one: RecordedRun | undefined, other: RecordedRun | undefined): boolean {
  return one !== undefined && other !== undefined && differencesBetween(one.run, other.run).length === 0;
}

/** Positions of the pairs that are comparable with the run at a position, in time order. */
export function comparablePairs({ runs, pairs }: RecordedData, run: number): readonly number[] {
  return [...pairs.keys()].filter((position) => areComparable(pairs[position]?.base, runs[run]));
}

function halvesOf(positions: readonly number[]): readonly [readonly number[], readonly number[]] {
  const middle = Math.floor(positions.length / 2);
  return [positions.slice(0, middle), positions.slice(middle)];
}

/**
 * Every run that has enough comparable ones before it is the head of `repeats` trials, in which the change touches
 * different cells. History is what was stored before head, as in a check. The time is halved for each group of comparable
 * runs on its own, so that a limit is not set on one machine and tested on another.
 */
export function planTrials(
  { runs, pairs }: RecordedData,
  cells: number,
  repeats: number,
  random: Random,
): readonly TrialPlan[] {
  return comparableGroups(runs)
    .flatMap((group) => {
      const heads = halvesOf(group.slice(fewestHistory));
      const ownPairs = halvesOf(comparablePairs({ runs, pairs }, group[0] ?? 0));
      return ([0, 1] as const).flatMap((half) =>
        heads[half].map((head) => ({ half, head, history: historyOf(group, head), own: ownPairs[half] })),
      );
    })
    .toSorted((a, b) => a.head - b.head)
    .flatMap(({ half, head, history, own }, nth) => {
      // At random, because what changes from head to head, such as a neighbour, must not come with the same cells.
      const touched = sample([...Array(cells).keys()], repeats, random);
      return Array.from({ length: repeats }, (_, repeat): TrialPlan => {
        const seed = nth * repeats + repeat;
        const beside = own[seed % Math.max(1, own.length)];
        const others = own.filter((pair) => pair !== beside);
        const again = others[Math.floor(random() * others.length)];
        return {
          half,
          head,
          history,
          ...(beside !== undefined && { beside }),
          ...(again !== undefined && { again }),
          cell: touched[repeat % touched.length] ?? 0,
          seed,
        };
      });
    });
}

/** The newest comparable runs before this one, of which a check chooses its base. */
function historyOf(group: readonly number[], head: number): readonly number[] {
  return group.filter((position) => position < head).slice(-consideredRuns);
}

/** Rounds of a pair that rules may look at which interleave from the start. */
const roundsBeside = 8;

/** What is done to recorded runs to make a trial of them. */
interface TrialSetup {
  readonly effect?: Effect;
  /** Puts the effect into all cells, and not into the planned one alone. */
  readonly everywhere?: true;
  /** Of a first measurement. */
  readonly rounds?: number;
}

/** The trial that was planned, with the effect in head. */
export function recordedTrial(
  { runs, pairs }: RecordedData,
  { head, history, beside, again, cell, seed }: Omit<TrialPlan, 'half'>,
  { effect, everywhere, rounds = roundsOfCheck }: TrialSetup = {},
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
    history: history.map((one) => firstRounds(at(one), rounds)),
    head: changed(firstRounds(at(head), rounds)),
    beside: pairAt(beside, 'beside'),
    again: pairAt(again, 'again'),
  };
}
