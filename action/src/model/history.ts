import type { MetricName } from './metric.ts';
import type { Fingerprint } from './run.ts';

/** What somebody decided about a run. Every kind is shown at the run, in charts and tables alike. */
export interface HistoryMark {
  readonly kind: 'release' | 'accepted';
  readonly name: string;
}

export interface HistoryRun {
  readonly id: string;
  readonly startedAt: string;
  readonly commit: string;
  readonly marks: readonly HistoryMark[];
}

export interface HistoryPoint {
  /** Position in the runs of the group. */
  readonly run: number;
  /** In the metric's unit, at the machine speed of the group's newest run. */
  readonly value: number;
  /** What the runs before it had, and what a check would tolerate; absent for the first run. */
  readonly tolerated?: { readonly usual: number; readonly limit: number };
}

/** Where the level of a metric changed and stayed. */
export interface HistoryChange {
  /** Position of the first run after the change. */
  readonly run: number;
  /** Mean values up to it and from it, up to the next change. */
  readonly before: number;
  readonly after: number;
}

export interface HistorySeries {
  readonly metric: MetricName;
  readonly points: readonly HistoryPoint[];
  readonly changes: readonly HistoryChange[];
}

export interface HistoryCell {
  readonly name: string;
  readonly series: readonly HistorySeries[];
}

/** Runs that are comparable with each other, oldest first. */
export interface HistoryGroup {
  readonly suite: string;
  readonly fingerprint: Fingerprint;
  readonly runs: readonly HistoryRun[];
  readonly cells: readonly HistoryCell[];
}

/** What the default branch did over its commits. The group that was measured last comes first. */
export interface History {
  readonly groups: readonly HistoryGroup[];
}
