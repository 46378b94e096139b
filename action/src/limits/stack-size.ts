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

/**
 * Why instances cannot show here how they scale, in sentences. Undefined if there is one core for each of them, or as much as
 * it may use, and another one for the load and the backing services.
 *
 * @param cpuCount cores of the machine
 */
export function crowdedText(config: Config, kind: StackKind, cpuCount: number): string | undefined {
  const { instances: count = 1, cpus: cores = 1 } = sizeIn(config, kind);
  const free = cpuCount > 1 ? cpuCount - 1 : 0.5;
  if (count === 1 || count * cores <= free) return undefined;
  return [
    `Several instances share the cores of this machine (${cpuCount}) with the load and the backing services, so how they scale does not show.`,
    `Limit all of them together to ${free === 1 ? '1 core' : `${free} cores`}, such as two of them with \`--cpus ${free / 2}\`.`,
  ].join(' ');
}

/** The size that the configuration gives to the service of this stack. */
export function sizeIn({ stack }: Config, kind: StackKind): StackSize {
  return (kind === 'process' ? stack.process?.service : stack.compose) ?? {};
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
