import { z } from 'zod';

/** Version of a line of the profile file. Raised when a reader of the former shape would misread it. */
export const profileSchemaVersion = 1;

/** Stacks of each kind that a profile keeps, the heaviest ones. */
export const mostStacks = 2_000;

/** Call stacks with their weights, of a kind that can be added up. */
const stacksSchema = z.strictObject({
  /** Weight of all stacks, also of those that were left out because there were too many. */
  total: z.number().min(0),
  /** Heaviest first. */
  stacks: z
    .array(
      z.strictObject({
        /** Indexes into the frames of the profile, outermost first. */
        frames: z.array(z.number().int().min(0)),
        weight: z.number().positive(),
        /** How often the stack was seen. */
        count: z.number().int().positive(),
      }),
    )
    .max(mostStacks),
});
export type Stacks = z.infer<typeof stacksSchema>;

/** Where a service used CPU and waited, while it was under a load. */
export const stackProfileSchema = z.strictObject({
  /** How long it was observed. */
  seconds: z.number().positive(),
  /** Names of methods as `package.Class.method`, each once. */
  frames: z.array(z.string()),
  /** How the CPU was sampled: every so many milliseconds of CPU time, or now and then whatever runs. */
  sampledBy: z.enum(['cpu-time', 'execution']),
  /** Samples of running code. */
  cpu: stacksSchema,
  /** Milliseconds that threads waited for locks, monitors and conditions. */
  locks: stacksSchema,
});
export type StackProfile = z.infer<typeof stackProfileSchema>;

/** One side's profile of a cell: one line of the profile file. */
export const cellProfileSchema = stackProfileSchema.extend({
  schema: z.literal(profileSchemaVersion),
  side: z.enum(['base', 'head']),
  scenario: z.string(),
  load: z.string(),
});
export type CellProfile = z.infer<typeof cellProfileSchema>;
