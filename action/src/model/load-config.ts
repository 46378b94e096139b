import { z } from 'zod';
import { duration, percent, positiveDuration, vus } from './config-values.ts';

/**
 * Seconds that the load continues after the counted interval, which begins with the first request, a moment after the
 * stages begin.
 */
export const marginSeconds = 0.5;

const objectivesSchema = z.strictObject({
  meanMs: z.number().positive().optional().describe('Mean response time below this, in milliseconds.'),
  p95Ms: z.number().positive().optional().describe('p95 below this, in milliseconds.'),
  p99Ms: z.number().positive().optional().describe('p99 below this, in milliseconds.'),
  tps: z.number().positive().optional().describe('At least this many requests per second.'),
  errorRate: percent.optional().describe('Errors below this share of the requests.'),
  gate: z
    .boolean()
    .optional()
    .describe(
      'Whether a missed objective is a regression, whatever the base does. Without it, missed objectives are only reported.',
    ),
});

const mostRate = 1_000_000;

const arrivalSchema = z.strictObject({
  rate: z
    .int()
    .min(1)
    .max(mostRate)
    .describe(
      'Passes that begin per `per`. At 40 per second, passes of 7 requests are 280 requests per second. With a `profile`, the highest of its rates.',
    ),
  per: positiveDuration.default(1).describe('Time that a rate refers to.'),
  vus: vus
    .optional()
    .describe(
      'Most users at once. A pass that finds no free user is dropped: its requests count as errors, or the block is invalid if the load has too few users. By default, as many as begin a pass within a second, which suffices for passes of up to 1 s.',
    ),
});

const usersSchema = z.strictObject({
  count: vus.describe('Users of a block. Each makes one pass, and all of it is counted.'),
  over: positiveDuration
    // k6 takes no arrivals of less than a second, and its last half interval is left out.
    .refine((seconds) => seconds >= 2, 'expected 2s or more')
    .describe('Time in which they begin, at equal distances, 2s or more.'),
  cap: duration
    .default(30)
    .describe(
      'Longest wait for the last passes after that time. A pass that still runs then is cut off, which counts as an error.',
    ),
});

const partSchema = z.strictObject({
  vus: z
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe(
      'Virtual users at the end of this part. Each part has either these or, with `arrival`, `rate`.',
    ),
  rate: z.int().min(0).max(mostRate).optional().describe('Passes per `per` at the end of this part.'),
  over: duration.describe('Time to reach that from the end of the part before, or from none.'),
});

export const loadSchema = z.strictObject({
  vus: vus
    .optional()
    .describe('Virtual users, closed loop. Each load has exactly one of `vus`, `arrival` and `users`.'),
  arrival: arrivalSchema
    .optional()
    .describe(
      'Users who arrive at a fixed rate, each for one pass (open loop). TPS then follows from the rate, and is not judged.',
    ),
  users: usersSchema
    .optional()
    .describe(
      'Users who are created over some time, each for one pass (open loop). A block ends when all of them are done.',
    ),
  ramp: z
    .strictObject({
      start: vus.describe('Virtual users, or passes per `per`, at the start.'),
      add: vus.describe('What each step adds.'),
      every: duration.describe('Length of a step.'),
    })
    .optional()
    .describe('Stepped ramp for long runs, up to `vus` or `rate`.'),
  profile: z
    .array(partSchema)
    .min(1)
    .refine(
      (parts) => parts.reduce((sum, { over }) => sum + over, 0) > marginSeconds,
      `expected parts of more than ${marginSeconds} s together`,
    )
    .optional()
    .describe('Shape of a block. All of it is counted, instead of the interval that the suite sets.'),
  objectives: objectivesSchema.default({}),
});
type Load = z.output<typeof loadSchema>;

interface LoadProblem {
  /** Relative to the load; the load itself where absent. */
  readonly path?: readonly (string | number)[];
  readonly message: string;
}

/** How a load is wrong that has a value of the right type for each of its keys; undefined if it is right. */
export function loadProblem(load: Load, generators: number): LoadProblem | undefined {
  const kinds = [load.vus, load.arrival, load.users].filter((kind) => kind !== undefined);
  if (kinds.length !== 1) return { message: 'expected one of `vus`, `arrival` and `users`' };
  if (load.users !== undefined && (load.ramp ?? load.profile) !== undefined) {
    return { message: 'expected `ramp` and `profile` only with `vus` or `arrival`' };
  }
  return profileProblem(load) ?? shareProblem(load, generators);
}

function profileProblem({ arrival, profile = [] }: Load): LoadProblem | undefined {
  const [own, other] = arrival === undefined ? (['vus', 'rate'] as const) : (['rate', 'vus'] as const);
  const kind = arrival === undefined ? 'vus' : 'arrival';
  const index = profile.findIndex((part) => part[own] === undefined || part[other] !== undefined);
  if (index >= 0) {
    const message = `expected \`${own}\` and no \`${other}\`, because the load has \`${kind}\``;
    return { path: ['profile', index], message };
  }
  const highest = Math.max(...profile.map((part) => part[own] ?? 0));
  if (highest === 0) return { path: ['profile'], message: `expected a part with \`${own}\` of more than 0` };
  return arrival === undefined || profile.length === 0 || arrival.rate === highest
    ? undefined
    : { path: ['arrival', 'rate'], message: `expected the highest rate of the profile, ${highest}` };
}

/** Each generator starts its own part of the users of an open loop, and one without users would leave its passes out. */
function shareProblem({ arrival, users }: Load, generators: number): LoadProblem | undefined {
  const message = `expected at least as many users as \`generators\`, ${generators}`;
  if ((users?.count ?? generators) < generators) return { path: ['users', 'count'], message };
  return (arrival?.vus ?? generators) < generators ? { path: ['arrival', 'vus'], message } : undefined;
}
