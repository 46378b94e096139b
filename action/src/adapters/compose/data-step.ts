import { z } from 'zod';

/** What a step that ends (seeding, restoring) tells as a line of JSON on its standard output; the last one counts. */
const messageSchema = z
  .object({
    ready: z.boolean().default(true),
    /** Equal keys mean equal data. */
    dataKey: z.string().optional(),
    /** Why the data was made anew and not restored; empty if it was restored. */
    rebuilt: z.string().default(''),
    versions: z.record(z.string(), z.string()).default({}),
    timingsMs: z.record(z.string(), z.number().min(0)).default({}),
    error: z
      .object({
        code: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
        message: z.string(),
        nextStep: z.string().default('read its log'),
        logTail: z.array(z.string()).default([]),
      })
      .optional(),
  })
  // A line of a log that is written as JSON tells of errors too.
  .refine(({ ready, error }) => error === undefined || !ready);
export type DataStepMessage = z.output<typeof messageSchema>;

/** Undefined if no line of the log is such a message: a step need not tell anything. */
export function readDataStep(log: readonly string[]): DataStepMessage | undefined {
  for (const line of log.toReversed()) {
    if (!line.startsWith('{')) continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      // A line of the log that begins like one.
      continue;
    }
    const parsed = messageSchema.safeParse(value);
    if (parsed.success && Object.keys(value as object).some((key) => key in messageSchema.shape))
      return parsed.data;
  }
  return undefined;
}
