import { z } from 'zod';
import { duration, name, percent, positiveDuration, variableName, vus } from './config-values.ts';
import { loadProblem, loadSchema } from './load-config.ts';
import { type FloorName, type MetricName, metricNames, metrics, ratioMetricNames } from './metric.ts';
import { outputsSchema } from './output-config.ts';
import { signalsSchema } from './signal-config.ts';
import { stackSchema } from './stack-config.ts';
import { sweepProblems, sweepsSchema } from './sweep-config.ts';
import { allCells, waiversSchema } from './waiver.ts';

const scenarioSchema = z.strictObject({
  script: z.string().describe('k6 script, relative to this file.'),
  exec: z
    .string()
    .regex(/^[A-Za-z_$][\w$]{0,99}$/, 'expected the name of a function that the script exports')
    .optional()
    .describe(
      'Function of the script that virtual users run. Default: the one that `options.scenarios` of the script names, else its default function.',
    ),
  env: z.record(variableName, z.string()).default({}).describe('Variables of the script (__ENV).'),
  thresholds: z
    .enum(['report', 'judge', 'ignore'])
    .default('report')
    .describe(
      '`report`: thresholds of the script that a block missed are listed with the objectives. `judge`: they are listed too, and each is a regression, whatever the base does. `ignore`: they are not evaluated.',
    ),
  endpoints: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      '`name` tags that every block must have samples of. Without it, a run must reach the endpoints of the run it is compared with.',
    ),
  loads: z.record(name, loadSchema).describe('How many users run the scenario, under names of your choice.'),
});

const cellNames = z.array(z.string().regex(/^[^@]+@[^@]+$/, 'expected scenario@load'));

const suiteSchema = z.strictObject({
  cells: cellNames.min(1).describe('Cells to measure, each as `scenario@load`.'),
  costs: cellNames
    .default([])
    .describe(
      'More cells, which take only two blocks each. They are judged by what can be counted: the error rate and the signals with `gate: fail`.',
    ),
  rounds: z
    .int()
    .min(2, 'a verdict needs at least 2 blocks per cell')
    .max(100)
    .default(3)
    .describe('Blocks per cell. Next to an interleaved base commit, an odd number is raised by one.'),
  guard: duration
    .default(3)
    .describe('Start of a block that is not counted: virtual users arrive and queues fill.'),
  counted: positiveDuration.default(10).describe('Counted part of a block.'),
  unbroken: z
    .boolean()
    .optional()
    .describe(
      'Load each cell once for all its blocks, without a break between them. Its counted time is then `rounds` times `counted`, and disturbed blocks are not repeated. Next to an interleaved base commit, blocks stay apart.',
    ),
  objectives: z
    .strictObject({ gate: z.boolean() })
    .optional()
    .describe('`gate: true` makes missed objectives of all loads of the suite regressions.'),
  ramp: z
    .boolean()
    .default(false)
    .describe("Use the loads' stepped ramps instead of going to full load within the guard interval."),
});

const warmUpSchema = z.strictObject({
  window: positiveDuration.default(5).describe('Length of a window. Every scenario runs in each window.'),
  settledWindows: z
    .int()
    .min(2)
    .max(20)
    .default(3)
    .describe('Consecutive windows in which responses must stop becoming faster.'),
  latencyTolerance: percent
    .default(0.2)
    .describe(
      'How much slower an earlier one of these windows may be than the newest, by mean response time.',
    ),
  compileMsPerSecond: z
    .number()
    .positive()
    .default(250)
    .describe(
      'Most JIT compilation, in milliseconds per second. It is known from the metrics, or if the service is a JVM of this machine.',
    ),
  vus: vus
    .default(20)
    .describe(
      'Virtual users of each scenario. At first each scenario has one, because full load would starve the JIT.',
    ),
  cap: duration
    .default(300)
    .describe('Longest warm-up. A service that has not settled by then makes the run invalid.'),
});

const tolerancesSchema = z
  .strictObject({
    all: percent
      .optional()
      .describe('Tolerance of p95, TPS and CPU time, for those without their own below.'),
    ...(Object.fromEntries(
      metricNames.map((name) => {
        const { default: share, description } = metrics[name].tolerance;
        const otherwise = metrics[name].scale === 'ratio' ? 'Without it, `all` or' : 'Without it,';
        return [name, percent.optional().describe(`${description} ${otherwise} ${100 * share}%.`)];
      }),
    ) as Record<MetricName, z.ZodOptional<typeof percent>>),
  })
  .transform(({ all, ...own }) => {
    const tolerances = metricNames.map((name) => {
      const common = metrics[name].scale === 'ratio' ? all : undefined;
      return [name, own[name] ?? common ?? metrics[name].tolerance.default];
    });
    return Object.fromEntries(tolerances) as Record<MetricName, number>;
  });

const floorsSchema = z.strictObject(
  Object.fromEntries(
    ratioMetricNames.map((name) => {
      const { floor } = metrics[name];
      return [floor.setting, z.number().min(0).default(floor.default).describe(floor.description)];
    }),
  ) as Record<FloorName, z.ZodDefault<z.ZodNumber>>,
);

const limitsSchema = z.strictObject({
  generatorCpuShare: percent
    .default(0.4)
    .describe('Share of all cores. Above it the load generator itself may be the bottleneck.'),
  // Machine speed is divided out of the figures, so a disturbance only spoils a block at extremes.
  stealShare: percent
    .default(0.3)
    .describe('CPU time that other guests of the same host may take. A block above it is repeated.'),
  othersCpuShare: percent
    .default(0.3)
    .describe('CPU time that other programs of the same machine may take. A block above it is repeated.'),
});

export const baselineStoreKinds = ['file', 'branch'] as const;
export type BaselineStoreKind = (typeof baselineStoreKinds)[number];

const baselineConfigSchema = z.strictObject({
  keep: z
    .int()
    .min(1)
    .max(200)
    .default(20)
    .describe(
      'Runs to keep for each kind of machine and load. A check compares with ten of the newest twenty.',
    ),
  store: z
    .enum(baselineStoreKinds)
    .default('file')
    .describe(
      '`file`: in .perf-gate/baseline of the checkout. `branch`: on a branch for the baseline only. Every check reads it, and only `action/record` adds runs to it. On GitHub, the input `baseline-store` decides instead of this key.',
    ),
  branch: z
    .string()
    .min(1)
    .default('perf-gate-baseline')
    .describe('A branch for nothing else. The first write creates it.'),
  remote: z.string().min(1).default('origin').describe('Remote of the checkout that has the branch.'),
});

export const configSchema = z
  .strictObject({
    version: z.literal(1).describe('Version of this format.'),
    name: z.string().min(1).max(100).describe('Name of the service in reports.'),
    stack: stackSchema,
    allowTargets: z
      .array(z.string())
      .default([])
      .describe('Host names that the gate may load, in addition to the loopback interface.'),
    passEnvironment: z
      .array(variableName)
      .default([])
      .describe(
        'Variables that builds and the stack get from the environment of the Action, in addition to the usual ones such as PATH and JAVA_HOME. Name no secret: the measured code can read it.',
      ),
    generators: z
      .int()
      .min(1)
      .max(16)
      .default(1)
      .describe(
        'k6 processes that share each load, if one cannot send enough. Each runs setup() and evaluates thresholds on its own part. A script that gives virtual users rows of their own takes `exec.vu.idInTest`, or adds `VU_OFFSET` to `__VU`.',
      ),
    scenarios: z.record(name, scenarioSchema).describe('What users do, under names of your choice.'),
    suites: z.record(name, suiteSchema).describe('What a check measures, under names of your choice.'),
    sweeps: sweepsSchema,
    warmUp: warmUpSchema.prefault({}),
    tolerances: tolerancesSchema.prefault({}),
    floors: floorsSchema.prefault({}),
    signals: signalsSchema,
    limits: limitsSchema.prefault({}),
    baseline: baselineConfigSchema.prefault({}),
    outputs: outputsSchema,
    waivers: waiversSchema,
  })
  .superRefine((config, context) => {
    for (const [scenario, { loads }] of Object.entries(config.scenarios)) {
      for (const [load, settings] of Object.entries(loads)) {
        const problem = loadProblem(settings, config.generators);
        if (problem === undefined) continue;
        const { path = [], message } = problem;
        context.addIssue({ code: 'custom', path: ['scenarios', scenario, 'loads', load, ...path], message });
      }
    }
    const known = new Set(
      Object.entries(config.scenarios).flatMap(([scenario, { loads }]) =>
        Object.keys(loads).map((load) => `${scenario}@${load}`),
      ),
    );
    const scopes = new Set([...known, ...Object.keys(config.scenarios), allCells]);
    const rows = new Set<string>([...metricNames, ...Object.keys(config.signals)]);
    for (const [index, { cell, metric }] of config.waivers.entries()) {
      const unknown = (key: string, message: string) =>
        context.addIssue({ code: 'custom', path: ['waivers', index, key], message });
      if (!scopes.has(cell)) unknown('cell', 'expected a cell, a scenario or `*`');
      if (!rows.has(metric)) unknown('metric', `expected one of ${[...rows].join(', ')}`);
    }
    const { command } = config.stack.process?.service ?? {};
    for (const problem of sweepProblems(config.sweeps, known, command)) {
      context.addIssue({ code: 'custom', ...problem });
    }
    const shaped = (cell: string) => {
      const [scenario = '', load = ''] = cell.split('@');
      const { profile, users } = config.scenarios[scenario]?.loads[load] ?? {};
      return profile !== undefined || users !== undefined;
    };
    for (const [suiteName, { cells, costs, unbroken }] of Object.entries(config.suites)) {
      const seen = new Set<string>();
      const named = Object.entries({ cells, costs }).flatMap(([list, names]) =>
        names.map((cell, index) => ({ cell, path: ['suites', suiteName, list, index] })),
      );
      for (const { cell, path } of named) {
        if (!known.has(cell)) {
          context.addIssue({ code: 'custom', path, message: 'no such cell', params: { unknownCell: true } });
        } else if (seen.has(cell)) {
          // A duplicate cell would be measured twice and judged once.
          context.addIssue({ code: 'custom', path, message: 'expected each cell once' });
        } else if (unbroken && shaped(cell)) {
          const message = 'expected a load without `profile` or `users`, because the suite is unbroken';
          context.addIssue({ code: 'custom', path, message });
        }
        seen.add(cell);
      }
    }
  });

/** gate.yml as the gate works with it: durations in seconds, percentages as shares, defaults filled in. */
export type Config = z.output<typeof configSchema>;
/** gate.yml as a user writes it. */
export type ConfigText = z.input<typeof configSchema>;
export type ProcessStackConfig = NonNullable<Config['stack']['process']>;
export type ComposeStackConfig = NonNullable<Config['stack']['compose']>;
/** Data that a command makes once, for either kind of stack. */
export type DataConfig = NonNullable<ProcessStackConfig['data']>;
export { marginSeconds } from './load-config.ts';
export { type StackKind, stackKinds } from './run.ts';
export type ScenarioConfig = Config['scenarios'][string];
export type LoadConfig = ScenarioConfig['loads'][string];
export type SuiteConfig = Config['suites'][string];
export type SignalConfig = Config['signals'][string];
export type SignalGate = SignalConfig['gate'];
export type { OutputConfig } from './output-config.ts';
export type BaselineConfig = Config['baseline'];
export type WarmUpConfig = Config['warmUp'];
