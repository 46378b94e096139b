import { Fault } from '../../model/fault.ts';
import { type SweptVariable, sweptName, sweptValues } from '../../model/swept-values.ts';

function badSet(place: string, cause: string): Fault {
  return new Fault({
    code: 'E_SWEEP_SET',
    kind: 'usage',
    place,
    cause,
    nextStep:
      'write `--set DB_POOL_SIZE=1..10,17`, or `--replace -Xmx512m,-Xmx1g` for an argument of the command',
  });
}

function variableOf(place: string, name: string, text: string): SweptVariable {
  const [problem] = sweptName.safeParse(name).error?.issues ?? [];
  if (problem !== undefined) throw badSet(place, problem.message);
  const values = sweptValues(text);
  if (typeof values === 'string') throw badSet(place, values);
  return { name, values };
}

/** Reads `NAME=1..10,17,50`. */
export function parseSet(text: string): SweptVariable {
  const at = text.indexOf('=');
  return variableOf(`--set ${text}`, text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1));
}

/**
 * Reads `-XX:+UseParallelGC,-XX:+UseZGC`: an argument of the service's command, and what takes its place. The first value is
 * the argument itself.
 */
export function parseReplace(text: string): SweptVariable {
  return variableOf(`--replace ${text}`, (text.split(',')[0] ?? '').trim(), text);
}
