import type { Block, Fingerprint } from './run.ts';

/** Unit of a metric's values: milliseconds, requests per second, or a share from 0 to 1. */
export type MetricUnit = 'ms' | 'perSecond' | 'share';

/**
 * Metrics that measure one fact and are tested together: a cell counts once per family when the gate controls for
 * many comparisons. `time`: in a closed loop p95 and throughput move together. `errors`: failed requests.
 */
export const metricFamilies = ['time', 'errors'] as const;
export type MetricFamily = (typeof metricFamilies)[number];

/** What a value is read with, in addition to the block. */
export type ReadingMachine = Pick<Fingerprint, 'cpuCount'>;

/**
 * Standard deviations of natural logs, expected before a run says more. For small figures they are relative: 0.04
 * is 4%. `.github/adr/0003` has the sources.
 */
export interface ExpectedNoise {
  /** Between blocks of one boot. */
  readonly block: number;
  /** Between boots of the service, beyond what their blocks show. */
  readonly boot: number;
  /** Between machines of one kind. */
  readonly host: number;
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
  readonly noise: ExpectedNoise;
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

/** Every metric that the gate judges, in the order in which a verdict lists them. */
const table = {
  p95: {
    title: 'p95',
    unit: 'ms',
    worse: 'higher',
    family: 'time',
    perEndpoint: true,
    tolerance: { default: 0.25, description: 'Growth of p95 that is tolerated, relative to base.' },
    scale: 'ratio',
    read: ({ latency }) => latency.p95Ms,
    // k6 and the histogram count microseconds.
    resolution: () => 0.001,
    noise: { block: 0.1, boot: 0.05, host: 0.04 },
    floor: {
      setting: 'p95Ms',
      default: 3,
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
    tolerance: { default: 0.1, description: 'Loss of throughput that is tolerated, relative to base.' },
    scale: 'ratio',
    read: ({ tps }) => tps,
    // A block that saw no request may have missed half of one, the usual continuity correction for a count of 0.
    resolution: ({ countedSeconds }) => Math.max(1e-6, 0.5 / Math.max(1, countedSeconds)),
    noise: { block: 0.04, boot: 0.025, host: 0.04 },
    floor: {
      setting: 'meanMs',
      default: 1,
      description:
        'A loss of throughput does not count if the time per request (VUs / TPS, pauses of the script included) grew by less, in milliseconds.',
      // By Little's law (1961) a closed loop spends VUs / TPS on each request.
      baseMs: (base, vus) => (1000 * vus) / base,
    },
  },
  errorRate: {
    title: 'errors',
    unit: 'share',
    worse: 'higher',
    family: 'errors',
    perEndpoint: true,
    tolerance: {
      default: 0.01,
      description: 'Growth of the error rate that is tolerated, in percentage points.',
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
