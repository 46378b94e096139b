import { z } from 'zod';
import { interleavedSchema, runSchema } from './run.ts';

export const reportFileSchemaVersion = 2;

const shape = {
  /** Factor of the virtual users that the cells were measured with. */
  vuFactor: z.number().positive().max(100),
  /** Wall time of the check in seconds. */
  seconds: z.number().min(0),
  run: runSchema,
};

const current = z.strictObject({
  schema: z.literal(reportFileSchemaVersion),
  ...shape,
  /** The measurement of the base commit, interleaved with head; absent if there was none. */
  beside: interleavedSchema
    .refine(({ base }) => /^[0-9a-f]{40,64}$/.test(base.code.commit), {
      message: 'expected the commit of the base',
      path: ['base', 'code', 'commit'],
    })
    .optional(),
});

/** Version 1 had no interleaved base. */
const first = z.strictObject({ schema: z.literal(1), ...shape });

/**
 * What a pull request's job hands to the trusted side. It was written by a job that ran the pull request's code: it
 * is judged anew there, and nothing in it says where the verdict goes.
 */
export const reportFileSchema = z.discriminatedUnion('schema', [
  current,
  first.transform((report): z.infer<typeof current> => ({ ...report, schema: reportFileSchemaVersion })),
]);
export type ReportFile = z.infer<typeof reportFileSchema>;
