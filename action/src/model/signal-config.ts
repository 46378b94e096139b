import { z } from 'zod';
import { name, percent } from './config-values.ts';
import { machineParts } from './metric.ts';

/** What growth of a signal beyond its limit does to its cell, least first. */
export const signalGates = ['report', 'suspect', 'fail'] as const;

/** What the load generator counts itself, named as k6 names it in Prometheus: bytes of the responses. */
export const receivedSeries = 'k6_data_received_total';

/** True for the bytes that k6 receives, the generator's work. Other metrics of k6 measure the service. */
export function isReceivedBytes({
  from,
  series,
}: {
  readonly from: string;
  readonly series: readonly string[];
}) {
  return from === 'generator' && series.includes(receivedSeries);
}

/** The metrics of k6 or of its script that signals are read from. */
export function scriptMetrics(signals: Readonly<Record<string, SignalConfig>>): readonly string[] {
  const read = Object.values(signals).filter((one) => one.from === 'generator' && !isReceivedBytes(one));
  return [...new Set(read.flatMap(({ series }) => series))];
}

/** What is shown of a metric of the script that no signal reads, named `METRIC STATISTIC`, as no signal can be called. */
export const shownStatistics = ['per request', 'mean', 'p95'] as const;
const shownName = new RegExp(`^[A-Za-z_][A-Za-z0-9_]{0,127} (${shownStatistics.join('|')})$`);

/** Signals for what the blocks hold of metrics that no signal reads. Nobody said what is worse, so they move nothing. */
export function shownSignals(names: Iterable<string>): Readonly<Record<string, SignalConfig>> {
  const shown = [...new Set(names)].filter((name) => shownName.test(name));
  return Object.fromEntries(
    shown.map((title) => [
      title,
      {
        title,
        from: 'generator',
        series: [],
        per: 'mean',
        scale: 1,
        unit: '',
        gate: 'report',
        floor: Number.MAX_VALUE,
        hint: '',
      } satisfies SignalConfig,
    ]),
  );
}

/** Distributions of a metric's values, which only k6 gives one by one. */
const quantilesOfValues: readonly string[] = ['p50', 'p95', 'p99'];

const fieldsSchema = z.strictObject({
  title: z.string().describe('Name of the cost in reports, such as `SQL statements per request`.'),
  from: z
    .enum(['service', ...machineParts])
    .describe(
      `Whose metrics hold the series. \`generator\` is k6: any metric of the script (Trend, Rate, Counter) or of k6, such as \`grpc_req_duration\`, and \`${receivedSeries}\`: bytes of responses, headers included. Counts of \`backing\` with \`gate: fail\` also show whether it does the same work as in base, so that its CPU time shows the machine's speed.`,
    ),
  series: z
    .array(z.string())
    .min(1)
    .describe(
      'Prometheus series to add up: a metric name, with {label="value"} to choose among its series. Names alone with `from: generator`.',
    ),
  per: z
    .enum(['request', 'second', 'max', 'mean', 'p50', 'p95', 'p99'])
    .describe(
      '`request`, `second`: growth of counters over the block. `max`, `mean`: of a gauge, read every second. With `from: generator`, all but the first two are of the values of one metric, and the `mean` of a Rate is its share.',
    ),
  worse: z
    .enum(['higher', 'lower'])
    .optional()
    .describe(
      'The direction that is worse. Without it, `higher`. With `lower`, read loss for growth in the keys below.',
    ),
  scale: z.number().positive().default(1).describe('Multiplies the value, to bring it to `unit`.'),
  unit: z.string().default('').describe('Unit of the scaled value, such as `ms`.'),
  gate: z
    .enum(signalGates)
    .default('report')
    .describe(
      '`fail`: growth is a regression, without a second measurement unless the speed of the machine may explain it; needs `per: request`. `suspect`: growth beyond the usual scatter makes the cell a suspect, and is a regression if a second measurement confirms it. `report`: the report names growth.',
    ),
  tolerance: percent
    .optional()
    .describe('Growth beyond this counts. Without it, 2% with `gate: fail` and 10% otherwise.'),
  floor: z.number().min(0).default(0).describe('Growth by less than this never counts. In `unit`.'),
  hint: z.string().describe('What growth usually means, and where to search.'),
});

const signalSchema = fieldsSchema.superRefine((signal, context) => {
  const { from, gate, per, series } = signal;
  const isOfValues = per !== 'request' && per !== 'second';
  if (isReceivedBytes(signal) && (per !== 'request' || series.length > 1)) {
    const message = `expected \`per: request\` and no other series with ${receivedSeries}`;
    context.addIssue({ code: 'custom', path: ['series'], message });
  }
  if (from === 'generator' && isOfValues && series.length > 1) {
    const message = `expected one metric with \`per: ${per}\` of the generator`;
    context.addIssue({ code: 'custom', path: ['series'], message });
  }
  if (from === 'generator' && !series.every((one) => /^[A-Za-z_]\w{0,127}$/.test(one))) {
    const message = 'expected the name of a k6 metric, without labels';
    context.addIssue({ code: 'custom', path: ['series'], message });
  }
  if (from !== 'generator' && quantilesOfValues.includes(per)) {
    const message = `expected \`from: generator\` with \`per: ${per}\``;
    context.addIssue({ code: 'custom', path: ['per'], message });
  }
  // Only what requests cause is the same on a slow and on a fast machine.
  if (gate === 'fail' && per !== 'request') {
    const message = 'expected `per: request` with `gate: fail`';
    context.addIssue({ code: 'custom', path: ['gate'], message });
  }
});

export type SignalConfig = z.output<typeof signalSchema>;
type Signals = Readonly<Record<string, SignalConfig>>;

/** The one cost that k6 counts of every service. */
export const bytesReceived = {
  title: 'bytes received per request',
  from: 'generator',
  series: [receivedSeries],
  per: 'request',
  unit: 'B',
  hint: 'A list without a limit, or fields that nobody reads.',
} satisfies z.input<typeof signalSchema>;

/** Adds the bytes that k6 receives, unless the user counts them. The judge needs to know whether k6 has the same work. */
function withReceivedBytes(signals: Signals): Signals {
  if (Object.values(signals).some(isReceivedBytes)) return signals;
  const reported = signalSchema.parse({ ...bytesReceived, tolerance: '2%', floor: 10 });
  return { bytesReceived: reported, ...signals };
}

export const signalsSchema = z
  .record(name, signalSchema)
  .default({})
  .transform(withReceivedBytes)
  .describe(
    'Costs to compare, under names of your choice. Bytes received per request are always among them.',
  );
