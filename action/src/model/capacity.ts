import type { Estimate } from './estimate.ts';

/** What a service's users do in a day. */
export interface Demand {
  /** Users who come in a day. */
  readonly dailyUsers: number;
  readonly requestsPerUser: number;
  /** Seconds that a user needs for one pass of the scenario, with thinking. */
  readonly passSeconds: number;
  readonly requestsPerPass: number;
  /** How many times as much is asked in the busiest hour as on average over the day. */
  readonly peakFactor: number;
  /** Response time that requests should have, in seconds. */
  readonly targetSeconds: number;
  /** Cores of the database; undefined if its pool is not asked for. */
  readonly databaseCores?: number;
}

/** What a load has to be to stand for that many users. */
export interface CapacityLoad {
  readonly name: 'average' | 'peak';
  readonly requestsPerSecond: number;
  /** Users at once, before it is rounded up. */
  readonly exactUsers: number;
  readonly vus: number;
  /** Requests per second that the virtual users send if they get their answers in time. */
  readonly tps: number;
  /** Requests that are answered at once. */
  readonly inFlight: number;
  /** Worker threads, with as many again to spare. */
  readonly threads: number;
}

export interface Capacity {
  readonly demand: Demand;
  readonly loads: readonly CapacityLoad[];
  /** Connections; undefined without `databaseCores`. */
  readonly pool?: number;
}

/** How many users a day a step of a staircase carries. */
export interface CarriedStep {
  readonly vus: number;
  readonly requestsPerSecond: Estimate;
  readonly p95Ms: number;
  /** With the interval of the throughput. */
  readonly dailyUsers: Estimate;
  /** Whether its p95 holds the target, and its requests succeed. */
  readonly holds: boolean;
}

export interface CarriedUsers {
  readonly steps: readonly CarriedStep[];
  /** The one that carries most of those that hold the target; undefined if none does. */
  readonly best?: CarriedStep;
}
