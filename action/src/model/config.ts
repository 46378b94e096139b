import { z } from 'zod';
import { type FloorName, type MetricName, metricNames, metrics, ratioMetricNames } from './metric.ts';

function seconds(text: string): number {
  const unit = /[a-z]+$/.exec(text)?.[0] ?? 's';
  return Number.parseFloat(text) * ({ ms: 0.001, s: 1, m: 60, h: 3600 }[unit] ?? 1);
}

/** `500ms`, `12s`, `2m`, `1h` as seconds. */
const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h)$/, 'expected a duration such as 500ms, 12s or 2m')
  .transform(seconds);

/** A duration that rates are taken over. */
const positiveDuration = z
  .string()
  .regex(/^(?=.*[1-9])\d+(\.\d+)?(ms|s|m|h)$/, 'expected a duration of more than 0, such as 500ms, 12s or 2m')
  .transform(seconds);

/**
 * Keeps the load up a little longer than what is counted: the counted interval begins with the first request,
 * which comes a moment after the stages began.
 */
export const marginSeconds = 0.5;

/** `10%` as 0.1. */
const percent = z
  .string()
  .regex(/^\d+(\.\d+)?%$/, 'expected a percentage such as 10% or 0.5%')
  .transform((text) => Number.parseFloat(text) / 100);

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected 1 to 64 letters, digits, dots, dashes or underscores',
  );
const command = z
  .array(z.string().min(1))
  .min(1, 'expected a command as a list: [program, argument, ...]')
  .describe('Program and arguments; run without a shell.');
const env = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string());
const vus = z
  .int('expected a whole number of virtual users')
  .min(1, 'expected at least 1 virtual user')
  .max(100_000, 'expected at most 100000 virtual users');

const buildStepSchema = z.strictObject({
  command,
  inputs: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      'Files and folders that the step reads; it is skipped while they are unchanged. Without them it always runs, for tools that know by themselves what changed.',
    ),
  outputs: z.array(z.string()).min(1).describe('Files that the step writes.'),
  withBacking: z
    .boolean()
    .default(false)
    .describe('Run it once the backing services are ready, with their variables in its environment.'),
});

const processStackSchema = z.strictObject({
  root: z.string().default('.').describe('Working directory of every command, relative to this file.'),
  build: z.array(buildStepSchema).default([]),
  backing: z
    .strictObject({
      command,
      readyWithin: duration.default(180),
    })
    .optional()
    .describe(
      'Starts what the service needs (database, cache). Prints {"ready":true,"env":{...}} as one line on its standard output and stops when its standard input ends.',
    ),
  service: z.strictObject({
    command,
    env: env.default({}),
    ports: z
      .record(z.string().regex(/^[A-Z_][A-Z0-9_]*$/), z.union([z.literal('auto'), z.int().min(1).max(65535)]))
      .describe('Environment variables that carry a port; `auto` takes a free one.'),
    url: z.string().describe('Address that the scenarios load, such as http://127.0.0.1:${SERVER_PORT}.'),
    ready: z.strictObject({
      url: z.string().describe('Answers 2xx once the service can take load.'),
      within: duration.default(60),
    }),
    metrics: z.string().optional().describe('Address of Prometheus text metrics.'),
    stopWithin: duration.default(10).describe('Time between SIGTERM and SIGKILL.'),
  }),
});

const containerPort = z
  .int()
  .min(1)
  .max(65535)
  .describe('Port within the container; it has to be published.');
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

const composeStackSchema = z.strictObject({
  root: z.string().default('.').describe('Working directory of the build steps, relative to this file.'),
  file: z.string().describe('Compose file, relative to this file.'),
  build: z
    .array(buildStepSchema.omit({ withBacking: true }))
    .default([])
    .describe('Run before images are built.'),
  buildImages: z
    .boolean()
    .default(false)
    .describe('Build the images of services that have a `build` section; otherwise they have to be there.'),
  service: z.string().describe('The service under test; all others of the file are what it needs.'),
  port: containerPort.describe('Port within its container that the scenarios load; it has to be published.'),
  ready: z.strictObject({
    port: containerPort,
    path: z.string().startsWith('/').describe('Answers 2xx once the service can take load.'),
    within: duration.default(60),
  }),
  metrics: z
    .strictObject({ port: containerPort, path: z.string().startsWith('/').default('/metrics') })
    .optional()
    .describe('Prometheus text metrics of the service.'),
  backingMetrics: z
    .strictObject({
      service: z.string(),
      port: containerPort,
      path: z.string().startsWith('/').default('/metrics'),
    })
    .optional()
    .describe('Prometheus text metrics of what the service needs.'),
  env: z
    .record(variableName, z.string())
    .default({})
    .describe(
      'Variables for the compose file, with ${CACHE_DIR} (kept, shared by all checkouts) and ${WORK_DIR} (of this checkout). Given without being named: SNAPSHOT_DIR, a folder that is kept, and APP_CPUSET and DB_CPUSET, empty with fewer than 4 CPUs.',
    ),
  secrets: z
    .array(variableName)
    .default([])
    .describe('Variables for the compose file that get a new random value in every run.'),
  upWithin: duration
    .default(180)
    .describe('Time until everything but the service itself is healthy, or has ended if it is to end.'),
  stopWithin: duration.default(10).describe('Time between SIGTERM and SIGKILL.'),
});

const stackSchema = z
  .strictObject({
    process: processStackSchema.optional().describe('Plain processes of this machine.'),
    compose: composeStackSchema.optional().describe('Containers of a compose file.'),
  })
  .refine(({ process, compose }) => process !== undefined || compose !== undefined, {
    message: 'expected `process`, `compose` or both',
  });

const objectivesSchema = z.strictObject({
  meanMs: z.number().positive().optional().describe('Mean response time below this, in milliseconds.'),
  p95Ms: z.number().positive().optional(),
  p99Ms: z.number().positive().optional(),
  tps: z.number().positive().optional().describe('Requests a second at least.'),
  errorRate: percent.optional().describe('Errors below this share of the requests.'),
});

const loadSchema = z.strictObject({
  vus: vus.describe('Virtual users, closed loop.'),
  ramp: z
    .strictObject({ start: vus, add: vus, every: duration })
    .optional()
    .describe('Stepped ramp for long runs: begin with `start`, add `add` every `every` until `vus`.'),
  profile: z
    .array(
      z.strictObject({
        vus: z.int().min(0).max(100_000).describe('Virtual users at the end of this part.'),
        over: duration.describe('Time to get there from the end of the part before, or from none.'),
      }),
    )
    .min(1)
    .refine(
      (parts) => parts.reduce((sum, { over }) => sum + over, 0) > marginSeconds,
      `expected parts of more than ${marginSeconds} s together`,
    )
    .optional()
    .describe('Shape of a block, counted from its begin to its end in place of what the suite says.'),
  objectives: objectivesSchema.default({}),
});

const scenarioSchema = z.strictObject({
  script: z.string().describe('k6 script, relative to this file.'),
  env: z.record(variableName, z.string()).default({}).describe('Variables of the script (__ENV).'),
  endpoints: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      '`name` tags that every block must have samples of. Without it, what a run reaches is held to the run that it is compared with.',
    ),
  loads: z.record(name, loadSchema),
});

const suiteSchema = z.strictObject({
  cells: z.array(z.string().regex(/^[^@]+@[^@]+$/, 'expected scenario@load')).min(1),
  rounds: z
    .int()
    .min(2, 'a verdict needs at least 2 blocks a cell')
    .max(100)
    .default(3)
    .describe('Blocks a cell. Interleaved with the base commit an odd number is raised by one.'),
  guard: duration
    .default(3)
    .describe('Start of a block that is not counted: virtual users come in, queues fill.'),
  counted: positiveDuration.default(10).describe('Counted part of a block.'),
  ramp: z
    .boolean()
    .default(false)
    .describe("Use the loads' stepped ramps instead of going to full load within the guard interval."),
});

const warmUpSchema = z.strictObject({
  window: positiveDuration
    .default(5)
    .describe('Length of one look at the service; every scenario runs in each.'),
  settledWindows: z
    .int()
    .min(2)
    .max(20)
    .default(3)
    .describe('Windows in a row over which the response no longer becomes faster.'),
  latencyTolerance: percent
    .default(0.2)
    .describe('How much slower than in the newest of those windows the mean response may have been before.'),
  compileMsPerSecond: z
    .number()
    .positive()
    .default(250)
    .describe(
      'JIT compilation at most, milliseconds a second, where the metrics tell or the service is a JVM of this machine.',
    ),
  vus: vus
    .default(20)
    .describe(
      'Virtual users of each scenario; one each while the JIT compiles, which a full load would starve.',
    ),
  cap: duration.default(300).describe('Not settled by then: the run is invalid.'),
});

const tolerancesSchema = z.strictObject(
  Object.fromEntries(
    metricNames.map((name) => {
      const { tolerance } = metrics[name];
      return [name, percent.default(tolerance.default).describe(tolerance.description)];
    }),
  ) as Record<MetricName, z.ZodDefault<typeof percent>>,
);

const floorsSchema = z.strictObject(
  Object.fromEntries(
    ratioMetricNames.map((name) => {
      const { floor } = metrics[name];
      return [floor.setting, z.number().min(0).default(floor.default).describe(floor.description)];
    }),
  ) as Record<FloorName, z.ZodDefault<z.ZodNumber>>,
);

const signalSchema = z.strictObject({
  title: z.string(),
  from: z.enum(['service', 'backing']),
  series: z
    .array(z.string())
    .min(1)
    .describe('Prometheus series to add up: a metric name, with {label="value"} to choose among its series.'),
  per: z
    .enum(['request', 'second', 'max', 'mean'])
    .describe(
      'request, second: growth of counters over the block. max, mean: of a gauge, looked at every second.',
    ),
  scale: z.number().positive().default(1).describe('Multiplies the value, to bring it to `unit`.'),
  unit: z.string().default(''),
  tolerance: percent.default(0.1).describe('Growth beyond this is said in the verdict, beside the cell.'),
  floor: z.number().min(0).default(0).describe('Growth by less than this, in `unit`, is not said.'),
  hint: z.string().describe('What a growth usually means, and where to look.'),
});

const limitsSchema = z.strictObject({
  generatorCpuShare: percent
    .default(0.4)
    .describe('Share of all cores; above it the load generator itself may be the bottleneck.'),
  stealShare: percent.default(0.1).describe('CPU time taken by other guests of the same host.'),
  othersCpuShare: percent
    .default(0.15)
    .describe('CPU time of programs on the same machine that are no part of the measurement.'),
});

export const baselineStoreKinds = ['file', 'branch'] as const;
export type BaselineStoreKind = (typeof baselineStoreKinds)[number];

const baselineConfigSchema = z.strictObject({
  keep: z.int().min(1).max(200).default(20).describe('Runs that are kept of each kind of machine and load.'),
  store: z
    .enum(baselineStoreKinds)
    .default('file')
    .describe(
      'file: in .perf-gate/baseline of the checkout. branch: on a branch of its own, read everywhere, and written by the Action for a push to the default branch.',
    ),
  branch: z
    .string()
    .min(1)
    .default('perf-gate-baseline')
    .describe('A branch that is used for nothing else; the first write makes it.'),
  remote: z.string().min(1).default('origin').describe('Remote of the checkout that the branch lies in.'),
});

export const configSchema = z
  .strictObject({
    version: z.literal(1),
    name: z.string().min(1).max(100),
    stack: stackSchema,
    allowTargets: z
      .array(z.string())
      .default([])
      .describe('Host names that may be loaded besides the loopback interface.'),
    scenarios: z.record(name, scenarioSchema),
    suites: z.record(name, suiteSchema),
    warmUp: warmUpSchema.prefault({}),
    tolerances: tolerancesSchema.prefault({}),
    floors: floorsSchema.prefault({}),
    signals: z.record(name, signalSchema).default({}),
    limits: limitsSchema.prefault({}),
    baseline: baselineConfigSchema.prefault({}),
  })
  .superRefine((config, context) => {
    const known = new Set(
      Object.entries(config.scenarios).flatMap(([scenario, { loads }]) =>
        Object.keys(loads).map((load) => `${scenario}@${load}`),
      ),
    );
    for (const [suiteName, { cells }] of Object.entries(config.suites)) {
      const seen = new Set<string>();
      for (const [index, cell] of cells.entries()) {
        const path = ['suites', suiteName, 'cells', index];
        if (!known.has(cell)) {
          context.addIssue({ code: 'custom', path, message: 'no such cell', params: { unknownCell: true } });
        } else if (seen.has(cell)) {
          // It would be measured twice and judged once.
          context.addIssue({ code: 'custom', path, message: 'expected each cell once' });
        }
        seen.add(cell);
      }
    }
  });

/** gate.yml as the gate works with it: durations in seconds, percentages as shares, defaults filled in. */
export type Config = z.output<typeof configSchema>;
/** gate.yml as it is written. */
export type ConfigText = z.input<typeof configSchema>;
export type ProcessStackConfig = NonNullable<Config['stack']['process']>;
export type ComposeStackConfig = NonNullable<Config['stack']['compose']>;
export type StackKind = keyof Config['stack'];
export type ScenarioConfig = Config['scenarios'][string];
export type LoadConfig = ScenarioConfig['loads'][string];
export type SuiteConfig = Config['suites'][string];
export type SignalConfig = Config['signals'][string];
export type BaselineConfig = Config['baseline'];
export type WarmUpConfig = Config['warmUp'];
