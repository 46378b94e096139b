import { Fault } from '../../model/fault.ts';
import type { Variant } from '../../model/sweep.ts';

/** One variable and the values that a sweep gives it. */
export interface SweptVariable {
  readonly name: string;
  readonly values: readonly string[];
}

const mostValues = 100;

function badSet(text: string, cause: string): Fault {
  return new Fault({
    code: 'E_SWEEP_SET',
    kind: 'usage',
    place: `--set ${text}`,
    cause,
    nextStep: 'write a range such as DB_POOL_SIZE=1..10, or a list such as DB_POOL_SIZE=1,5,17',
  });
}

function rangeOf(text: string, from: string, to: string): readonly string[] {
  if (!/^\d+$/.test(from) || !/^\d+$/.test(to))
    throw badSet(text, 'a range needs a whole number on both sides');
  const count = Number(to) - Number(from) + 1;
  if (count < 1) throw badSet(text, 'the range ends before it starts');
  if (count > mostValues) throw badSet(text, `the range has more than ${mostValues} values`);
  return Array.from({ length: count }, (_, step) => String(Number(from) + step));
}

/** Reads `NAME=1..10,17,50`. A value that is named twice counts once. */
export function parseSet(text: string): SweptVariable {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0)).trim();
  if (name === '') throw badSet(text, 'it names no variable');
  const given = text.slice(at + 1).trim();
  const values = given.split(',').flatMap((part) => {
    const [from = '', to, ...rest] = part.split('..');
    const isRange = to !== undefined && rest.length === 0;
    return isRange ? rangeOf(text, from.trim(), to.trim()) : [part.trim()];
  });
  if (values.includes('')) throw badSet(text, 'a value is missing');
  return { name, values: [...new Set(values)] };
}

/**
 * Reads `-XX:+UseParallelGC,-XX:+UseZGC`: an argument of the service's command, and what takes its place. The first value is
 * the argument itself.
 */
export function parseReplace(text: string): SweptVariable {
  const values = text.split(',').map((one) => one.trim());
  const [name = ''] = values;
  if (values.includes('')) throw badSet(text, 'a value is missing');
  return { name, values: [...new Set(values)] };
}

/** Every combination of the values, the last variable changing fastest. */
export function gridOf(variables: readonly SweptVariable[]): readonly Variant[] {
  const grid = variables.reduce<readonly Variant[]>(
    (found, { name, values }) => found.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
  if (grid.length < 2)
    throw badSet(
      variables.map(({ name }) => name).join(' '),
      'there is only one value, so nothing to compare',
    );
  return grid;
}
