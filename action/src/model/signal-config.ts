import { z } from 'zod';
import { name, percent } from './config-values.ts';
import { machineParts } from './metric.ts';

/** What growth of a signal beyond its limit does to its cell, least first. */
export const signalGates = ['report', 'suspect', 'fail'] as const;

/** What the load generator counts itself, named as k6 names it in Prometheus: bytes of the responses. */
export const receivedSeries = 'k6_data_received_total';

const fieldsSchema = z.strictObject({
  title: z.string().describe('Name of the cost in reports, such as `SQL statements per request`.'),
  from: z
    .enum(['service', ...machineParts])
    .describe(
      `Whose metrics hold the series. \`generator\` is k6, which counts \`${receivedSeries}\`: bytes of responses, headers included. Counts of \`backing\` with \`gate: fail\` also show whether it does the same work as in base, so that its CPU time shows the machine's speed.`,
    ),
  series: z
    .array(z.string())
    .min(1)
    .describe('Prometheus series to add up: a metric name, with {label="value"} to choose among its series.'),
  per: z
    .enum(['request', 'second', 'max', 'mean'])
    .describe(
      '`request`, `second`: growth of counters over the block. `max`, `mean`: of a gauge, read every second.',
    ),
  scale: z.number().positive().default(1).describe('Multiplies the value, to bring it to `unit`.'),
  unit: z.string().default('').describe('Unit of the scaled value, such as `ms`.'),
  gate: z
    .enum(signalGates)
    .default('report')
    .describe(
      '`fail`: growth is a regression, without a second measurement; needs `per: request`. `suspect`: growth beyond the usual scatter has the cell re-measured, and is a regression if it shows again. `report`: the report names growth.',
    ),
  tolerance: percent
    .optional()
    .describe('Growth beyond this counts. Without it, 2% with `gate: fail` and 10% otherwise.'),
  floor: z.number().min(0).default(0).describe('Growth by less than this never counts. In `unit`.'),
  hint: z.string().describe('What growth usually means, and where to search.'),
});

const signalSchema = fieldsSchema.superRefine(({ from, gate, per, series }, context) => {
  if (from === 'generator' && (per !== 'request' || series.some((one) => one !== receivedSeries))) {
    const message = `expected \`per: request\` and only the series ${receivedSeries} with \`from: generator\``;
    context.addIssue({ code: 'custom', path: ['from'], message });
  }
  // Only what requests cause is the same on a slow and on a fast machine.
  if (gate === 'fail' && per !== 'request') {
    const message = 'expected `per: request` with `gate: fail`';
    context.addIssue({ code: 'custom', path: ['gate'], message });
  }
});

type Signals = Readonly<Record<string, z.output<typeof signalSchema>>>;

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
  if (Object.values(signals).some(({ from }) => from === 'generator')) return signals;
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
