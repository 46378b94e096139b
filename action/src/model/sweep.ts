import type { ExperimentIdentity } from './experiment.ts';

/** One combination of values: variable to value. */
export type Variant = Readonly<Record<string, string>>;

/** What one boot with the values came to. */
export interface SweepBoot {
  /** Requests per second. */
  readonly tps: number;
  readonly p95Ms: number;
  /** 0 to 1. */
  readonly errorRate: number;
  /** Share of the machine's CPU that was in use, 0 to 1. */
  readonly usedCpu: number;
}

export interface SweptVariant {
  readonly values: Variant;
  /** In the order of the passes. */
  readonly boots: readonly SweepBoot[];
  /** Compared with the best; absent if it was not measured in every pass. */
  readonly contrast?: {
    /** Relative to the best, 0 for the best itself; with a simultaneous 95% interval. Below 0 is worse. */
    readonly change: number;
    readonly low: number;
    readonly high: number;
    /** False if it is proved to be worse by more than the tolerance. */
    readonly asGood: boolean;
  };
  /** Why it was not measured to the end; absent if it was. */
  readonly ended?: string;
  /** True if it was far worse than the best, so that it was not tried again. */
  readonly hopeless?: boolean;
}

/** What sweep.json holds. */
export interface Sweep extends ExperimentIdentity {
  readonly schema: 1;
  /** `scenario@load` */
  readonly cell: string;
  /** What was compared: throughput, or p95 where the load has a fixed rate. */
  readonly figure: 'tps' | 'p95';
  /** A value that is worse by less is as good, 0 to 1. */
  readonly tolerance: number;
  readonly variants: readonly SweptVariant[];
  /** Index of the best; absent with fewer than two passes of two values. */
  readonly best?: number;
  /** True if a value is proved to differ from the best at all. */
  readonly differs: boolean;
}

/** `DB_POOL_SIZE=5 SERVER_THREADS=50` */
export function variantText(variant: Variant): string {
  return Object.entries(variant)
    .map(([name, value]) => (name.startsWith('-') ? value : `${name}=${value}`))
    .join(' ');
}
