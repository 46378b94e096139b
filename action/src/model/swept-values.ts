import { z } from 'zod';
import type { Variant } from './sweep.ts';

/** A variable, or an argument of the service's command, and the values that a sweep gives it. */
export interface SweptVariable {
  readonly name: string;
  readonly values: readonly string[];
}

const mostValues = 100;

/** An argument begins with a dash. Everything else is an environment variable. */
export function isArgument(name: string): boolean {
  return name.startsWith('-');
}

export const sweptName = z
  .string()
  .regex(
    /^([A-Za-z_][A-Za-z0-9_]*|-.+)$/s,
    "expected the name of a variable, or an argument of the service's command, which begins with a dash",
  );

function rangeOf(from: string, to: string): readonly string[] | string {
  if (!/^\d+$/.test(from) || !/^\d+$/.test(to)) return 'expected a whole number on both sides of a range';
  const count = Number(to) - Number(from) + 1;
  if (count < 1) return 'expected a range that ends where it starts, or after it';
  if (count > mostValues) return `expected at most ${mostValues} values in a range`;
  return Array.from({ length: count }, (_, step) => String(Number(from) + step));
}

/** Reads `1..10,17,50`. A value that is named twice counts once. What is wrong with the text comes back as a text. */
export function sweptValues(text: string): readonly string[] | string {
  const values: string[] = [];
  for (const part of text.split(',')) {
    const [from = '', to, ...rest] = part.split('..');
    const found = to === undefined || rest.length > 0 ? [part.trim()] : rangeOf(from.trim(), to.trim());
    if (typeof found === 'string') return found;
    values.push(...found);
  }
  if (values.includes('')) return 'expected a value before and after each comma';
  return [...new Set(values)];
}

/** Every combination of the values and of the variants once, the last variable changing fastest. */
export function gridOf(
  variables: readonly SweptVariable[],
  variants: readonly Variant[] = [],
): readonly Variant[] {
  const all = variables.reduce<readonly Variant[]>(
    (found, { name, values }) => found.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    variants.length === 0 ? [{}] : variants,
  );
  const keyOf = (one: Variant) => JSON.stringify(Object.entries(one).toSorted());
  return [...new Map(all.map((one) => [keyOf(one), one])).values()];
}
