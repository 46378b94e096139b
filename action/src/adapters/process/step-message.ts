import { z } from 'zod';
import { Fault } from '../../model/fault.ts';

/** What every command that prepares data reports about its work. */
export const stepFields = {
  versions: z.record(z.string(), z.string()).default({}),
  timingsMs: z.record(z.string(), z.number().min(0)).default({}),
};

export const stepErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  nextStep: z.string().default('read its log'),
  logTail: z.array(z.string()).default([]),
});

/** What a step that ends, such as seeding, prints as a line of JSON; the last such line counts. */
const messageSchema = z
  .object({
    ready: z.boolean().default(true),
    /** Equal keys mean equal data. */
    dataKey: z.string().optional(),
    /** Why the data was rebuilt instead of restored; empty if it was restored. */
    rebuilt: z.string().default(''),
    ...stepFields,
    error: stepErrorSchema.optional(),
  })
  // A structured log line may hold an error too, but it does not say that the data is not ready.
  .refine(({ ready, error }) => error === undefined || (!ready && /^[A-Z][A-Z0-9_]*$/.test(error.code)));
export type StepMessage = z.output<typeof messageSchema>;

/** Undefined if no line of the log is such a message, because a step need not print one. */
export function readStepMessage(log: readonly string[]): StepMessage | undefined {
  for (const line of log.toReversed()) {
    const value = line.startsWith('{') ? parsedJson(line) : undefined;
    const parsed = messageSchema.safeParse(value);
    if (parsed.success && Object.keys(value as object).some((key) => key in messageSchema.shape))
      return parsed.data;
  }
  return undefined;
}

export function stepFault(
  { code, message, nextStep, logTail }: z.output<typeof stepErrorSchema>,
  place: string,
): Fault {
  return new Fault({ code, kind: 'measurement', place, cause: message, nextStep, logTail });
}

/** Seconds by step. */
export function stepSeconds(timingsMs: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(timingsMs).map(([step, ms]) => [step, ms / 1000]));
}

/** Undefined for text that is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
