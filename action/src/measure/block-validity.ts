import type { Config } from '../model/config.ts';
import { invalidReason, isRepeatable } from '../model/invalid-reason.ts';
import type { Block, InvalidReason } from '../model/run.ts';
import type { PlannedCell } from './plan.ts';
import type { ArrivalLoad, LoadEnd, LoadResult } from './ports.ts';
import type { Recording } from './recorder.ts';

/** Reasons by the limit that the block exceeded. */
const cpuLimits = [
  ['generatorCpuShare', 'I_GENERATOR_CPU'],
  ['stealShare', 'I_STEAL'],
  ['othersCpuShare', 'I_OTHERS_CPU'],
] as const;

/** Shares of the machine's CPU time, 0 to 1. */
type Shares = Readonly<Record<(typeof cpuLimits)[number][0], number>>;

/** What else happened during a block. */
export interface Circumstances extends Shares {
  /** Seconds by which the wall clock was set: forward if positive, back if negative. */
  readonly clockStepSeconds: number;
}

/** The first reason of a block in words; empty without one. */
export function firstCause({ invalid: [first] }: Pick<Block, 'invalid'>): string {
  return first?.cause ?? '';
}

/** True if the block may succeed when it is repeated: the machine was disturbed, not the load or the service. */
export function mayPass(reasons: readonly InvalidReason[]): boolean {
  return reasons.length > 0 && reasons.every(isRepeatable);
}

/** A larger step of the wall clock changes the figures of a counted interval of ten seconds by over 1%. */
const mostStepSeconds = 0.1;

/**
 * Above this share of passes that end with an exception, the script itself is broken. Below it, exceptions follow from
 * failed responses and count as errors.
 */
const mostExceptions = 0.5;

const failedAnswers: readonly string[] = ['I_ALL_FAILED', 'I_EXCEPTIONS', 'I_ENDPOINT_MISSING'];

/** True if the service refused what the script asks for. A base commit may lack what head's change adds. */
export function onlyFailedAnswers(reasons: readonly InvalidReason[]): boolean {
  return reasons.length > 0 && reasons.every(({ code }) => failedAnswers.includes(code));
}

/** k6 begins this share of the passes at least, unless it is too slow for the rate. */
const leastBegun = 0.99;

/** The generator was too slow to let all passes of an open loop begin. Only a whole load shows that. */
export function missingPasses(
  arrival: ArrivalLoad | undefined,
  { requests, passesInAll }: Pick<Recording, 'requests' | 'passesInAll'>,
): InvalidReason[] {
  if (arrival === undefined || requests === 0) return [];
  const due = passesOf(arrival);
  // Where the load ends between two passes, one of them may be missing.
  if (passesInAll >= (arrival.once === undefined ? leastBegun * due - 1 : due)) return [];
  return [invalidReason('I_PASSES_MISSING', { began: passesInAll, due: Math.floor(due) })];
}

type Passes = Pick<Recording, 'iterations' | 'dropped' | 'pass'>;

/**
 * Passes of an open loop are dropped while all users are busy. If that is so even without the time that they wait for the
 * service, the load has too few users, or their generator is too slow for them.
 */
export function fewUsers(
  arrival: Pick<ArrivalLoad, 'perSecond' | 'vus'> | undefined,
  { dropped, iterations, pass }: Passes,
): InvalidReason[] {
  if (arrival === undefined) return [];
  const { perSecond, vus } = arrival;
  if (dropped === 0 || pass === undefined || perSecond * pass.ownSeconds < vus) return [];
  const share = dropped / (dropped + iterations);
  return [invalidReason('I_FEW_USERS', { share, perSecond, vus, ...pass })];
}

/** Passes that are to begin within the whole load. */
function passesOf({ perSecond, vus, seconds, stages, once }: ArrivalLoad): number {
  if (once !== undefined) return vus;
  let before = 0;
  return (
    stages ?? [
      { seconds: 0, perSecond },
      { seconds, perSecond },
    ]
  ).reduce((sum, stage) => {
    const passes = ((before + stage.perSecond) / 2) * stage.seconds;
    before = stage.perSecond;
    return sum + passes;
  }, 0);
}

/** Why the figures of a block that is a whole load cannot be trusted; empty if they can. */
export function invalidReasons(
  cell: BlockCell,
  recording: Parameters<typeof blockReasons>[1] & Pick<Recording, 'passesInAll'>,
  result: LoadResult,
  circumstances: Circumstances,
  limits: Config['limits'],
): InvalidReason[] {
  const reasons = blockReasons(cell, recording, result, circumstances, limits);
  return result.end.kind === 'failed' ? reasons : [...reasons, ...missingPasses(cell.arrival, recording)];
}

type BlockCell = Pick<PlannedCell, 'endpoints' | 'countedSeconds' | 'arrival'>;

/** Why a block's figures cannot be trusted; empty if they can. k6 exits with 0 in most of these cases. */
export function blockReasons(
  cell: BlockCell,
  recording: Passes & Pick<Recording, 'requests' | 'errors' | 'endpoints' | 'exceptions'>,
  { end, errors: [firstError] }: LoadResult,
  circumstances: Circumstances,
  limits: Config['limits'],
): InvalidReason[] {
  const reasons: InvalidReason[] = [];
  if (end.kind === 'failed') {
    reasons.push(invalidReason('I_GENERATOR_END', { end: endText(end), firstError }));
  }
  const { clockStepSeconds } = circumstances;
  // k6 dates its samples by the wall clock, so nothing else can be concluded from them.
  if (Math.abs(clockStepSeconds) > mostStepSeconds) {
    return [...reasons, invalidReason('I_CLOCK', { stepSeconds: clockStepSeconds })];
  }
  reasons.push(...sampleReasons(cell, recording, firstError));
  if (recording.requests > 0 && end.kind !== 'failed') reasons.push(...fewUsers(cell.arrival, recording));
  for (const [name, code] of cpuLimits) {
    if (circumstances[name] > limits[name]) {
      reasons.push(invalidReason(code, { share: circumstances[name], limit: limits[name] }));
    }
  }
  return reasons;
}

/** Why the samples alone cannot be trusted; empty if they can. */
export function sampleReasons(
  cell: { readonly endpoints?: readonly string[] | undefined; readonly countedSeconds: number },
  recording: Pick<Recording, 'requests' | 'errors' | 'endpoints' | 'iterations' | 'exceptions'>,
  firstError: string | undefined,
): InvalidReason[] {
  const reasons: InvalidReason[] = [];
  const { exceptions } = recording;
  // k6 counts a pass that ends with an exception as an iteration, unless it interrupts the pass.
  const passes = Math.max(recording.iterations, exceptions);
  if (exceptions > mostExceptions * passes) {
    reasons.push(invalidReason('I_EXCEPTIONS', { exceptions, passes, firstError }));
  }
  if (recording.requests === 0) {
    const { countedSeconds } = cell;
    return [...reasons, invalidReason('I_NO_SAMPLES', { countedSeconds, firstError })];
  }
  if (recording.errors === recording.requests) {
    reasons.push(invalidReason('I_ALL_FAILED', { requests: recording.requests, firstError }));
  }
  const seen = new Set(recording.endpoints.map(({ name }) => name));
  const missing = (cell.endpoints ?? []).filter((name) => !seen.has(name));
  if (missing.length > 0) reasons.push(invalidReason('I_ENDPOINT_MISSING', { endpoints: missing }));
  return reasons;
}

function endText(end: Extract<LoadEnd, { kind: 'failed' }>): string {
  return `${end.meaning} (${end.signal === null ? `exit code ${end.exitCode}` : end.signal})`;
}

/** Above this use of its own CPUs, the generator's requests wait for one another. */
const ownCpusLimit = 0.8;

/** The limits, with a lower one for a generator that may only use some of the CPUs. */
export function generatorLimit(
  limits: Config['limits'],
  ownCpus: number | undefined,
  cpuCount: number,
): Config['limits'] {
  if (ownCpus === undefined) return limits;
  const own = (ownCpusLimit * ownCpus) / cpuCount;
  return { ...limits, generatorCpuShare: Math.min(limits.generatorCpuShare, own) };
}
