import type { Block, Fingerprint } from './run.ts';

/** Unit of a metric's values: milliseconds, requests per second, or a share from 0 to 1. */
export type MetricUnit = 'ms' | 'perSecond' | 'share';

/** What a metric measures. What other guests and programs took of the CPU is divided out of `time`, but not of `cpu`. */
type MetricFamily = 'time' | 'cpu' | 'errors';

/** What a value is read with, in addition to the block. */
export type ReadingMachine = Pick<Fingerprint, 'cpuCount'>;

/**
 * Standard deviations of natural logs, expected until stored runs say more. For small figures they are relative: 0.04
 * is 4%. `.github/docs/how-a-regression-is-decided.md` has the sources.
 */
export interface ExpectedNoise {
  /** Between blocks of one boot. */
  readonly block: number;
  /** Between boots, in each cell on its own. */
  readonly boot: number;
  /** Between runs, in all cells alike. */
  readonly run: number;
}

/** What hosts of one kind differ by, beyond runs of one host. */
export const hostNoise = { divided: 0.02, raw: 0.06 } as const;

/** Parts of the measurement other than the service, whose CPU time per request shows how fast the machine is. */
export const machineParts = ['generator', 'backing'] as const;
export type MachinePart = (typeof machineParts)[number];

/** The kernel reports the CPU time of processes in steps of 10 ms. Below ten steps, one is more than a tenth of the value. */
const leastCpuMs = 100;

/** CPU milliseconds per request of a role; undefined where the block does not have them. */
export function cpuPerRequest(role: string, block: Block, { cpuCount }: ReadingMachine): number | undefined {
  const cpuMsPerSecond = 1000 * (block.usage[role]?.cpuShare ?? 0) * cpuCount;
  return cpuMsPerSecond * block.countedSeconds >= leastCpuMs && block.tps > 0
    ? cpuMsPerSecond / block.tps
    : undefined;
}

interface CommonMetric {
  /** Name in reports. */
  readonly title: string;
  readonly unit: MetricUnit;
  /** The direction in which a change is worse. */
  readonly worse: 'higher' | 'lower';
  readonly family: MetricFamily;
  /** Whether the gate also judges the endpoints of a cell by it, one by one. */
  readonly perEndpoint: boolean;
  /** The key is the metric's name; a share from 0 to 1. */
  readonly tolerance: { readonly default: number; readonly description: string };
}

/** A positive quantity. Its change is relative to base and judged on the log scale, over the geometric mean of blocks. */
export interface RatioMetric extends CommonMetric {
  readonly scale: 'ratio';
  /** The block's value in the metric's unit; undefined if the block does not have it. */
  readonly read: (block: Block, machine: ReadingMachine) => number | undefined;
  /** The smallest value that a block can detect; a smaller one counts as this value. */
  readonly resolution: (block: Block) => number;
  /** `divided` by machine speed, and `raw`. */
  readonly noise: { readonly divided: ExpectedNoise; readonly raw: ExpectedNoise };
  /** Parts that may tell the machine's speed for this metric. */
  readonly yardstick: readonly MachinePart[];
  /** Whether the gate also judges it over the loads of a scenario, and over all cells. */
  readonly pooled: boolean;
  /** Whether a pass promises that a change as large as the tolerance would have been caught in every cell. */
  readonly promised: boolean;
  /** A worsening below this many milliseconds does not count. */
  readonly floor: {
    /** Its key in `floors` of the configuration. */
    readonly setting: string;
    readonly default: number;
    readonly description: string;
    /** The time in milliseconds that worsens with the metric, at base's value. */
    readonly baseMs: (base: number, vus: number) => number;
  };
}

/** A share of requests. Its change is a difference of shares, over the sums of all blocks; no floor applies. */
export interface ShareMetric extends CommonMetric {
  readonly scale: 'share';
  readonly count: (block: Block) => { readonly events: number; readonly trials: number };
}

export type Metric = RatioMetric | ShareMetric;

interface CpuNoise {
  readonly yardstick: readonly MachinePart[];
  readonly tolerance: number;
  /** Expected noise with the machine's speed divided out. */
  readonly boot: number;
  readonly run: number;
}

interface CpuFloor<Setting extends string> {
  readonly setting: Setting;
  readonly default: number;
  readonly description: string;
}

/** CPU time per request of one role. */
function cpuMetric<Setting extends string>(
  role: string,
  title: string,
  { yardstick, tolerance, boot, run }: CpuNoise,
  floor: CpuFloor<Setting>,
) {
  return {
    title,
    unit: 'ms',
    worse: 'higher',
    family: 'cpu',
    perEndpoint: false,
    tolerance: {
      default: tolerance,
      description: `Growth of ${title} per request, relative to base. A proved growth of more than half the limit fails the check. Blocks with less than 100 ms of CPU time are left out, because processes report it in steps of 10 ms.`,
    },
    scale: 'ratio',
    read: (block: Block, machine: ReadingMachine) => cpuPerRequest(role, block, machine),
    resolution: () => 1e-6,
    noise: {
      divided: { block: 0.06, boot, run },
      raw: { block: 0.1, boot: 0.03, run: 0.08 },
    },
    yardstick,
    pooled: true,
    promised: false,
    floor: { ...floor, baseMs: (base: number) => base },
  } as const;
}

/** Every metric that the gate judges, in the order in which a verdict lists them. */
const table = {
  p95: {
    title: 'p95',
    unit: 'ms',
    worse: 'higher',
    family: 'time',
    perEndpoint: true,
    tolerance: {
      default: 0.25,
      description:
        'Growth of p95 that a pass would have noticed, relative to base. A proved growth of more than half the limit fails the check.',
    },
    scale: 'ratio',
    read: ({ latency }) => latency.p95Ms,
    // k6 and the histogram count microseconds.
    resolution: () => 0.001,
    noise: {
      divided: { block: 0.09, boot: 0.012, run: 0.018 },
      raw: { block: 0.13, boot: 0.05, run: 0.09 },
    },
    yardstick: machineParts,
    pooled: false,
    promised: true,
    floor: {
      setting: 'p95Ms',
      default: 0.5,
      description: 'A p95 that grew by less does not count, in milliseconds.',
      baseMs: (base) => base,
    },
  },
  tps: {
    title: 'TPS',
    unit: 'perSecond',
    worse: 'lower',
    family: 'time',
    perEndpoint: false,
    tolerance: {
      default: 0.1,
      description:
        'Loss of throughput that a pass would have noticed, relative to base. A proved loss of more than half the limit fails the check.',
    },
    scale: 'ratio',
    read: ({ tps }) => tps,
    // A block that saw no request may have missed half of one, the usual continuity correction for a count of 0.
    resolution: ({ countedSeconds }) => Math.max(1e-6, 0.5 / Math.max(1, countedSeconds)),
    noise: {
      divided: { block: 0.035, boot: 0.007, run: 0.006 },
      raw: { block: 0.1, boot: 0.03, run: 0.08 },
    },
    yardstick: machineParts,
    pooled: true,
    promised: true,
    floor: {
      setting: 'meanMs',
      default: 0.1,
      description:
        'A loss of throughput does not count if the time per request (VUs / TPS, pauses of the script included) grew by less, in milliseconds.',
      // By Little's law (1961) a closed loop spends VUs / TPS on each request.
      baseMs: (base, vus) => (1000 * vus) / base,
    },
  },
  serviceCpu: cpuMetric(
    'service',
    'service CPU',
    { yardstick: machineParts, tolerance: 0.2, boot: 0.008, run: 0.02 },
    {
      setting: 'serviceCpuMs',
      default: 0.02,
      description: 'CPU time of the service per request that grew by less does not count, in milliseconds.',
    },
  ),
  // Its own CPU time cannot tell how fast the machine is.
  backingCpu: cpuMetric(
    'backing',
    'backing CPU',
    { yardstick: ['generator'], tolerance: 0.3, boot: 0.03, run: 0.01 },
    {
      setting: 'backingCpuMs',
      default: 0.02,
      description:
        'CPU time of the backing services per request that grew by less does not count, in milliseconds.',
    },
  ),
  errorRate: {
    title: 'errors',
    unit: 'share',
    worse: 'higher',
    family: 'errors',
    perEndpoint: true,
    tolerance: {
      default: 0.01,
      description:
        'Growth of the error rate that a pass would have noticed, in percentage points. A proved growth of more than half the limit fails the check.',
    },
    scale: 'share',
    count: ({ requests, errors }) => ({ trials: requests, events: Math.min(requests, errors) }),
  },
} as const satisfies Record<string, Metric>;

type Table = typeof table;
export type MetricName = keyof Table;
export type RatioMetricName = {
  [Name in MetricName]: Table[Name]['scale'] extends 'ratio' ? Name : never;
}[MetricName];
export type ShareMetricName = Exclude<MetricName, RatioMetricName>;
/** Metrics that endpoints are judged by. */
export type EndpointMetricName = {
  [Name in MetricName]: Table[Name]['perEndpoint'] extends true ? Name : never;
}[MetricName];
/** Keys of `floors` in the configuration. */
export type FloorName = Table[RatioMetricName]['floor']['setting'];

export const metrics: Readonly<Record<MetricName, Metric>> &
  Readonly<Record<RatioMetricName, RatioMetric & { readonly floor: { readonly setting: FloorName } }>> &
  Readonly<Record<ShareMetricName, ShareMetric>> = table;

export const metricNames = Object.keys(table) as [MetricName, ...MetricName[]];

export function isRatioMetric(name: MetricName): name is RatioMetricName {
  return metrics[name].scale === 'ratio';
}

export const ratioMetricNames = metricNames.filter(isRatioMetric) as [RatioMetricName, ...RatioMetricName[]];

export const endpointMetricNames = metricNames.filter((name) => metrics[name].perEndpoint) as [
  EndpointMetricName,
  ...EndpointMetricName[],
];

/** A change as measured, signed so that positive is worse; the same the other way round. */
export function worsening(name: MetricName, change: number): number {
  return metrics[name].worse === 'lower' ? -change : change;
}
