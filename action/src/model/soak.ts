import type { Dip } from './course.ts';
import type { Estimate } from './estimate.ts';
import { type ExperimentIdentity, mostFailed } from './experiment.ts';

/** Live objects of a class. */
export interface ClassCount {
  /** As the JVM prints it, such as `[B` for an array of bytes. */
  readonly name: string;
  readonly instances: number;
  readonly bytes: number;
}

/** At this share of what there can be, a quantity is used up. */
const usedUpShare = 0.98;

/** True if all there can be was in use in the second half of the time. */
export function isUsedUp(points: readonly { readonly value: number }[], most: number | undefined): boolean {
  const later = points.slice(-Math.ceil(points.length / 2));
  return most !== undefined && most > 0 && later.every(({ value }) => value >= usedUpShare * most);
}

/** How a quantity is written. */
export type SoakUnit = 'bytes' | 'ms' | '/s' | '';

/** One quantity over the whole time, by blocks. */
export interface SoakSeries {
  readonly name: string;
  readonly title: string;
  readonly unit: SoakUnit;
  /** Minutes since the first request, and the value of that block. */
  readonly points: readonly { readonly at: number; readonly value: number }[];
  /** Absent with too few blocks. */
  readonly trend?: {
    /** Minutes since the first request between which it was fitted. It ends before a collapse. */
    readonly from: number;
    readonly to: number;
    /** Value in the middle of that time. */
    readonly level: number;
    /** Per minute, with a 99.99% interval. */
    readonly growth: Estimate;
    /** True if growth is beyond chance, and of something that should not grow. */
    readonly grows: boolean;
    /** True if growth is beyond chance and large, or if all there can be is in use although nothing needs it. */
    readonly leaks: boolean;
    /** Hours until the limit, at this growth; absent if it has none or does not leak. */
    readonly hoursLeft?: number;
  };
  /** What the quantity can be at most, if that is known. */
  readonly most?: number;
}

export interface GrownClass extends ClassCount {
  /** Growth in bytes and instances since the first block. */
  readonly moreBytes: number;
  readonly moreInstances: number;
}

/** Threads whose names differ only in their numbers, such as `http-nio-#-exec-#`. */
export interface GrownThreads {
  readonly name: string;
  /** More of them after the last block than after the first. */
  readonly more: number;
}

/** What soak.json holds. */
export interface Soak extends ExperimentIdentity {
  readonly schema: 1;
  /** `scenario@load` */
  readonly cell: string;
  /** Virtual users; absent for an open load. */
  readonly vus?: number;
  /** Passes that begin per second; absent for a closed loop. */
  readonly arrival?: number;
  readonly blockSeconds: number;
  readonly series: readonly SoakSeries[];
  /** Counted ones of all blocks. */
  readonly requests: number;
  /** 0 to 1. */
  readonly errorRate: number;
  /** Mean over the blocks of the share of requests that failed, 0 to 1. A service that hangs answers few, so `errorRate` hides it. */
  readonly failedShare: number;
  readonly dips: readonly Dip[];
  /** Minutes since the first request from which on the service answered less than half as much; trends end there. */
  readonly collapsedAt?: number;
  /** Classes that grew most, the largest growth first. */
  readonly grown: readonly GrownClass[];
  /** Threads that became more, the largest growth first. */
  readonly grownThreads: readonly GrownThreads[];
}

/**
 * leaks: something grows, or is not given back. failing: too many requests failed to say. partial: it ended early. short:
 * no quantity has a trend. flat: nothing leaks.
 */
export function soakOutcome({
  series,
  failedShare,
  partial,
}: Pick<Soak, 'series' | 'failedShare' | 'partial'>): 'leaks' | 'failing' | 'partial' | 'short' | 'flat' {
  if (series.some(({ trend }) => trend?.leaks)) return 'leaks';
  if (failedShare > mostFailed) return 'failing';
  if (partial !== undefined) return 'partial';
  return series.some(({ trend }) => trend !== undefined) ? 'flat' : 'short';
}
