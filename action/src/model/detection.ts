import { z } from 'zod';
import { ratioMetricNames } from './metric.ts';

/** Version of the shape of the bench's results. */
const detectionSchemaVersion = 1;

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

/** A share of checks, with a 95% interval. */
const rateSchema = z.strictObject({ rate: share, low: share, high: share });
export type Rate = z.infer<typeof rateSchema>;

/** Where the noise of one metric comes from, as standard deviations of logs: 0.04 is 4%. */
const noisePartsSchema = z.strictObject({
  metric: z.enum(ratioMetricNames),
  /** Whether the machine's speed was divided out. */
  kind: z.enum(['raw', 'divided']),
  /** Between blocks of one boot. */
  block: z.number(),
  /** Between boots, in each cell on its own. */
  boot: z.number(),
  /** Between runs, in all cells alike: hours, and hosts if the runs were made on several. */
  run: z.number(),
});
export type NoiseParts = z.infer<typeof noisePartsSchema>;

/** The smallest tolerance of a metric with which all cells pass at once in 95% of the checks that could be judged. */
const toleranceSchema = z.strictObject({
  metric: z.enum(ratioMetricNames),
  /** A share; absent if none is wide enough. */
  tolerance: z.number().optional(),
  /** Those that could be judged. */
  checks: count,
  /** True from 20 checks on. */
  isSure: z.boolean(),
});
export type SupportedTolerance = z.infer<typeof toleranceSchema>;

const ruleSchema = z.strictObject({
  name: z.string(),
  title: z.string(),
  /** Where the rule is written down; absent for this project's own. */
  source: z.string().optional(),
});

/** What a rule answers on checks of one kind. */
const answersSchema = z.strictObject({
  rule: z.string(),
  checks: count,
  /** Different runs or pairs that were judged; absent where every check was drawn anew. */
  runs: count.optional(),
  red: rateSchema,
  /** Shares of the checks. */
  suspect: share,
  outcomes: z.record(z.string(), share),
  /** Mean per check. */
  minutes: z.number().min(0),
});
export type RuleAnswers = z.infer<typeof answersSchema>;

const bothRatesSchema = z.strictObject({ falseAlarms: rateSchema, power: rateSchema });
export type BothRates = z.infer<typeof bothRatesSchema>;

/** What a rule does in the half of the checks that tests, with its own limit and with others. */
const equalSchema = z.strictObject({
  rule: z.string(),
  /** This project's rule that the others are held against; absent for that rule. */
  against: z.string().optional(),
  asItIs: bothRatesSchema,
  /** With as many false alarms as this project's rule has in the half that calibrates; absent for that rule. */
  atFalseAlarms: bothRatesSchema.optional(),
  /** With as much power for the reference change. */
  atPower: bothRatesSchema.optional(),
});

/** How the rate of one rule in one scene comes about. */
export interface Explanation {
  readonly rule: string;
  readonly scene: string;
  readonly red: Rate;
  readonly checks: readonly {
    /** Ids of the run or the pair's head that was judged, and of what it was compared with. */
    readonly head: string;
    readonly base: readonly string[];
    /** The cell that the change was put into, `all`, or empty. */
    readonly changed: string;
    readonly outcome: string;
    /**
     * For a peer, the figure that is farthest beyond its limit, with its value in each run, or in each block of a pair. For
     * this project's rule, the figure that failed the check, or else the one farthest from chance, with its mean on each side.
     */
    readonly worst?: {
      readonly name: string;
      readonly base: readonly number[];
      readonly head: readonly number[];
      /** Multiple of the limit. This project's rule fails a time or CPU that is proved to change by more than half of it. */
      readonly score: number;
    };
  }[];
}

/** What the bench found about all rules, with what it was found with. */
export const detectionSchema = z.strictObject({
  schema: z.literal(detectionSchemaVersion),
  /** Of the code that judged. */
  commit: z.string(),
  date: z.iso.date(),
  machine: z.strictObject({ cpuModel: z.string(), cpuCount: count }),
  seconds: z.number().min(0),
  data: z.strictObject({
    /** Unchanged runs that were measured alone, and by the regime of the machine. */
    runs: count,
    regimes: z.record(z.string(), count),
    /** Unchanged pairs that were measured interleaved, and by head's regime. Without any, pairs are resampled from stored runs. */
    pairs: count,
    pairRegimes: z.record(z.string(), count),
    changes: count,
    blocks: count,
    from: z.string(),
    to: z.string(),
    recordedOn: z.string(),
    /** Stored runs that rules may look at, at most. */
    history: count,
    trials: count,
  }),
  /** Of each group of comparable runs: standard deviations of logs, as `gate calibrate` prints them. */
  noise: z.array(
    z.strictObject({
      machine: z.string(),
      /** When the first run of the group began. */
      from: z.string(),
      runs: count,
      parts: z.array(noisePartsSchema),
    }),
  ),
  /** The smallest ones with which unchanged runs pass at once, as `UnchangedChecks` has them. */
  tolerances: z.array(toleranceSchema),
  rules: z.array(ruleSchema),
  /** Recorded runs of unchanged code, by the regime of head; `all` is all of them. */
  unchanged: z.array(answersSchema.extend({ regime: z.string() })),
  /** The same, if the peers watch throughput alone. */
  byThroughput: z.array(answersSchema),
  /** Recorded runs with an effect put into head. */
  power: z.array(answersSchema.extend({ scene: z.string() })),
  /** Peers whose limit is set anew by the earlier half of the runs, and tested on the later one. */
  equal: z.array(equalSchema),
  levers: z.array(
    z.strictObject({ lever: z.string(), title: z.string(), scene: z.string(), red: rateSchema }),
  ),
  changes: z.array(z.strictObject({ change: z.string(), rule: z.string(), answer: z.string() })),
  series: z.array(
    z.strictObject({
      rule: z.string(),
      title: z.string(),
      scene: z.string(),
      series: count,
      falseAlarms: share,
      /** Share of the series in which the change was found within 5 and within 20 runs. */
      within5: share,
      within20: share,
      /** Median number of runs until it was; absent if it was not found. */
      medianDelay: z.number().optional(),
    }),
  ),
  simulated: z.array(answersSchema.extend({ world: z.string(), title: z.string(), scene: z.string() })),
  /** The same as `equal`, for the simulated checks of each world. */
  simulatedEqual: z.array(equalSchema.extend({ world: z.string() })),
});
export type Detection = z.infer<typeof detectionSchema>;
