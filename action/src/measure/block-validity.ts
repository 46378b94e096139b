import type { Config } from '../model/config.ts';
import type { InvalidReason } from '../model/run.ts';
import type { PlannedCell } from './plan.ts';
import type { LoadEnd, LoadResult } from './ports.ts';
import type { Recording } from './recorder.ts';

/** Parts of the machine's CPU time, 0 to 1. */
interface Shares {
  readonly generatorCpuShare: number;
  readonly stealShare: number;
  readonly othersCpuShare: number;
}

/** Reasons that may not show again if the block is taken once more. */
const passingCodes: ReadonlySet<string> = new Set(['I_GENERATOR_CPU', 'I_STEAL', 'I_OTHERS_CPU']);

/** True if taking the block again may help: the machine was disturbed, not the load or the service. */
export function mayPass(reasons: readonly InvalidReason[]): boolean {
  return reasons.length > 0 && reasons.every(({ code }) => passingCodes.has(code));
}

/** What a script says or is called by, in characters: its log has the rest, and who reads a report refuses long texts. */
const longestQuote = 500;

/** k6's exit 0 is not success: what has to hold before a block's figures are believed. */
export function invalidReasons(
  cell: Pick<PlannedCell, 'endpoints' | 'countedSeconds'>,
  recording: Pick<Recording, 'requests' | 'errors' | 'endpoints'>,
  result: LoadResult,
  shares: Shares,
  limits: Config['limits'],
): InvalidReason[] {
  const reasons: InvalidReason[] = [];
  const detail = result.errors[0] === undefined ? '' : `; its first error: ${shortened(result.errors[0])}`;
  if (result.end.kind === 'failed') {
    reasons.push({
      code: 'I_GENERATOR_END',
      cause: `the load generator did not finish: ${endText(result.end)}${detail}`,
      nextStep: 'run the scenario by itself with `k6 run` and mend what it reports',
    });
  }
  if (result.exceptions > 0) {
    reasons.push({
      code: 'I_EXCEPTIONS',
      cause: `${result.exceptions} iterations ended in an exception of the script${detail}`,
      nextStep: 'handle the failing answer in the script, so that the pass goes on or ends cleanly',
    });
  }
  if (recording.requests === 0) {
    reasons.push({
      code: 'I_NO_SAMPLES',
      cause: `no request began within the ${cell.countedSeconds} s that are counted${detail}`,
      nextStep: 'lower the virtual users or lengthen `counted`, and look whether the service still answers',
    });
    return reasons;
  }
  if (recording.errors === recording.requests) {
    reasons.push({
      code: 'I_ALL_FAILED',
      cause: `all ${recording.requests} requests failed${detail}`,
      nextStep: "read the service's log: the times of failures say nothing about its speed",
    });
  }
  const seen = new Set(recording.endpoints.map(({ name }) => name));
  const missing = (cell.endpoints ?? []).filter((name) => !seen.has(name));
  if (missing.length > 0) {
    reasons.push({
      code: 'I_ENDPOINT_MISSING',
      cause: `no sample of ${shortened(missing.join(', '))}`,
      nextStep:
        'lengthen `counted` if a pass takes longer than that, or correct `endpoints` or the `name` tags',
    });
  }
  if (shares.generatorCpuShare > limits.generatorCpuShare) {
    reasons.push({
      code: 'I_GENERATOR_CPU',
      cause: `the load generator used ${cpuShare(shares.generatorCpuShare, limits.generatorCpuShare)}`,
      nextStep:
        'let the virtual users pause between requests (`sleep` of k6), lower their number, or take a machine with more cores',
    });
  }
  if (shares.stealShare > limits.stealShare) {
    reasons.push({
      code: 'I_STEAL',
      cause: `other guests of the host took ${cpuShare(shares.stealShare, limits.stealShare)}`,
      nextStep: 'run it again, or on a machine of its own',
    });
  }
  if (shares.othersCpuShare > limits.othersCpuShare) {
    reasons.push({
      code: 'I_OTHERS_CPU',
      cause: `programs that are not part of the measurement used ${cpuShare(shares.othersCpuShare, limits.othersCpuShare)}`,
      nextStep: 'end what else runs on this machine, `top` shows it, and run it again',
    });
  }
  return reasons;
}

function endText(end: Extract<LoadEnd, { kind: 'failed' }>): string {
  return `${end.meaning} (${end.signal === null ? `exit code ${end.exitCode}` : end.signal})`;
}

/** Such as `43% of the CPU, more than 40%`, with as many decimals as it takes to see the one above the other. */
function cpuShare(share: number, limit: number): string {
  const percent = (part: number, digits: number) => `${(part * 100).toFixed(digits)}%`;
  const digits = [0, 1, 2].find((few) => percent(share, few) !== percent(limit, few)) ?? 3;
  return `${percent(share, digits)} of the CPU, more than ${percent(limit, digits)}`;
}

function shortened(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote - 1).toWellFormed()}…`;
}
