import { z } from 'zod';
import { runSchema } from './run.ts';

/** Version of the baseline's shape on disk. */
export const baselineSchemaVersion = 1;

/** Runs to compare with, oldest first, of any fingerprint; the judge picks the comparable ones. */
export const baselineSchema = z.strictObject({
  schema: z.literal(baselineSchemaVersion),
  runs: z.array(runSchema),
});
export type Baseline = z.infer<typeof baselineSchema>;

/**
 * What a store found. Only `missing` is a start from nothing: the others are data that somebody
 * may still need, and are never written over. A schema that comes after this one migrates what it can of the former
 * while reading; `older` is what no reader knows any more.
 */
export type BaselineRead =
  | { readonly kind: 'found'; readonly baseline: Baseline }
  | { readonly kind: 'missing' }
  | { readonly kind: 'corrupt'; readonly place: string; readonly cause: string }
  | { readonly kind: 'newer'; readonly place: string; readonly schema: number }
  | { readonly kind: 'older'; readonly place: string; readonly schema: number };
