import { mean } from 'simple-statistics';
import type { MeasuredBlock, PlannedCell } from '../../measure/index.ts';
import type { Config } from '../../model/config.ts';
import type { Estimate } from '../../model/estimate.ts';
import { Fault } from '../../model/fault.ts';
import { nothingButFailures } from '../../model/invalid-reason.ts';
import type { Block } from '../../model/run.ts';
import type { ScalabilityLaw } from '../../model/scalability-law.ts';
import type { Staircase, StaircaseFit, StaircaseStep } from '../../model/staircase.ts';
import { fitScalabilityLaw, geometricEstimate, kneeOf, peakOf, rangesOf } from '../../stats/index.ts';
import { failedShare, goodput } from '../goodput.ts';
import { meanReading } from '../readings.ts';
import type { StackSize } from '../stack-size.ts';
import { limitingPart } from './limiting-part.ts';
import { usersAtTarget } from './target.ts';

export const staircaseSuite = 'staircase';

export interface StaircaseOptions {
  readonly users: readonly number[];
  /** Half of the interval of a step's throughput, relative to it, at which the step has enough blocks. */
  readonly precision: number;
  /** Seconds from the start within which all blocks are taken. */
  readonly seconds: number;
  /** Seconds since the start. */
  readonly elapsed: () => number;
  /** True to climb on although throughput no longer grows. */
  readonly all: boolean;
}

/** What the staircase asks for. */
export interface StaircasePort {
  take(cell: PlannedCell, round: number, done: number): Promise<MeasuredBlock>;
  note(text: string): void;
}

/** Blocks are short, because a step has several. Queues of many users take a moment to settle. */
const guard = 2;
const counted = 4;
const leastBlocks = 3;
const mostBlocks = 12;
/** Starting the generator, draining and working off what is left take about this long per block. */
const overheadSeconds = 2.5;
/** Ending the stack and making the page take about this long. */
const closingSeconds = 15;
/** Throughput that grows less than this from step to step no longer grows. */
const growth = 1.05;
/** Steps without growth in a row that end the climb. */
const flatSteps = 2;

/** The configuration with a load for each number of users, and a suite of them. */
export function staircaseConfig(config: Config, scenario: string, users: readonly number[]): Config {
  const own = config.scenarios[scenario];
  if (own === undefined || !Object.hasOwn(config.scenarios, scenario)) {
    throw new Fault({
      code: 'E_SCENARIO_UNKNOWN',
      kind: 'usage',
      place: 'gate staircase',
      cause: `gate.yml defines no scenario "${scenario}"`,
      nextStep: `name one of: ${Object.keys(config.scenarios).join(', ')}`,
    });
  }
  const names = users.map(String);
  return {
    ...config,
    scenarios: {
      ...config.scenarios,
      [scenario]: {
        ...own,
        loads: Object.fromEntries(users.map((vus) => [String(vus), { vus, objectives: {} }])),
      },
    },
    suites: {
      [staircaseSuite]: {
        cells: names.map((name) => `${scenario}@${name}`),
        costs: [],
        rounds: 1,
        guard,
        counted,
        ramp: false,
      },
    },
  };
}

interface Step {
  readonly cell: PlannedCell;
  readonly taken: MeasuredBlock[];
}

const clean = ({ block }: MeasuredBlock) => nothingButFailures(block.invalid);

/**
 * Takes the steps up, then down, and so on, so that a drift of the machine spreads over all of them. The first climb ends
 * where throughput no longer grows. A step is measured until its throughput is known well enough.
 */
export async function climb(
  cells: readonly PlannedCell[],
  { users, precision, seconds, elapsed, all }: StaircaseOptions,
  port: StaircasePort,
  into: MeasuredBlock[][],
): Promise<void> {
  const steps: Step[] = [];
  const perBlock = guard + counted + overheadSeconds;
  const hasTime = () => elapsed() + perBlock + closingSeconds <= seconds;
  const progress = () => Math.min(1, elapsed() / seconds);
  for (const cell of cells) {
    if (steps.length > 0 && !hasTime()) {
      port.note(`no time is left for ${users.length - steps.length} more steps: raise --minutes`);
      break;
    }
    const step: Step = { cell, taken: [] };
    steps.push(step);
    into.push(step.taken);
    step.taken.push(await port.take(cell, 0, progress()));
    if (!all && isFlat(steps)) {
      port.note(`throughput no longer grows, so no more users are tried; --all tries them`);
      break;
    }
  }
  for (let round = 1; round < mostBlocks; round++) {
    const order = round % 2 === 1 ? steps.toReversed() : steps;
    const due = order.filter(({ taken }) => !isNarrow(taken, precision));
    if (due.length === 0) return;
    for (const { cell, taken } of due) {
      if (!hasTime()) return port.note('the time is over; the intervals are as wide as they are');
      taken.push(await port.take(cell, round, progress()));
    }
  }
}

/** By the first block of each step. One that cannot be trusted says nothing about growth; one that fails shows none. */
function isFlat(steps: readonly Step[]): boolean {
  const tps = steps.flatMap(({ taken: [first] }) =>
    first !== undefined && clean(first) ? [goodput(first.block)] : [],
  );
  const recent = tps.slice(-flatSteps);
  const before = Math.max(0, ...tps.slice(0, -flatSteps));
  return tps.length > flatSteps && recent.every((value) => value <= before * growth);
}

function isNarrow(taken: readonly MeasuredBlock[], precision: number): boolean {
  const all = taken.filter(clean).map(({ block }) => goodput(block));
  const values = all.filter((value) => value > 0);
  // More blocks of a service that fails them all would tell nothing more.
  if (all.length >= leastBlocks && values.length === 0) return true;
  if (values.length < leastBlocks) return taken.length >= 2 * leastBlocks;
  const { value, low, high } = geometricEstimate(values);
  return (high - low) / 2 <= precision * value;
}

/** What the blocks of each step show. */
export function staircaseOf(
  about: Pick<Staircase, 'id' | 'startedAt' | 'scenario' | 'commit' | 'machine' | 'partial'>,
  taken: readonly { readonly users: number; readonly blocks: readonly MeasuredBlock[] }[],
  targetMs: number | undefined,
  size: StackSize = {},
): Staircase {
  const measured = taken.filter(({ blocks }) => blocks.length > 0);
  const steps = measured.map(({ users, blocks }) => stepOf(users, blocks));
  const fit = fitOf(measured);
  const reached = targetMs === undefined ? undefined : usersAtTarget(steps, targetMs);
  return {
    schema: 1,
    ...about,
    steps,
    ...(fit && { fit }),
    limit: limitingPart(steps, about.machine.cpuCount, size),
    ...(targetMs !== undefined && {
      target: { p95Ms: targetMs, ...(reached !== undefined && { users: reached }) },
    }),
  };
}

/** Blocks with reasons against them count only where a step has no others. That the service fails is no such reason. */
function usable(blocks: readonly MeasuredBlock[]): readonly MeasuredBlock[] {
  const good = blocks.filter(clean);
  return good.length > 0 ? good : blocks;
}

function stepOf(users: number, all: readonly MeasuredBlock[]): StaircaseStep {
  const taken = usable(all);
  const blocks = taken.map(({ block }) => block);
  const meanOf = (read: (block: Block) => number) => mean(blocks.map(read));
  // A block without a request has no response time.
  const requested = blocks.filter(({ requests }) => requests > 0);
  const latencies = (requested.length > 0 ? requested : blocks).map(({ latency }) => latency);
  const cpuOf = (role: string) => meanOf(({ usage }) => usage[role]?.cpuShare ?? 0);
  const reasons = all.flatMap(({ block }) => block.invalid);
  const readings = ['poolActive', 'poolPending', 'busyThreads', 'mostThreads', 'serviceTime'] as const;
  const seen = readings.flatMap((name) => {
    const value = meanReading(taken, name, guard);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    users,
    blocks: blocks.length,
    tps: throughputOf(blocks.map(goodput)),
    meanMs: mean(latencies.map(({ meanMs }) => meanMs)),
    p95Ms: geometricEstimate(latencies.map(({ p95Ms }) => Math.max(p95Ms, 0.001))),
    errorRate: meanOf(failedShare),
    cpu: {
      service: cpuOf('service'),
      backing: cpuOf('backing'),
      generator: cpuOf('generator'),
      others: meanOf(({ othersCpuShare }) => othersCpuShare),
      stolen: meanOf(({ stealShare }) => stealShare),
    },
    seen: Object.fromEntries(seen),
    invalid: [...new Set(reasons.map(({ cause }) => cause))].slice(0, 5),
    generatorLimits: reasons.some(({ code }) => code === 'I_GENERATOR_CPU'),
  };
}

/** Nothing is known about how a throughput varies that was zero once. */
function throughputOf(values: readonly number[]): Estimate {
  if (values.every((value) => value > 0)) return geometricEstimate(values);
  return { value: mean([...values]), low: 0, high: Number.POSITIVE_INFINITY };
}

function fitOf(
  taken: readonly { readonly users: number; readonly blocks: readonly MeasuredBlock[] }[],
): StaircaseFit | undefined {
  const steps = taken
    .map(({ users, blocks }) =>
      usable(blocks)
        .map(({ block }) => ({ users, throughput: goodput(block) }))
        .filter(({ throughput }) => throughput > 0),
    )
    .filter((blocks) => blocks.length > 0);
  const law = fitScalabilityLaw(steps.flat());
  if (law === undefined) return undefined;
  const mostUsers = Math.max(...taken.map(({ users }) => users));
  const values = (one: ScalabilityLaw) => ({
    knee: kneeOf(one, mostUsers),
    peak: peakOf(one, mostUsers).throughput,
  });
  const own = values(law);
  const ranges = rangesOf(steps, values);
  const estimate = (name: 'knee' | 'peak') => ({
    value: own[name],
    ...(ranges[name] ?? { low: 0, high: Number.POSITIVE_INFINITY }),
  });
  return { ...law, knee: estimate('knee'), peak: estimate('peak') };
}
