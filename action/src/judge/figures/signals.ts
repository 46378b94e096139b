import { median } from 'simple-statistics';
import type { SignalConfig, SignalGate } from '../../model/config.ts';
import type { Block } from '../../model/run.ts';
import type { SignalChange } from '../../model/verdict.ts';
import { bounded } from './cell-figures.ts';

/** The value of a signal in each round of a run. */
export type Levels = ReadonlyMap<number, number>;

/** Both sides of one round. */
interface Pair {
  readonly round: number;
  readonly base: number;
  readonly head: number;
}

interface Limits {
  /** As a share of base. */
  readonly tolerance: number;
  /** In the unit of the signal. */
  readonly floor: number;
  /** Absent for `higher`. */
  readonly worse?: SignalConfig['worse'];
  /** The share of base that comes on top, because the machine's speed may have changed the cost by as much. */
  readonly drift?: number;
}

const defaultTolerances: Readonly<Record<SignalGate, number>> = { report: 0.1, suspect: 0.1, fail: 0.02 };

/** Fewer rounds than this prove nothing, because one may be odd. */
export const fewestRounds = 2;

/** A growth has to exceed the scatter of an unchanged cost this many times. */
const timesScatter = 2;

/** A block without a value, such as one in which the counter restarted, is left out of its round. */
export function levelsOf(blocks: readonly Block[], name: string): Levels {
  const values = blocks.flatMap(({ round, signals }) => {
    const value = signals[name];
    return value === undefined ? [] : [{ round, value: bounded(value) }];
  });
  return medians(values);
}

function medians(values: readonly { readonly round: number; readonly value: number }[]): Levels {
  const single = new Map(values.map(({ round, value }) => [round, value]));
  if (single.size === values.length) return single;
  const rounds = Map.groupBy(values, ({ round }) => round);
  return new Map([...rounds].map(([round, all]) => [round, median(all.map(({ value }) => value))]));
}

/** In each round the median over the runs. */
export function typicalLevels(runs: readonly Levels[]): Levels {
  const [first = new Map(), second] = runs;
  if (second === undefined) return first;
  return medians(runs.flatMap((levels) => [...levels].map(([round, value]) => ({ round, value }))));
}

/** The rounds that both sides have. The first one costs more while caches fill, so rounds are never mixed. */
export function commonRounds(base: Levels, head: Levels): readonly Pair[] {
  return [...head]
    .flatMap(([round, value]) => {
      const before = base.get(round);
      return before === undefined ? [] : [{ round, base: before, head: value }];
    })
    .sort((left, right) => left.round - right.round);
}

/** True if both sides counted the cost, and it did not move beyond its limits in either direction. */
export function isUnmoved(
  base: readonly Block[],
  head: readonly Block[],
  name: string,
  { gate, tolerance = defaultTolerances[gate], floor }: SignalConfig,
): boolean {
  const pairs = commonRounds(levelsOf(base, name), levelsOf(head, name));
  if (pairs.length === 0) return false;
  const { base: before, head: after } = middle(pairs);
  return Math.abs(after - before) <= limitOf(before, { tolerance, floor });
}

/** The change, signed so that positive is worse. */
function worsening({ base, head }: Omit<Pair, 'round'>, { worse }: Pick<Limits, 'worse'>): number {
  return worse === 'lower' ? base - head : head - base;
}

function limitOf(base: number, { tolerance, floor, drift = 0 }: Omit<Limits, 'worse'>): number {
  return Math.max(tolerance * Math.abs(base), floor) + drift * Math.abs(base);
}

function exceeds(pair: Omit<Pair, 'round'>, limits: Limits): boolean {
  return worsening(pair, limits) > limitOf(pair.base, limits);
}

function middle(pairs: readonly Pair[]): Omit<Pair, 'round'> {
  return { base: median(pairs.map(({ base }) => base)), head: median(pairs.map(({ head }) => head)) };
}

/** Without the first round, in which caches fill, if enough others are left. */
function settled(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.length > fewestRounds ? pairs.slice(1) : pairs;
}

function range(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}

/** True if the median over rounds is beyond the limits, and not because of the first round alone, in which caches fill. */
function hasMoved(pairs: readonly Pair[], limits: Limits): boolean {
  const later = pairs.length > 1 ? pairs.slice(1) : pairs;
  const beyond = later.filter((pair) => exceeds(pair, limits));
  return exceeds(middle(pairs), limits) && 2 * beyond.length >= later.length;
}

/** True if the median over rounds and every settled round are beyond the limits. */
function growsThroughout(pairs: readonly Pair[], limits: Limits): boolean {
  return (
    pairs.length >= fewestRounds &&
    exceeds(middle(pairs), limits) &&
    settled(pairs).every((pair) => exceeds(pair, limits))
  );
}

/**
 * Whether a cost grew beyond doubt. It did so throughout, compared with the runs together and with the newest one: what
 * that one has as well is already accepted. The growth also exceeds what the cost varies by from round to round in
 * base, which a script with random steps causes. Head's own variation does not excuse it.
 */
function isProved(
  runs: readonly Levels[],
  accepted: Levels | undefined,
  head: Levels,
  limits: Limits,
): boolean {
  const pairs = commonRounds(typicalLevels(runs), head);
  if (!growsThroughout(pairs, limits)) return false;
  const newest = commonRounds(accepted ?? new Map(), head);
  if (newest.length >= fewestRounds && !growsThroughout(newest, limits)) return false;
  const scatters = runs.flatMap((levels) => {
    const own = settled(commonRounds(levels, head));
    return own.length < fewestRounds ? [] : [range(own.map(({ base }) => base))];
  });
  return scatters.length === 0 || worsening(middle(pairs), limits) > timesScatter * median(scatters);
}

interface ComparedWith {
  /** Blocks of the newest run, by default the last of base. */
  readonly newest?: readonly Block[] | undefined;
  /** A share of base, by which growth must exceed the limit to fail. */
  readonly drift?: number;
}

/**
 * The configured signals that both sides have in some round. Signals that failed come first, then those that moved.
 * `base` has the blocks of each run, oldest first.
 */
export function compareSignals(
  base: readonly (readonly Block[])[],
  head: readonly Block[],
  signals: Readonly<Record<string, SignalConfig>>,
  { newest = base.at(-1), drift = 0 }: ComparedWith = {},
): SignalChange[] {
  return Object.entries(signals)
    .flatMap(([name, { title, unit, gate, worse, tolerance = defaultTolerances[gate], floor, hint }]) => {
      const [runs, own] = [base.map((blocks) => levelsOf(blocks, name)), levelsOf(head, name)];
      const pairs = commonRounds(typicalLevels(runs), own);
      if (pairs.length === 0) return [];
      const limits = { tolerance, floor, worse };
      const values = middle(pairs);
      const change = values.base === 0 ? null : bounded((values.head - values.base) / Math.abs(values.base));
      const moved = hasMoved(pairs, limits);
      const isProvedBy = (accepted: Levels | undefined) =>
        isProved(runs, accepted, own, { ...limits, drift });
      return [
        {
          name,
          title,
          unit,
          ...values,
          change,
          ...(worse === 'lower' && { worse }),
          limit: bounded(limitOf(values.base, limits)),
          moved,
          gate,
          failed: gate === 'fail' && moved && isProvedBy(newest && levelsOf(newest, name)),
          hint,
        },
      ];
    })
    .sort(
      (left, right) => Number(right.failed) - Number(left.failed) || Number(right.moved) - Number(left.moved),
    );
}
