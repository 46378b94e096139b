import type { Series } from '../trial.ts';

/**
 * A rule that other tools judge with. It sees one figure of one cell at a time, and a check fails if any of them does.
 * Every figure is turned so that the rule can say how far it is beyond its limit.
 */
export interface Peer {
  /** Stable, for the results. */
  readonly name: string;
  readonly title: string;
  /** Where the rule is written down: the source that was followed, or the documentation of a closed one. */
  readonly source: string;
  /** What has to be measured for one check. */
  readonly measures: 'head' | 'base-then-head' | 'interleaved';
  /**
   * How far head is worse, in multiples of the limit: the rule fails head above 1, and head is no worse at 0 or below.
   * Undefined if it cannot say. The other limits of the rule, such as a level of significance, are part of it: where they
   * are not met, the value is 0.
   */
  readonly score: (series: Series) => number | undefined;
}

/** The newest value of the history; undefined without one. */
export function newest({ history }: Series): number | undefined {
  return history.at(-1);
}

/** How far `value` is on the worse side of `from`, in multiples of `distance`. */
export function beyond(
  { worse }: Pick<Series, 'worse'>,
  from: number,
  value: number,
  distance: number,
): number {
  const by = worse === 'higher' ? value - from : from - value;
  if (by <= 0) return 0;
  return distance > 0 ? by / distance : Number.POSITIVE_INFINITY;
}
