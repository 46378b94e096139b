import type { Config } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { StackKind } from '../model/run.ts';
import { cpus, instances } from '../model/stack-config.ts';

/** How many instances of the service there are, and how many cores each of them may use. Absent is as configured. */
export interface StackSize {
  readonly instances?: number | undefined;
  readonly cpus?: number | undefined;
}

/** The configuration with a service of that size, whatever stack it runs on. */
export function withSize(config: Config, { instances: count, cpus: cores }: StackSize): Config {
  const given = {
    ...(count !== undefined && { instances: count }),
    ...(cores !== undefined && { cpus: cores }),
  };
  const { process, compose } = config.stack;
  return {
    ...config,
    stack: {
      ...(process && { process: { ...process, service: { ...process.service, ...given } } }),
      ...(compose && { compose: { ...compose, ...given } }),
    },
  };
}

/** Cores that all instances together may use; undefined if nothing of the gate limits them. */
export function coresOf({ stack }: Config, kind: StackKind): number | undefined {
  const size = kind === 'process' ? stack.process?.service : stack.compose;
  return size?.cpus === undefined ? undefined : size.cpus * (size.instances ?? 1);
}

const schemas = { instances, cpus } as const;

/** True of the names that a sweep does not give to the service as variables, because they are about its size. */
export function isSizeName(name: string): name is keyof StackSize {
  return Object.hasOwn(schemas, name);
}

/** The size that these values give. Throws a Fault for a value that is none. */
export function sizeOf(values: Readonly<Record<string, string>>): StackSize {
  const given = Object.entries(values).filter(([name]) => isSizeName(name));
  return Object.fromEntries(given.map(([name, text]) => [name, sizeValue(name as keyof StackSize, text)]));
}

function sizeValue(name: keyof StackSize, text: string): number {
  const { data, error } = schemas[name].safeParse(text.trim() === '' ? undefined : Number(text));
  if (data !== undefined) return data;
  throw new Fault({
    code: 'E_INSTANCES',
    kind: 'usage',
    place: `${name}=${text}`,
    cause: error?.issues[0]?.message ?? 'expected a number',
    nextStep: 'write whole numbers of instances such as `--instances 1,2`, and cores such as `--cpus 0.5`',
  });
}
