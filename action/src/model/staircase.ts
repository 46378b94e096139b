import type { Estimate } from './estimate.ts';
import type { ExperimentIdentity } from './experiment.ts';
import type { ScalabilityLaw } from './scalability-law.ts';

/** What was measured with one number of virtual users, over all blocks. */
export interface StaircaseStep {
  /** Virtual users. */
  readonly users: number;
  /** Blocks that the figures come from. */
  readonly blocks: number;
  /** Requests per second that did not fail. */
  readonly tps: Estimate;
  readonly meanMs: number;
  readonly p95Ms: Estimate;
  /** Mean over the blocks of the share of requests that failed, 0 to 1. */
  readonly errorRate: number;
  /** Shares of the machine's CPU, 0 to 1. */
  readonly cpu: Readonly<Record<'service' | 'backing' | 'generator' | 'others' | 'stolen', number>>;
  /** Means over the blocks, as far as the service's metrics have them. */
  readonly seen: {
    readonly poolActive?: number;
    readonly poolPending?: number;
    readonly busyThreads?: number;
    readonly mostThreads?: number;
    /** Mean response time as the service itself counts it, in milliseconds. */
    readonly serviceTime?: number;
  };
  /** Why blocks of the step cannot be trusted. */
  readonly invalid: readonly string[];
  /** True if the load generator was the limit in a block. */
  readonly generatorLimits: boolean;
}

/** The part that keeps throughput from growing. */
export const limitingParts = {
  none: 'nothing yet',
  generator: 'the load generator',
  serviceCpu: "the service's CPU",
  serviceCore: 'one core of the service',
  backingCpu: 'the CPU of the backing services',
  stolenCpu: 'CPU time that the host takes away',
  othersCpu: 'other programs on this machine',
  pool: 'the connection pool',
  threads: 'the worker threads',
  outside: 'not the service, but something before it',
  lock: 'a lock or another part that one request at a time can use',
  unknown: 'unknown',
} as const;
export type LimitingPart = keyof typeof limitingParts;

export interface Limit {
  readonly part: LimitingPart;
  /** The figures that show it. */
  readonly evidence: string;
}

/** The Universal Scalability Law of the steps, with what follows from it. */
export interface StaircaseFit extends ScalabilityLaw {
  /** Users from which on more users hardly add throughput. */
  readonly knee: Estimate;
  /** Requests per second. */
  readonly peak: Estimate;
}

/** What staircase.json holds. An interval without a bound is null there. */
export interface Staircase extends ExperimentIdentity {
  readonly schema: 1;
  readonly scenario: string;
  /** By users, lowest first. */
  readonly steps: readonly StaircaseStep[];
  /** Absent with fewer than three steps. */
  readonly fit?: StaircaseFit;
  readonly limit: Limit;
  /** p95 in milliseconds that should hold; `users` is absent if every step held it. */
  readonly target?: { readonly p95Ms: number; readonly users?: number };
}

/** The share of the machine's CPU that was in use, 0 to 1. */
export function usedCpu({ cpu }: Pick<StaircaseStep, 'cpu'>): number {
  return Object.values(cpu).reduce((sum, share) => sum + share, 0);
}
