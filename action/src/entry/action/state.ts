import { z } from 'zod';

/** What `main` leaves for `post`, saved before the thing to clean up exists. */
const actionStateSchema = z.strictObject({
  /** The checkout of the stack. */
  root: z.string(),
  stack: z.enum(['process', 'compose']),
  /** Folders to save for the next run; absent after an unfinished check. */
  cache: z.strictObject({ key: z.string(), paths: z.array(z.string()).readonly() }).optional(),
});
export type ActionState = z.infer<typeof actionStateSchema>;

const key = 'perf-gate';

export function saveActionState(saveState: (name: string, value: string) => void, state: ActionState): void {
  saveState(key, JSON.stringify(state));
}

/** Undefined if `main` ended before it started anything. */
export function readActionState(getState: (name: string) => string): ActionState | undefined {
  const text = getState(key);
  return text === '' ? undefined : actionStateSchema.parse(JSON.parse(text));
}
