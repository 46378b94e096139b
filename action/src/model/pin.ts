import { z } from 'zod';
import { type Run, runSchema } from './run.ts';

/** Version of a pin's shape on disk. */
export const pinSchemaVersion = 1;

/** It is part of a file's name and of a page. */
export const pinNameSchema = z
  .string()
  .regex(/^[0-9A-Za-z][\w.+-]{0,63}$/, 'expected letters, digits and . _ + - only, 64 at most');

/** A run that somebody keeps by a name, such as that of a release. It holds a copy, so it stays when the run goes. */
export const pinSchema = z.strictObject({
  schema: z.literal(pinSchemaVersion),
  name: pinNameSchema,
  pinnedAt: z.iso.datetime(),
  run: runSchema,
});
export type Pin = z.infer<typeof pinSchema>;

/**
 * The runs, oldest first, each once, with those that only a pin keeps. Stored runs keep their order, which is that of their
 * commits, so a pinned run comes before the first one that started later.
 */
export function withPinned(runs: readonly Run[], pins: readonly Pin[]): readonly Run[] {
  const all = [...runs];
  for (const { run } of pins) {
    if (all.some(({ id }) => id === run.id)) continue;
    const later = all.findIndex(({ startedAt }) => Date.parse(startedAt) > Date.parse(run.startedAt));
    all.splice(later < 0 ? all.length : later, 0, run);
  }
  return all;
}
