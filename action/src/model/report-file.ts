import { z } from 'zod';
import { runSchema } from './run.ts';

export const reportFileSchemaVersion = 1;

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
});
export type ReportFile = z.infer<typeof reportFileSchema>;
