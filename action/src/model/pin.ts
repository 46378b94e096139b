import { z } from 'zod';
import { runSchema } from './run.ts';

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
