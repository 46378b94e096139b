import type { Dip } from './course.ts';
import type { Estimate } from './estimate.ts';
import type { ExperimentIdentity } from './experiment.ts';

/** Live objects of a class. */
export interface ClassCount {
  /** As the JVM prints it, such as `[B` for an array of bytes. */
  readonly name: string;
  readonly instances: number;
  readonly bytes: number;
}

/** With more failed requests than this share, a flat quantity shows nothing: what should grow is not reached. */
export const mostFailed = 0.05;

/** At this share of what there can be, a quantity is used up. */
export const usedUpShare = 0.98;

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
    /** Value in the middle of the time. */
    readonly level: number;
    /** Per minute, with a 99.99% interval. */
    readonly growth: Estimate;
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
  /** Virtual users of a closed loop, */
  readonly vus?: number;
  /** or passes per second that an open load starts. */
  readonly arrival?: number;
  readonly blockSeconds: number;
  readonly series: readonly SoakSeries[];
  /** Counted ones of all blocks. */
  readonly requests: number;
  /** 0 to 1. */
  readonly errorRate: number;
  readonly dips: readonly Dip[];
  /** Classes that grew most, the largest growth first. */
  readonly grown: readonly GrownClass[];
  /** Threads that became more, the largest growth first. */
  readonly grownThreads: readonly GrownThreads[];
}
