import type { ExperimentIdentity } from './experiment.ts';

/** One combination of values: variable, or argument of the service's command, to value. Empty is the service as it is. */
export type Variant = Readonly<Record<string, string>>;

/** What one boot with the values came to. */
export interface SweepBoot {
  /** Requests per second that did not fail, over the blocks in which some succeeded, as is p95. */
  readonly tps: number;
  readonly p95Ms: number;
  /** Mean over the blocks of the share of requests that failed, 0 to 1. */
  readonly errorRate: number;
  /** Share of the machine's CPU that the service used, 0 to 1. */
  readonly serviceCpu: number;
  /** Share of the machine's CPU that was in use, 0 to 1. */
  readonly usedCpu: number;
  /** What speaks against its blocks, in sentences. */
  readonly invalid: readonly string[];
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
  /** True if it was so much worse than the best that it was not tried again. */
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
  /** Cores that all instances of the service together may use; absent if nothing of the gate limits them. */
  readonly cpus?: number;
  readonly variants: readonly SweptVariant[];
  /** Index of the best; absent with fewer than two passes of two values. */
  readonly best?: number;
  /** True if a value is proved to differ from the best at all. */
  readonly differs: boolean;
}

/**
 * The tolerance as a share of what more of is better: throughput, or the inverse of p95. A p95 that is longer by a tenth makes
 * its inverse smaller by less than a tenth.
 */
export function toleratedLoss({ figure, tolerance }: Pick<Sweep, 'figure' | 'tolerance'>): number {
  return figure === 'tps' ? tolerance : tolerance / (1 + tolerance);
}

/** What a sweep of instances is called by. */
export const instancesName = 'instances';

/** The names whose values differ between the variants. */
export function sweptNames(variants: readonly Variant[]): readonly string[] {
  const names = [...new Set(variants.flatMap(Object.keys))];
  return names.filter((name) => new Set(variants.map((variant) => variant[name])).size > 1);
}

/** `DB_POOL_SIZE=5 -Xmx1g`, for these of its names. */
export function variantText(variant: Variant, names: readonly string[] = Object.keys(variant)): string {
  const texts = names.flatMap((name) => {
    const value = variant[name];
    return value === undefined ? [] : [name.startsWith('-') ? value : `${name}=${value}`];
  });
  return texts.length === 0 ? 'as it is' : texts.join(' ');
}
