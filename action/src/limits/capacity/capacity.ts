import type { Capacity, CapacityLoad, CarriedStep, CarriedUsers, Demand } from '../../model/capacity.ts';
import type { Estimate } from '../../model/estimate.ts';
import { mostFailed } from '../../model/experiment.ts';

const secondsPerDay = 86_400;
/** HikariCP's rule of thumb for a database: two connections per core and one for a disk. */
const connectionsPerCore = 2;
const spareFactor = 2;

/**
 * The loads that stand for those users. By Little's law, N = X·T, users at once are passes per second times seconds of a
 * pass, and requests in flight are requests per second times response time. J. D. C. Little, A Proof for the Queuing
 * Formula L = λW, Operations Research 9(3), 1961.
 */
export function capacityOf(demand: Demand): Capacity {
  const average = oneDecimal((demand.dailyUsers * demand.requestsPerUser) / secondsPerDay);
  return {
    demand,
    loads: [
      loadOf('average', average, demand),
      loadOf('peak', oneDecimal(average * demand.peakFactor), demand),
    ],
    ...(demand.databaseCores !== undefined && { pool: connectionsPerCore * demand.databaseCores + 1 }),
  };
}

function loadOf(
  name: CapacityLoad['name'],
  requestsPerSecond: number,
  { passSeconds, requestsPerPass, targetSeconds }: Demand,
): CapacityLoad {
  const exactUsers = (requestsPerSecond * passSeconds) / requestsPerPass;
  const vus = roundedUp(exactUsers);
  const inFlight = Math.max(1, Math.round(requestsPerSecond * targetSeconds));
  return {
    name,
    requestsPerSecond,
    exactUsers,
    vus,
    tps: vus / targetSeconds,
    inFlight,
    threads: roundedThreads(spareFactor * inFlight),
  };
}

/** Up to the next multiple of 5 below 100, of 10 below 1,000 and so on: no traffic is known more exactly. */
function roundedUp(users: number): number {
  const step = users < 100 ? 5 : 10 ** (Math.floor(Math.log10(users)) - 1);
  return Math.ceil(users / step - 1e-9) * step;
}

/** To the nearest ten, above ten. */
function roundedThreads(threads: number): number {
  return threads < 10 ? threads : Math.round(threads / 10) * 10;
}

/** Below 0.1 a decimal would be lost. */
function oneDecimal(value: number): number {
  return value < 0.1 ? value : Math.round(10 * value) / 10;
}

/** What is read of a staircase's step. */
export interface MeasuredStep {
  readonly users: number;
  readonly tps: Estimate;
  readonly p95Ms: Pick<Estimate, 'value'>;
  /** 0 to 1. */
  readonly errorRate: number;
}

/** The users a day whose busiest hour each step serves. */
export function carriedUsers(
  steps: readonly MeasuredStep[],
  {
    requestsPerUser,
    peakFactor,
    targetSeconds,
  }: Pick<Demand, 'requestsPerUser' | 'peakFactor' | 'targetSeconds'>,
): CarriedUsers {
  const usersOf = (tps: number) => Math.floor((tps / peakFactor) * (secondsPerDay / requestsPerUser));
  const carried = steps.map(
    ({ users, tps, p95Ms, errorRate }): CarriedStep => ({
      vus: users,
      requestsPerSecond: tps,
      p95Ms: p95Ms.value,
      dailyUsers: { value: usersOf(tps.value), low: usersOf(tps.low), high: usersOf(tps.high) },
      holds: p95Ms.value <= 1000 * targetSeconds && errorRate <= mostFailed,
    }),
  );
  const [best] = carried
    .filter(({ holds }) => holds)
    .toSorted((a, b) => b.requestsPerSecond.value - a.requestsPerSecond.value);
  return { steps: carried, ...(best && { best }) };
}
