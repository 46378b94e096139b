import { z } from 'zod';

/** Version of a line of the series file. Raised when a reader of the former shape would misread it. */
export const seriesSchemaVersion = 1;

const counts = z.array(z.number().int().min(0));
/** Milliseconds; null in a second in which no request ended. */
const milliseconds = z.array(z.number().min(0).nullable());

/** Requests by the second in which they ended, second 0 first. All lists of a load have the same length. */
export const requestSeriesSchema = z.strictObject({
  requests: counts,
  /** Requests among them with an unexpected response or none. */
  failed: counts,
  p50Ms: milliseconds,
  p95Ms: milliseconds,
  p99Ms: milliseconds,
});
export type RequestSeries = z.infer<typeof requestSeriesSchema>;

const loadSeriesFields = {
  schema: z.literal(seriesSchemaVersion),
  side: z.enum(['base', 'head']),
  /** Time of the first request: second 0 begins here. */
  startedAt: z.iso.datetime(),
  /** Virtual users, by second; null where the generator reported none. */
  users: z.array(z.number().min(0).nullable()),
  all: requestSeriesSchema,
  /** By the `name` tag of the requests. */
  endpoints: z.record(z.string(), requestSeriesSchema),
  /** Failed requests by status, 0 for no answer, by second. */
  failures: z.record(z.string(), counts),
  /** When the readings were taken, in seconds since the first request. */
  readAtSeconds: z.array(z.number()),
  /** By the name of the reading, a key of `readings` in reading.ts; null where it could not be read. */
  readings: z.record(z.string(), z.array(z.number().nullable())),
};

const warmUpSeriesSchema = z.strictObject({ phase: z.literal('warm-up'), ...loadSeriesFields });

const blockSeriesSchema = z.strictObject({
  phase: z.literal('block'),
  ...loadSeriesFields,
  scenario: z.string(),
  load: z.string(),
  /** The round, counted from 0. */
  round: z.number().int().min(0),
  /** The block counts from this second on, */
  guardSeconds: z.number().min(0),
  /** for this long. */
  countedSeconds: z.number().positive(),
});
export type BlockSeries = z.infer<typeof blockSeriesSchema>;

/** What happened in each second of a block, or of a window of the warm-up: one line of the series file. */
export const loadSeriesSchema = z.discriminatedUnion('phase', [warmUpSeriesSchema, blockSeriesSchema]);
export type LoadSeries = z.infer<typeof loadSeriesSchema>;
/** What a load has in common in both phases. */
export type LoadSeconds = Omit<z.infer<typeof warmUpSeriesSchema>, 'schema' | 'phase' | 'side'>;
