import type { Config } from '../model/config.ts';
import { invalidReason } from '../model/invalid-reason.ts';
import type { InvalidReason } from '../model/run.ts';
import type { PlannedCell } from './plan.ts';
import type { LoadEnd, LoadResult } from './ports.ts';
import type { Recording } from './recorder.ts';

/** Reasons that may not show again if the block is taken once more, by the limit that the block exceeded. */
const cpuLimits = [
  ['generatorCpuShare', 'I_GENERATOR_CPU'],
  ['stealShare', 'I_STEAL'],
  ['othersCpuShare', 'I_OTHERS_CPU'],
] as const;

/** Shares of the machine's CPU time, 0 to 1. */
type Shares = Readonly<Record<(typeof cpuLimits)[number][0], number>>;

/** True if the block may succeed when it is taken again: the machine was disturbed, not the load or the service. */
export function mayPass(reasons: readonly InvalidReason[]): boolean {
  return reasons.length > 0 && reasons.every(({ code }) => cpuLimits.some(([, passing]) => passing === code));
}

/** Why a block's figures cannot be trusted; empty if they can. k6 exits with 0 in most of these cases. */
export function invalidReasons(
  cell: Pick<PlannedCell, 'endpoints' | 'countedSeconds'>,
  recording: Pick<Recording, 'requests' | 'errors' | 'endpoints'>,
  result: LoadResult,
  shares: Shares,
  limits: Config['limits'],
): InvalidReason[] {
  const { end, exceptions, errors } = result;
  const [firstError] = errors;
  const reasons: InvalidReason[] = [];
  if (end.kind === 'failed') {
    reasons.push(invalidReason('I_GENERATOR_END', { end: endText(end), firstError }));
  }
  if (exceptions > 0) reasons.push(invalidReason('I_EXCEPTIONS', { exceptions, firstError }));
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
  for (const [name, code] of cpuLimits) {
    if (shares[name] > limits[name]) {
      reasons.push(invalidReason(code, { share: shares[name], limit: limits[name] }));
    }
  }
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
