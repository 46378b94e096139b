import { z } from 'zod';
import { courseSchema } from './course.ts';
import { endpointMetricNames, isRatioMetric, machineParts, metricNames, ratioMetricNames } from './metric.ts';
import { fingerprintSchema, invalidReasonSchema } from './run.ts';
import { signalGates } from './signal-config.ts';

export const verdictSchemaVersion = 1;

/**
 * The outcomes, least serious first.
 * pass: no regression, and one at the limit would have been caught, or is ruled out.
 * coarse: no regression, but only larger ones would have been caught.
 * accepted: a regression, or a row that could not be decided, that somebody accepted for a time.
 * undecided: something looks worse and re-measuring neither confirmed nor cleared it, or it could not be compared.
 * noise: the machine was too disturbed to measure.
 * regression: worse by more than the tolerance and the floor, and not by chance.
 * invalid: the measurement itself cannot be trusted.
 */
export const outcomes = [
  'pass',
  'coarse',
  'accepted',
  'undecided',
  'noise',
  'regression',
  'invalid',
] as const;
export const outcomeSchema = z.enum(outcomes);
export type Outcome = z.infer<typeof outcomeSchema>;

export const intervalSchema = z.strictObject({
  low: z.number(),
  high: z.number(),
  /** Confidence level, 0 to 1. */
  level: z.number().min(0).max(1),
});
export type Interval = z.infer<typeof intervalSchema>;

export type { MetricName } from './metric.ts';

const metricNameSchema = z.enum(metricNames);

/**
 * One metric of one cell, base against head. The change, interval, limit and smallest visible change of a metric on
 * the `ratio` scale are relative to base: 0.1 is +10%. Those of one on the `share` scale are differences of shares:
 * 0.01 is 1 percentage point.
 */
export const metricVerdictSchema = z.strictObject({
  metric: metricNameSchema,
  outcome: outcomeSchema,
  /** Base's and head's value in the metric's unit. */
  base: z.number(),
  head: z.number(),
  /** Signed as measured: a positive p95 change is slower, a positive TPS change is faster. */
  change: z.number(),
  interval: intervalSchema,
  /** What is tolerated: the tolerance, or the absolute floor if that is more; signed in the direction that is worse. */
  limit: z.number(),
  limitFrom: z.enum(['tolerance', 'floor']),
  /** The smallest true worsening that would have been caught with 95% power; unsigned. */
  smallestVisible: z.number().min(0),
  /** Where coarse: blocks per side that would detect the limit; absent if no number of blocks would. */
  roundsNeeded: z.number().int().optional(),
  /** The worsening in standard errors, as a standard normal value: 2.4 is one in 120 by chance. */
  score: z.number(),
  /** The same by the second measurement alone; absent without one. */
  scoreAgain: z.number().optional(),
  /** True if the first measurement looked worse, so that it was to be repeated. */
  suspect: z.boolean(),
  /** Parts whose CPU time per request showed the machine's speed; empty if the change is that of the raw figures. */
  yardstick: z.array(z.enum(machineParts)),
  /** True if head is worse than base beyond chance, by whatever amount. */
  provedWorse: z.boolean(),
  /** True if the change is beyond the tolerance but smaller than the absolute floor, so that it does not count. */
  belowFloor: z.boolean(),
  /** True if head is better than base beyond chance, half the tolerance and the floor. */
  improved: z.boolean(),
});
export type MetricVerdict = z.infer<typeof metricVerdictSchema>;

/** False if a cell is judged by counts alone. A cell without a base has no metrics at all. */
export function isTimed({ metrics: judged }: { readonly metrics: readonly MetricVerdict[] }): boolean {
  return judged.length === 0 || judged.some(({ metric }) => isRatioMetric(metric));
}

export const endpointChangeSchema = z.strictObject({
  name: z.string(),
  base: z.strictObject({ meanMs: z.number(), p95Ms: z.number(), errorRate: z.number() }),
  head: z.strictObject({ meanMs: z.number(), p95Ms: z.number(), errorRate: z.number() }),
  /** Share of the cell's added time that this endpoint carries, 0 to 1; 0 if it became no slower. */
  shareOfAddedTime: z.number().min(0).max(1),
  /** Growth of the mean in ms beyond the wait that all endpoints share, which is what most of them grew by. */
  beyondSharedMs: z.number().min(0),
  /** Metrics by which this endpoint alone is proved worse than the cell's limits, in cells that do not regress. */
  worse: z.array(z.enum(endpointMetricNames)),
});
export type EndpointChange = z.infer<typeof endpointChangeSchema>;

/**
 * A signal (a cost per request, or a gauge), base against head: the median over the rounds that both sides have, and
 * in each round of base the median over its runs.
 */
export const signalChangeSchema = z.strictObject({
  name: z.string(),
  title: z.string(),
  unit: z.string(),
  base: z.number(),
  head: z.number(),
  /** Relative to base; null if base is 0. */
  change: z.number().nullable(),
  /** Present if less of it is worse. */
  worse: z.literal('lower').optional(),
  /** The growth that is tolerated: the tolerance, or the floor if that is more; in the unit. */
  limit: z.number().min(0),
  /** True if it moved, in the direction that is worse, by more than its limit. */
  moved: z.boolean(),
  gate: z.enum(signalGates),
  /** True if its growth is a regression of its cell, whatever the times show. */
  failed: z.boolean(),
  /**
   * What all measurements together say about a signal with `gate: suspect`, or about a count that the machine's speed may have
   * changed as much; absent for others.
   */
  evidence: z
    .strictObject({
      /** The growth in standard errors, as a standard normal value. That of a count only says whether it is decided. */
      score: z.number(),
      scoreAgain: z.number().optional(),
      /** True if it looked worse in the first measurement, which makes its cell a suspect. */
      suspect: z.boolean(),
      /** True if it looked worse, and no second measurement decided. */
      undecided: z.boolean(),
    })
    .optional(),
  /** The usual cause of such a move, from the configuration. */
  hint: z.string(),
});
export type SignalChange = z.infer<typeof signalChangeSchema>;

/** A signal with `gate: fail` that could not be compared. */
export const uncountedSchema = z.strictObject({
  name: z.string(),
  title: z.string(),
  /** Who has no value, or `rounds` if both have values but in fewer than two common rounds. */
  missing: z.enum(['base', 'head', 'both', 'rounds']),
});
export type Uncounted = z.infer<typeof uncountedSchema>;

export const objectiveResultSchema = z.strictObject({
  /** Such as `mean < 500 ms`. */
  objective: z.string(),
  value: z.number(),
  limit: z.number(),
  met: z.boolean(),
  /** True if missing it is a regression of its cell; absent if it decides nothing. */
  judged: z.literal(true).optional(),
});
export type ObjectiveResult = z.infer<typeof objectiveResultSchema>;

/** A method whose part in what the service does grew, wherever on the stack it is. */
export const frameChangeSchema = z.strictObject({
  /** As `package.Class.method`. */
  frame: z.string(),
  /** The method that calls it in most of head; null if none does. */
  caller: z.string().nullable(),
  base: z.number().min(0),
  head: z.number().min(0),
});
export type FrameChange = z.infer<typeof frameChangeSchema>;

/** What became of the service's code under the load of one cell: methods that grew, the one that grew most first. */
export const codeChangeSchema = z.strictObject({
  scenario: z.string(),
  load: z.string(),
  /** By the share of the service's CPU, 0 to 1. */
  cpu: z.array(frameChangeSchema),
  /** By milliseconds that all threads waited for locks and conditions, per second. */
  locks: z.array(frameChangeSchema),
});
export type CodeChange = z.infer<typeof codeChangeSchema>;

export const cellVerdictSchema = z.strictObject({
  scenario: z.string(),
  load: z.string(),
  vus: z.number().int().positive(),
  /** Passes that begin per second; absent for a closed loop. */
  arrival: z.number().positive().optional(),
  outcome: outcomeSchema,
  /** Head's own figures, also when there is nothing to compare with. */
  head: z.strictObject({
    tps: z.number(),
    meanMs: z.number(),
    p95Ms: z.number(),
    p99Ms: z.number(),
    errorRate: z.number(),
    requests: z.number().int(),
    blocks: z.number().int(),
    generatorCpuShare: z.number(),
  }),
  /** Empty without a comparable baseline, or when the cell is invalid or too disturbed. */
  metrics: z.array(metricVerdictSchema),
  /** Sorted by growth beyond the shared wait, then by added time. */
  endpoints: z.array(endpointChangeSchema),
  signals: z.array(signalChangeSchema),
  /** Empty if every signal that may fail the check was compared, or nothing was. */
  uncounted: z.array(uncountedSchema),
  objectives: z.array(objectiveResultSchema),
  /** What happened over the time of head's unbroken load; absent if that lasted less than five minutes. It decides nothing. */
  course: courseSchema.optional(),
  invalid: z.array(invalidReasonSchema),
  /**
   * Why no request to head succeeded in a round of the second measurement in which base answered the same load; absent
   * otherwise.
   */
  unanswered: invalidReasonSchema.optional(),
});
export type CellVerdict = z.infer<typeof cellVerdictSchema>;

/** A change that the cells of a scenario share, or all cells, each too small to count on its own. */
export const groupVerdictSchema = z.strictObject({
  /** The scenario; null for all cells. */
  scenario: z.string().nullable(),
  /** Names of its cells. */
  cells: z.array(z.string()),
  outcome: outcomeSchema,
  metrics: z.array(metricVerdictSchema),
});
export type GroupVerdict = z.infer<typeof groupVerdictSchema>;

/** A baseline run that was left out, and which parts of the fingerprint differ. */
export const mismatchSchema = z.strictObject({
  runId: z.string(),
  differences: z.array(z.strictObject({ field: z.string(), base: z.string(), head: z.string() })),
});
export type Mismatch = z.infer<typeof mismatchSchema>;

/** A comparable baseline run that was left out, being far from the others in all its cells. */
export const outlyingRunSchema = z.strictObject({
  runId: z.string(),
  metric: z.enum(ratioMetricNames),
  /** Against the median of the runs, relative, signed as measured. */
  change: z.number(),
});
export type OutlyingRun = z.infer<typeof outlyingRunSchema>;

/** Cells that looked worse and were then re-measured, interleaved with the base commit. */
const confirmedSchema = z.strictObject({
  baseCommit: z.string(),
  /** The outcome of both measurements together. */
  cells: z.array(z.strictObject({ name: z.string(), outcome: outcomeSchema })),
  /** Cells that looked worse too, and were not re-measured because another one fails the check; absent if there is none. */
  spared: z.array(z.string()).optional(),
  /** Why some of the second measurement cannot be trusted, so that it decides nothing; absent if all of it can. */
  spoiled: z.array(invalidReasonSchema).optional(),
});

export const comparisonSchema = z.discriminatedUnion('kind', [
  /** Nothing was compared: `--compare none`, or no comparable baseline. */
  z.strictObject({
    kind: z.literal('none'),
    reason: z.enum(['not-asked', 'no-baseline', 'not-comparable']),
    mismatches: z.array(mismatchSchema),
  }),
  z.strictObject({
    kind: z.literal('stored'),
    /** Runs used, oldest first. */
    base: z.array(z.strictObject({ runId: z.string(), commit: z.string(), startedAt: z.iso.datetime() })),
    mismatches: z.array(mismatchSchema),
    /** Ids of those of the newest ten runs that were left out because the machine had another speed; absent if none was. */
    otherSpeed: z.array(z.string()).min(1).optional(),
    /** Absent if no run lies far from the others. */
    outlying: z.array(outlyingRunSchema).optional(),
    confirmed: confirmedSchema.optional(),
    /** True if a second measurement cleared some of what these runs prove, and could not overrule them. */
    unconfirmed: z.literal(true).optional(),
  }),
  /** Both sides were measured interleaved on this machine. */
  z.strictObject({
    kind: z.literal('side-by-side'),
    baseCommit: z.string(),
    confirmed: confirmedSchema.optional(),
    /** Stored runs that this comparison replaces, because the checkout made all of them incomparable; absent otherwise. */
    mismatches: z.array(mismatchSchema).optional(),
    /** Cells whose base fails these endpoints, which head answers, so that nothing can be compared; absent if none. */
    beyondBase: z
      .array(z.strictObject({ cell: z.string(), endpoints: z.array(z.string()).min(1) }))
      .optional(),
    /** Head's outcome against the stored baseline, if that is judged too. */
    stored: z
      .strictObject({
        /** Null if no stored run is comparable. */
        outcome: outcomeSchema.nullable(),
        /** Names of the cells that regressed. */
        regressed: z.array(z.string()),
      })
      .optional(),
  }),
]);
export type Comparison = z.infer<typeof comparisonSchema>;

/** A row that regressed and that somebody accepted. */
export const acceptedRowSchema = z.strictObject({
  /** `scenario@load`, `scenario`, or `*` for all cells. */
  cell: z.string(),
  /** A metric or a signal. */
  metric: z.string(),
  /** The worsening, unsigned, relative to base, or a difference of shares; null from a base of 0. */
  growth: z.number().nullable(),
  /** Last day of the acceptance. */
  until: z.iso.date(),
  reason: z.string(),
  /** Absent if gate.yml accepts it. */
  by: z.string().optional(),
});
export type AcceptedRow = z.infer<typeof acceptedRowSchema>;

/** A setting or a file that shapes measuring and judging, and what the change does to it. */
export const judgingChangeSchema = z.strictObject({
  /** Path of a setting, such as `tolerances.p95`, or of a file. */
  what: z.string(),
  /** Such as `25% → 90%`. */
  change: z.string(),
});
export type JudgingChange = z.infer<typeof judgingChangeSchema>;
/** A metric of a cell that is worse than in a pinned run beyond chance and the limit. It decides nothing. */
export const sinceReleaseSchema = z.strictObject({
  /** Name of the pin. */
  release: z.string(),
  scenario: z.string(),
  load: z.string(),
  /** The pinned run against head. */
  metric: metricVerdictSchema,
});
export type SinceRelease = z.infer<typeof sinceReleaseSchema>;

export const verdictSchema = z.strictObject({
  schema: z.literal(verdictSchemaVersion),
  runId: z.string(),
  createdAt: z.iso.datetime(),
  suite: z.string(),
  outcome: outcomeSchema,
  comparison: comparisonSchema,
  cells: z.array(cellVerdictSchema),
  groups: z.array(groupVerdictSchema),
  /** Reasons that concern the whole run. */
  invalid: z.array(invalidReasonSchema),
  code: z.strictObject({ commit: z.string(), branch: z.string(), dirty: z.boolean() }),
  fingerprint: fingerprintSchema,
  /** Wall time of the check in seconds. */
  seconds: z.number().min(0),
  /** Cells of which base and head were profiled; absent if none was. It decides nothing. */
  codeChanges: z.array(codeChangeSchema).optional(),
  /** Options of scenarios' scripts that the load of gate.yml replaced; absent if none. */
  replacedOptions: z.array(z.string()).optional(),
  /** Regressions that somebody accepted; absent without any. */
  accepted: z.array(acceptedRowSchema).optional(),
  /** What the change does to how it is measured and judged; absent if nothing, or if that is unknown. */
  judgingChanges: z.array(judgingChangeSchema).optional(),
  /** True if the default branch's configuration judged, and not that of the change. */
  judgedByDefaultBranch: z.boolean().optional(),
  /** What became worse since pinned runs, the newest pin first; absent if nothing did. */
  since: z.array(sinceReleaseSchema).optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** Cells that looked worse and were not re-measured, because another one fails the check. */
export function sparedCells({ comparison }: Pick<Verdict, 'comparison'>): readonly string[] {
  return comparison.kind === 'none' ? [] : (comparison.confirmed?.spared ?? []);
}
