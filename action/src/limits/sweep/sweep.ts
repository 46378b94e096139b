import { mean } from 'simple-statistics';
import type { MeasuredBlock } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { nothingButFailures } from '../../model/invalid-reason.ts';
import type { Block } from '../../model/run.ts';
import { type Sweep, type SweepBoot, type Variant, variantText } from '../../model/sweep.ts';
import { failedShare, goodput } from '../goodput.ts';
import { goodness } from './goodness.ts';

/**
 * A value that is worse than the two best by this share is not tried again, as in successive halving (Jamieson and
 * Talwalkar, AISTATS 2016). It is far beyond what boots of the same value differ by, and one lucky boot alone drops nothing.
 */
const hopelessShare = 0.35;
/** As few are compared to the end, unless requests of others fail. */
const leastVariants = 2;
/** Faults of the machine, which no other value would remove. */
const notOfTheValue = new Set(['E_DISK_FULL', 'DISK_FULL', 'E_ENGINE_DOWN']);

export interface SweepOptions {
  readonly variants: readonly Variant[];
  /** Boots of each value, if none is left out. */
  readonly passes: number;
  /** For all boots. */
  readonly seconds: number;
  readonly figure: Sweep['figure'];
  /** A value with a higher share of failing requests than another, by more than this, cannot be the best. */
  readonly mostErrors: number;
  /** True if the question is how they compare, and not which is best. */
  readonly keepsAll?: boolean;
}

/** The part of a sweep that a boot may take. */
export interface SweepShare {
  /** For build, data, boot, warm-up and blocks. */
  readonly seconds: number;
  /** Finished share of the sweep, 0 to 1, and the seconds that are left of it. */
  readonly done: number;
  readonly secondsLeft: number;
}

export interface SweepPort {
  /** Boots the service with these values, loads it, and returns its blocks. */
  measure(variant: Variant, share: SweepShare): Promise<readonly MeasuredBlock[]>;
  note(text: string): void;
  /** Seconds since the sweep began. */
  elapsed(): number;
}

/** What was found of a value so far. */
export interface SweepTaken {
  readonly values: Variant;
  readonly boots: SweepBoot[];
  ended?: string;
  hopeless?: boolean;
}

/**
 * Measures every value once in each pass, every second pass backwards, so that a steady drift cancels out. A value that does
 * not boot is left out. Boots that are saved by that, or by leaving out hopeless values, go to the values that are left.
 */
export async function sweep(options: SweepOptions, port: SweepPort, into: SweepTaken[]): Promise<void> {
  const { variants, passes, seconds } = options;
  into.push(...variants.map((values) => ({ values, boots: [] })));
  const most = variants.length * passes;
  const left = () => into.filter(({ ended }) => ended === undefined);
  const hasTime = (boots: number) => boots + left().length <= most && port.elapsed() < seconds;
  let boots = 0;
  for (let pass = 0; left().length > 1 && (pass < passes || hasTime(boots)); pass += 1) {
    for (const one of pass % 2 === 0 ? left() : left().toReversed()) {
      const secondsLeft = Math.max(0, seconds - port.elapsed());
      await measureOnce(one, port, {
        seconds: secondsLeft / (most - boots),
        done: boots / most,
        secondsLeft,
      });
      boots += 1;
    }
    if (!options.keepsAll) dropHopeless(left(), options, port);
  }
  refuseTooFew(into);
}

async function measureOnce(one: SweepTaken, port: SweepPort, share: SweepShare): Promise<void> {
  try {
    const boot = bootOf(await port.measure(one.values, share));
    if (boot === undefined) one.ended = 'no request succeeded';
    else one.boots.push(boot);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { kind, code, cause } = error.details;
    if (kind !== 'measurement' || notOfTheValue.has(code)) throw error;
    one.ended = cause;
  }
  if (one.ended !== undefined) port.note(`${variantText(one.values)} is left out: ${one.ended}`);
}

const succeeding = (blocks: readonly Block[]) => blocks.filter((block) => goodput(block) > 0);

/**
 * Undefined if no request succeeded. The first block still warms up. Blocks with reasons against them count only if nothing
 * succeeded in the others; that the service fails is no such reason.
 */
export function bootOf(blocks: readonly MeasuredBlock[]): SweepBoot | undefined {
  const warm = blocks.slice(blocks.length > 1 ? 1 : 0).map(({ block }) => block);
  const clean = warm.filter(({ invalid }) => nothingButFailures(invalid));
  const counting = succeeding(clean).length > 0 ? clean : warm;
  const answering = succeeding(counting);
  if (answering.length === 0) return undefined;
  const meanLog = (values: readonly number[]) => Math.exp(mean(values.map(Math.log)));
  const causes = counting.flatMap(({ invalid }) => invalid.map(({ cause }) => cause));
  return {
    tps: meanLog(answering.map(goodput)),
    p95Ms: meanLog(answering.map(({ latency }) => Math.max(latency.p95Ms, 0.001))),
    errorRate: mean(counting.map(failedShare)),
    serviceCpu: mean(counting.map(({ usage }) => usage.service?.cpuShare ?? 0)),
    usedCpu: mean(
      counting.map(({ usage, othersCpuShare, stealShare }) =>
        Object.values(usage).reduce((sum, { cpuShare }) => sum + cpuShare, othersCpuShare + stealShare),
      ),
    ),
    invalid: [...new Set(causes)].slice(0, 5),
  };
}

function dropHopeless(
  left: readonly SweepTaken[],
  { figure, mostErrors }: SweepOptions,
  port: SweepPort,
): void {
  const drop = (one: SweepTaken, why: string) => {
    one.hopeless = true;
    one.ended = why;
    port.note(`${variantText(one.values)} is not tried again: ${why}`);
  };
  const errorsOf = ({ boots }: SweepTaken) => mean(boots.map(({ errorRate }) => errorRate));
  const fewestErrors = Math.min(...left.map(errorsOf));
  for (const one of left) {
    const errors = errorsOf(one);
    if (errors > fewestErrors + mostErrors) drop(one, `${(100 * errors).toFixed(1)}% of its requests failed`);
  }
  const ranked = left
    .filter(({ ended }) => ended === undefined)
    .map((one) => ({ one, mean: mean(one.boots.map((boot) => goodness(boot, figure))) }))
    .toSorted((a, b) => b.mean - a.mean);
  const worst = (ranked[leastVariants - 1]?.mean ?? 0) + Math.log1p(-hopelessShare);
  for (const { one, mean: own } of ranked.slice(leastVariants)) {
    if (own < worst) drop(one, `worse than the two best by more than ${100 * hopelessShare}%`);
  }
}

function refuseTooFew(taken: readonly SweepTaken[]): void {
  const measured = taken.filter(
    ({ boots, ended, hopeless }) => boots.length > 0 && (ended === undefined || hopeless),
  );
  if (measured.length > 1) return;
  throw new Fault({
    code: 'E_SWEEP_VALUES',
    kind: 'measurement',
    place: 'gate sweep',
    cause: [
      `the service could be measured with ${measured.length === 0 ? 'none' : 'only one'} of ${taken.length} values`,
      ...taken.flatMap(({ values, ended }) =>
        ended === undefined ? [] : [`${variantText(values)}: ${ended}`],
      ),
    ].join('\n'),
    nextStep: 'read service.log in the folder of the results; name values with which the service boots',
  });
}
