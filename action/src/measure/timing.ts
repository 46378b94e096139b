import { type LoadConfig, marginSeconds, type SuiteConfig } from '../model/config.ts';
import type { ArrivalLoad, LoadStage, RateStage } from './ports.ts';

/** When the users of a block do what, and which part of it is counted. */
export interface Timing {
  readonly stages: readonly LoadStage[];
  /** Present instead of stages if passes begin at given times. */
  readonly arrival?: ArrivalLoad;
  /** Seconds at the start of a block that are not counted. */
  readonly guardSeconds: number;
  /** Of a load that ends with its last pass, how long its users take to begin: the block counts all of them. */
  readonly countedSeconds: number;
}

/**
 * The first virtual user starts immediately. k6 would start it when the ramp has risen by one, which for a single user
 * is the end of the ramp. The counted interval, which begins with its first request, would then outlast the load.
 */
export const firstUser: LoadStage = { seconds: 0, vus: 1 };

/**
 * A pass begins at once. A rate that rises from 0 would otherwise begin with a wait for the first pass, and the counted
 * interval, which begins with its first request, would outlast the load.
 */
const firstPass: readonly RateStage[] = [
  { seconds: 0, perSecond: 20 },
  { seconds: 1 / 20, perSecond: 20 },
  { seconds: 0, perSecond: 0 },
];

/** The load ramps up within this part of the guard interval. In the rest the queues settle. */
export const rampShareOfGuard = 2 / 3;

/**
 * Of arrivals without a number of their own, as many as begin a pass within a second. Users who make one pass each are
 * never dropped: there are as many as passes.
 */
export function usersOf({ vus, arrival, users }: LoadConfig): number {
  const arriving = arrival === undefined ? 1 : Math.ceil(arrival.rate / arrival.per);
  return vus ?? users?.count ?? arrival?.vus ?? arriving;
}

export function timingOf(load: LoadConfig, vus: number, suite: SuiteConfig, vuFactor: number): Timing {
  if (load.users !== undefined) return onePassEach(load.users, vus);
  if (load.arrival !== undefined) return arrivals(load, load.arrival, { vus, suite, vuFactor });
  if (load.profile !== undefined) return profile(load.profile, vuFactor);
  return suite.ramp ? steppedRamp(load, vus, suite) : fullLoad(vus, suite);
}

function fullLoad(vus: number, suite: SuiteConfig): Timing {
  const ramp = suite.guard * rampShareOfGuard;
  return {
    stages: [
      firstUser,
      { seconds: ramp, vus },
      { seconds: suite.guard - ramp + suite.counted + marginSeconds, vus },
    ],
    guardSeconds: suite.guard,
    countedSeconds: suite.counted,
  };
}

interface ArrivalPlan {
  readonly vus: number;
  readonly suite: SuiteConfig;
  readonly vuFactor: number;
}

/**
 * Users arrive at the full rate at once, unless the load says how the rate changes. Queues settle within the guard
 * interval, since the service keeps up with the rate.
 */
function arrivals(
  { ramp, profile }: LoadConfig,
  { rate, per }: NonNullable<LoadConfig['arrival']>,
  { vus, suite, vuFactor }: ArrivalPlan,
): Timing {
  const perSecondOf = (passes: number) => (passes / per) * vuFactor;
  const perSecond = perSecondOf(rate);
  const { guard, counted } = suite;
  const full = guard + counted + marginSeconds;
  if (profile !== undefined) {
    const parts = profile.map(({ rate: end = 0, over }) => ({ seconds: over, perSecond: perSecondOf(end) }));
    const stages = [...firstPass, ...parts];
    const seconds = secondsOf(stages);
    return {
      stages: [],
      arrival: { perSecond, vus, seconds, stages },
      guardSeconds: 0,
      countedSeconds: seconds - marginSeconds,
    };
  }
  const steps = suite.ramp && ramp !== undefined ? stepsTo(rate, ramp) : [];
  const rampSeconds = secondsOf(steps);
  const seconds = rampSeconds + full;
  const climb = steps.map((step) => ({ seconds: step.seconds, perSecond: perSecondOf(step.target) }));
  const stages = [...climb, { seconds: 0, perSecond }, { seconds: full, perSecond }];
  return {
    stages: [],
    arrival: { perSecond, vus, seconds, ...(climb.length > 0 && { stages }) },
    guardSeconds: rampSeconds + guard,
    countedSeconds: counted,
  };
}

/**
 * Every pass is counted, from the first one to the last. A guard interval would leave out the first users, and what
 * those who come later wait for is what the load is about.
 */
function onePassEach({ over, cap }: NonNullable<LoadConfig['users']>, count: number): Timing {
  const arrival = { perSecond: count / over, vus: count, seconds: over, once: { capSeconds: cap } };
  return { stages: [], arrival, guardSeconds: 0, countedSeconds: over };
}

/** The whole profile is counted, because it shows how the service handles a wave of load. */
function profile(parts: NonNullable<LoadConfig['profile']>, vuFactor: number): Timing {
  const stages = [
    firstUser,
    ...parts.map(({ vus = 0, over }) => ({ seconds: over, vus: Math.round(vus * vuFactor) })),
  ];
  return { stages, guardSeconds: 0, countedSeconds: secondsOf(stages) - marginSeconds };
}

/** The stepped ramp is not counted, because its steps are other loads than the judged one. */
function steppedRamp({ ramp }: LoadConfig, vus: number, suite: SuiteConfig): Timing {
  if (ramp === undefined) return fullLoad(vus, suite);
  const steps = stepsTo(vus, ramp).map(({ seconds, target }) => ({ seconds, vus: target }));
  return {
    stages: [...steps, { seconds: 0, vus }, { seconds: suite.guard + suite.counted + marginSeconds, vus }],
    guardSeconds: secondsOf(steps) + suite.guard,
    countedSeconds: suite.counted,
  };
}

/** Each step goes to its target at once and holds it. */
function stepsTo(top: number, { start, add, every }: NonNullable<LoadConfig['ramp']>) {
  const steps: { readonly seconds: number; readonly target: number }[] = [];
  for (let target = start; target < top; target += add) {
    steps.push({ seconds: 0, target }, { seconds: every, target });
  }
  return steps;
}

function secondsOf(stages: readonly { readonly seconds: number }[]): number {
  return stages.reduce((sum, { seconds }) => sum + seconds, 0);
}
