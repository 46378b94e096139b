import { z } from 'zod';

/** What `main` leaves to `post`. Saved before the thing that it cleans up exists. */
const actionStateSchema = z.strictObject({
  /** Checkout that the stack belongs to. */
  root: z.string(),
  stack: z.enum(['process', 'compose']),
  /** To be kept for the next run; absent if nothing is to be, as after a check that was not finished. */
  cache: z.strictObject({ key: z.string(), paths: z.array(z.string()).readonly() }).optional(),
});
export type ActionState = z.infer<typeof actionStateSchema>;

const key = 'perf-gate';

export function saveActionState(saveState: (name: string, value: string) => void, state: ActionState): void {
  saveState(key, JSON.stringify(state));
}

/** Undefined if `main` ended before there was anything to clean up. */
export function readActionState(getState: (name: string) => string): ActionState | undefined {
  const text = getState(key);
  return text === '' ? undefined : actionStateSchema.parse(JSON.parse(text));
}
