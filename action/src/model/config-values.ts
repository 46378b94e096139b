import { z } from 'zod';

function seconds(text: string): number {
  const unit = /[a-z]+$/.exec(text)?.[0] ?? 's';
  return Number.parseFloat(text) * ({ ms: 0.001, s: 1, m: 60, h: 3600 }[unit] ?? 1);
}

/** `500ms`, `12s`, `2m`, `1h` as seconds. */
export const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h)$/, 'expected a duration such as 500ms, 12s or 2m')
  .transform(seconds);

/** A duration that rates divide by, so it cannot be 0. */
export const positiveDuration = z
  .string()
  .regex(/^(?=.*[1-9])\d+(\.\d+)?(ms|s|m|h)$/, 'expected a duration of more than 0, such as 500ms, 12s or 2m')
  .transform(seconds);

/** `10%` as 0.1. */
export const percent = z
  .string()
  .regex(/^\d+(\.\d+)?%$/, 'expected a percentage such as 10% or 0.5%')
  .transform((text) => Number.parseFloat(text) / 100);

export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected 1 to 64 letters, digits, dots, dashes or underscores',
  );
export const command = z
  .array(z.string().min(1))
  .min(1, 'expected a command as a list: [program, argument, ...]')
  .describe('Program and arguments; run without a shell.');
export const env = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string());
export const vus = z
  .int('expected a whole number of virtual users')
  .min(1, 'expected at least 1 virtual user')
  .max(100_000, 'expected at most 100000 virtual users');

/** A list, or one item for a list of one. */
export function oneOrMore<Item extends z.ZodType>(item: Item) {
  return z
    .union([item, z.array(item)])
    .default([])
    .transform((items) => (Array.isArray(items) ? items : [items]) as z.output<Item>[]);
}
export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
