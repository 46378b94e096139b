import { mean } from 'simple-statistics';
import type { MeasuredBlock } from '../../measure/index.ts';
import type { Config, ProcessStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import {
  type Sweep,
  type SweepBoot,
  type SweptVariant,
  type Variant,
  variantText,
} from '../../model/sweep.ts';
import { bestValue, turnsOf } from '../../stats/index.ts';
import { withOneCell } from '../one-cell.ts';

export const sweepSuite = 'sweep';

/** Blocks are short, because a boot has several. */
const guard = 2;
const counted = 4;
/** Of the time of a boot, at most this share warms the service up. */
const warmUpShare = 0.4;
/**
 * After a pass, a value that is worse than the best by this share is not tried again, as in successive halving (Jamieson and
 * Talwalkar, AISTATS 2016). It is far beyond what boots of the same value differ by.
 */
const hopelessShare = 0.3;
/** As few are compared to the end. */
const leastVariants = 2;

export interface SweepOptions {
  readonly variants: readonly Variant[];
  readonly passes: number;
  readonly figure: Sweep['figure'];
}

export interface SweepPort {
  /** Boots the service with these values, loads it, and returns its blocks. */
  measure(variant: Variant, done: number): Promise<readonly MeasuredBlock[]>;
  note(text: string): void;
}

/** What was found of a value so far. */
export interface SweepTaken {
  readonly values: Variant;
  readonly boots: SweepBoot[];
  ended?: string;
  hopeless?: boolean;
}

/** The configuration for a cell that is measured for that many seconds after each boot. */
export function sweepConfig(config: Config, cell: string, secondsPerBoot: number): Config {
  const changed = withOneCell(config, cell, { suite: sweepSuite, place: 'gate sweep', guard, counted });
  const cap = Math.min(config.warmUp.cap, warmUpShare * secondsPerBoot);
  // Full load at once: there is no time to wait until the compiler is idle, and each boot gets the same.
  return { ...changed, warmUp: { ...config.warmUp, cap, compileMsPerSecond: Number.MAX_SAFE_INTEGER } };
}

/** The configuration with other variables for the service and its backing services, or with another argument of the service. */
export function withVariant(config: Config, variant: Variant, replaced: readonly string[]): Config {
  const { process, compose } = config.stack;
  const isArgument = (name: string) => replaced.includes(name);
  const env = Object.fromEntries(Object.entries(variant).filter(([name]) => !isArgument(name)));
  const command = process?.service.command.map((part) => (isArgument(part) ? (variant[part] ?? part) : part));
  return {
    ...config,
    stack: {
      ...(process && { process: withValues(process, command ?? [], env) }),
      ...(compose && { compose: { ...compose, env: { ...compose.env, ...env } } }),
    },
  };
}

function withValues(
  stack: ProcessStackConfig,
  command: ProcessStackConfig['service']['command'],
  env: Variant,
): ProcessStackConfig {
  return {
    ...stack,
    ...(stack.backing && { backing: { ...stack.backing, env: { ...stack.backing.env, ...env } } }),
    service: { ...stack.service, command, env: { ...stack.service.env, ...env } },
  };
}

/** Measures every value once in each pass, every second pass backwards. A value that does not boot is left out. */
export async function sweep(
  { variants, passes, figure }: SweepOptions,
  port: SweepPort,
  into: SweepTaken[],
): Promise<void> {
  into.push(...variants.map((values) => ({ values, boots: [] })));
  const boots = variants.length * passes;
  let taken = 0;
  for (const turns of turnsOf(variants.length, passes)) {
    for (const index of turns) {
      const one = into[index];
      taken += 1;
      if (one === undefined || one.ended !== undefined) continue;
      try {
        const boot = bootOf(await port.measure(one.values, (taken - 1) / boots));
        if (boot === undefined) one.ended = 'it answered nothing';
        else one.boots.push(boot);
      } catch (error) {
        if (!(error instanceof Fault) || error.details.kind !== 'measurement') throw error;
        one.ended = error.details.cause;
      }
      if (one.ended !== undefined) port.note(`${variantText(one.values)} is left out: ${one.ended}`);
    }
    dropHopeless(into, figure, port);
  }
}

/** Undefined if nothing was answered. The first block still warms up, and blocks with reasons against them only count alone. */
export function bootOf(blocks: readonly MeasuredBlock[]): SweepBoot | undefined {
  const answered = blocks.slice(blocks.length > 1 ? 1 : 0).map(({ block }) => block);
  const clean = answered.filter(({ invalid, tps }) => tps > 0 && invalid.length === 0);
  const counting = clean.length > 0 ? clean : answered.filter(({ tps }) => tps > 0);
  if (counting.length === 0) return undefined;
  const meanLog = (values: readonly number[]) => Math.exp(mean(values.map(Math.log)));
  const requests = counting.reduce((sum, block) => sum + block.requests, 0);
  return {
    tps: meanLog(counting.map(({ tps }) => tps)),
    p95Ms: meanLog(counting.map(({ latency }) => Math.max(latency.p95Ms, 0.001))),
    errorRate: requests === 0 ? 0 : counting.reduce((sum, { errors }) => sum + errors, 0) / requests,
    usedCpu: mean(
      counting.map(({ usage, othersCpuShare, stealShare }) =>
        Object.values(usage).reduce((sum, { cpuShare }) => sum + cpuShare, othersCpuShare + stealShare),
      ),
    ),
  };
}

/** Its logarithm; more is better. */
function goodness({ tps, p95Ms }: SweepBoot, figure: Sweep['figure']): number {
  return figure === 'tps' ? Math.log(tps) : -Math.log(p95Ms);
}

function dropHopeless(taken: readonly SweepTaken[], figure: Sweep['figure'], port: SweepPort): void {
  const alive = taken
    .filter(({ ended, boots }) => ended === undefined && boots.length > 0)
    .map((one) => ({ one, goodness: mean(one.boots.map((boot) => goodness(boot, figure))) }))
    .toSorted((a, b) => b.goodness - a.goodness);
  const [best] = alive;
  for (const { one, goodness: own } of alive.slice(leastVariants)) {
    if (best === undefined || own - best.goodness >= Math.log1p(-hopelessShare)) continue;
    one.hopeless = true;
    one.ended = `worse than the best by more than ${100 * hopelessShare}%`;
    port.note(`${variantText(one.values)} is not tried again: ${one.ended}`);
  }
}

/** What the boots show. Values that were left out are not compared. */
export function sweepOf(
  about: Pick<Sweep, 'id' | 'startedAt' | 'cell' | 'commit' | 'machine' | 'partial' | 'figure' | 'tolerance'>,
  taken: readonly SweepTaken[],
): Sweep {
  const complete = taken.filter(({ ended }) => ended === undefined);
  const passes = Math.min(...complete.map(({ boots }) => boots.length));
  if (complete.length < 2 || passes < 2) {
    return { schema: 1, ...about, variants: taken.map((one) => ({ ...one })), differs: false };
  }
  const figures = complete.map(({ boots }) =>
    boots.slice(0, passes).map((boot) => goodness(boot, about.figure)),
  );
  const { best, contrasts, differs } = bestValue(figures, about.tolerance);
  const variants = taken.map((one): SweptVariant => {
    const found = contrasts[complete.indexOf(one)];
    if (found === undefined) return { ...one };
    const { logRatio, halfWidth, asGood } = found;
    const [change, low, high] = [logRatio, logRatio - halfWidth, logRatio + halfWidth].map(Math.expm1);
    return { ...one, contrast: { change: change ?? 0, low: low ?? 0, high: high ?? 0, asGood } };
  });
  const bestOne = complete[best];
  return {
    schema: 1,
    ...about,
    variants,
    ...(bestOne !== undefined && { best: taken.indexOf(bestOne) }),
    differs: differs || taken.some(({ hopeless }) => hopeless),
  };
}
