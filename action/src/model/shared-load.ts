import { z } from 'zod';
import { endpointBlockSchema, invalidReasonSchema, latencySchema } from './run.ts';

/** Name of the file that says what the generators were asked to do. */
export const sharedLoadFile = 'generator.json';

/** What several generators on other machines are asked to do together. */
export const sharedLoadPlanSchema = z.strictObject({
  schema: z.literal(1),
  /** Name of the test, which no other one has. The generators are called `NAME-1`, `NAME-2` and so on. */
  name: z.string(),
  /** Such as `browse@peak`. */
  cell: z.string(),
  /** Address that the generators load. */
  service: z.string(),
  /** How many generators share the load. */
  generators: z.number().int().positive(),
  /** Virtual users of all generators; the limit if `arrival` is present. */
  vus: z.number().int().positive(),
  /** When passes begin. Absent in a closed loop. */
  arrival: z
    .strictObject({
      /** The highest rate. */
      perSecond: z.number().positive(),
      seconds: z.number().positive(),
      /** Rates at the end of each part of the time, if they change. */
      stages: z
        .array(z.strictObject({ seconds: z.number().min(0), perSecond: z.number().min(0) }))
        .optional(),
    })
    .optional(),
  /** Seconds at the start that are not counted. */
  guardSeconds: z.number().min(0),
  countedSeconds: z.number().positive(),
  /** Version of the generator. */
  k6: z.string(),
  /** SHA-256 of the load, the script and every file that it loads. */
  loadHash: z.string(),
  /** Endpoints that need samples; absent if the configuration names none. */
  endpoints: z.array(z.string()).optional(),
});
export type SharedLoadPlan = z.infer<typeof sharedLoadPlanSchema>;

const generatorSchema = z.strictObject({
  /** Such as `gate-browse-peak-4f1c2a-3`. */
  name: z.string(),
  /** Machine that it ran on; absent if nobody knows. */
  node: z.string().optional(),
  /** How it ended. */
  end: z.string(),
  /** Requests of the whole load, guard interval included. */
  requests: z.number().int().min(0),
  /** Requests of the whole load that failed. */
  failed: z.number().int().min(0),
  /** When its first request began, ISO 8601, by the clock of its machine; absent if it sent none. */
  startedAt: z.iso.datetime().optional(),
});

/** The figures of a load that several generators sent, as those of one. */
export const sharedLoadSchema = z.strictObject({
  plan: sharedLoadPlanSchema,
  generators: z.array(generatorSchema),
  /** Requests that began within the counted interval, whenever they ended; errors and latency are theirs. */
  requests: z.number().int().min(0),
  errors: z.number().int().min(0),
  iterations: z.number().int().min(0),
  /** Requests that ended within the counted interval, per second of it. */
  tps: z.number().min(0),
  latency: latencySchema,
  endpoints: z.array(endpointBlockSchema),
  invalid: z.array(invalidReasonSchema),
});
export type SharedLoad = z.infer<typeof sharedLoadSchema>;
