import type { Config } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import type { StackKind } from '../../model/run.ts';
import type { Variant } from '../../model/sweep.ts';
import { isArgument } from '../../model/swept-values.ts';
import { withOneCell } from '../one-cell.ts';
import { isSizeName, sizeOf, withSize } from '../stack-size.ts';

export const sweepSuite = 'sweep';

/** A boot has room for three blocks, so in a boot of a minute they are as long as those of a staircase. */
const countedShare = 1 / 15;
const longestCounted = 4;
/** Of the time of a boot, at most this share warms the service up. */
const warmUpShare = 0.3;
/** There is no time to wait until the compiler is idle, and no boot ends its warm-up sooner than the others. */
const fullLoadForAllOfIt = {
  compileMsPerSecond: Number.MAX_SAFE_INTEGER,
  settledWindows: Number.POSITIVE_INFINITY,
};

/** The configuration for a cell that is measured for that many seconds in each boot. */
export function sweepConfig(config: Config, cell: string, secondsPerBoot: number): Config {
  const counted = Math.min(longestCounted, countedShare * secondsPerBoot);
  const times = { guard: counted / 2, counted };
  const changed = withOneCell(config, cell, { suite: sweepSuite, place: 'gate sweep', ...times });
  const { warmUp } = config;
  const cap = Math.min(warmUp.cap, warmUpShare * secondsPerBoot);
  const window = Math.min(warmUp.window, cap / 3);
  return { ...changed, warmUp: { ...warmUp, cap, window, ...fullLoadForAllOfIt } };
}

/**
 * The configuration with other variables for the service and its backing services, with other arguments of the service's
 * command, or with `instances` and `cpus` of the service.
 */
export function withVariant(config: Config, variant: Variant): Config {
  const { process, compose } = withSize(config, sizeOf(variant)).stack;
  const isVariable = (name: string) => !isArgument(name) && !isSizeName(name);
  const env = Object.fromEntries(Object.entries(variant).filter(([name]) => isVariable(name)));
  const argument = (part: string) => (isArgument(part) ? (variant[part] ?? part) : part);
  return {
    ...config,
    stack: {
      ...(process && {
        process: {
          ...process,
          ...(process.backing && {
            backing: { ...process.backing, env: { ...process.backing.env, ...env } },
          }),
          service: {
            ...process.service,
            command: process.service.command.map(argument),
            env: { ...process.service.env, ...env },
          },
        },
      }),
      ...(compose && { compose: { ...compose, env: { ...compose.env, ...env } } }),
    },
  };
}

/** Refuses sizes that are none, and arguments that the service's command does not have: nothing would replace them. */
export function requireArguments({ stack }: Config, kind: StackKind, variants: readonly Variant[]): void {
  for (const variant of variants) sizeOf(variant);
  const command = kind === 'process' ? (stack.process?.service.command ?? []) : [];
  const unknown = variants.flatMap(Object.keys).find((name) => isArgument(name) && !command.includes(name));
  if (unknown === undefined) return;
  throw new Fault({
    code: 'E_SWEEP_ARGUMENT',
    kind: 'usage',
    place: `argument ${unknown}`,
    cause:
      kind === 'compose'
        ? 'arguments are those of `stack.process.service.command`, which a container does not use'
        : 'the command of the service has no such argument',
    nextStep:
      kind === 'compose'
        ? 'use `--stack process`, or set a variable that the compose file puts into the command'
        : `name one of its arguments: ${command.join(' ')}`,
  });
}
