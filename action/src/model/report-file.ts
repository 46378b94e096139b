import { z } from 'zod';
import { interleavedSchema, runSchema } from './run.ts';

export const reportFileSchemaVersion = 3;

const baseSchema = runSchema.refine(({ code }) => /^[0-9a-f]{40,64}$/.test(code.commit), {
  message: 'expected the commit of the base',
  path: ['code', 'commit'],
});

/**
 * What a pull request's job hands to the trusted side. It was written by a job that ran the pull request's code: it
 * is judged anew there, and nothing in it says where the verdict goes.
 */
export const reportFileSchema = z.strictObject({
  schema: z.literal(reportFileSchemaVersion),
  /** Factor of the virtual users that the cells were measured with. */
  vuFactor: z.number().positive().max(100),
  /** Wall time of the check in seconds. */
  seconds: z.number().min(0),
  run: runSchema,
  /** The base commit, if its blocks were interleaved with those of the run. */
  base: baseSchema.optional(),
  /** The second measurement, of suspect cells. */
  again: interleavedSchema.extend({ base: baseSchema }).optional(),
});
export type ReportFile = z.infer<typeof reportFileSchema>;
