import {
  fewUsers,
  type LoadEnd,
  missingPasses,
  type Recording,
  rampShareOfGuard,
  sampleReasons,
} from '../../measure/index.ts';
import { marginSeconds } from '../../model/config.ts';
import { invalidReason } from '../../model/invalid-reason.ts';
import type { InvalidReason } from '../../model/run.ts';
import type { SharedLoad, SharedLoadPlan } from '../../model/shared-load.ts';

/** What one of the generators did. */
export interface CollectedGenerator {
  readonly name: string;
  readonly node?: string;
  readonly end: LoadEnd;
  /** Requests of the whole load. */
  readonly requests: number;
  readonly failed: number;
  /** When its first request began, in milliseconds since the epoch; absent if it sent none. */
  readonly firstAtMs?: number;
  /** The first error of its log. */
  readonly firstError?: string;
}

/** The figures of all generators together. If one failed, the rest is another load, so the whole is invalid. */
export function sharedLoadOf(
  plan: SharedLoadPlan,
  generators: readonly CollectedGenerator[],
  recording: Recording,
): SharedLoad {
  const firstError = generators.find((one) => one.firstError !== undefined)?.firstError;
  const { requests, errors, iterations, tps, latency, endpoints } = recording;
  return {
    plan,
    generators: generators.map(({ name, node, end, requests: own, failed, firstAtMs }) => ({
      name,
      ...(node !== undefined && { node }),
      end: endText(end),
      requests: own,
      failed,
      ...(firstAtMs !== undefined && { startedAt: new Date(firstAtMs).toISOString() }),
    })),
    requests,
    errors,
    iterations,
    tps,
    latency,
    endpoints: [...endpoints],
    invalid: [
      ...failedGenerators(generators),
      ...lateStart(plan, generators),
      ...sampleReasons(plan, recording, firstError),
      ...passReasons(plan, generators, recording),
    ],
  };
}

function passReasons(
  { arrival, vus }: SharedLoadPlan,
  generators: readonly CollectedGenerator[],
  recording: Recording,
): InvalidReason[] {
  if (arrival === undefined || generators.some(({ end }) => end.kind === 'failed')) return [];
  const { perSecond, seconds, stages } = arrival;
  const load = { perSecond, seconds, vus, ...(stages !== undefined && { stages }) };
  return [...fewUsers(load, recording), ...missingPasses(load, recording)];
}

function endText(end: LoadEnd): string {
  if (end.kind !== 'failed') return 'finished';
  return end.exitCode === null ? end.meaning : `${end.meaning} (exit code ${end.exitCode})`;
}

function failedGenerators(generators: readonly CollectedGenerator[]): InvalidReason[] {
  return generators.flatMap(({ name, node, end, firstError }, index) => {
    if (end.kind !== 'failed') return [];
    const which = `generator ${index + 1} of ${generators.length} (${name}${node === undefined ? '' : ` on ${node}`})`;
    return [invalidReason('I_GENERATOR_END', { end: `${which}: ${endText(end)}`, firstError })];
  });
}

/** After the ramp, queues settle for the rest of the guard interval. A generator that begins later ramps up while it counts. */
function lateStart(
  { guardSeconds }: Pick<SharedLoadPlan, 'guardSeconds'>,
  generators: readonly CollectedGenerator[],
): InvalidReason[] {
  const begun = generators.filter(({ firstAtMs }) => firstAtMs !== undefined);
  const startOf = ({ firstAtMs = 0 }: CollectedGenerator) => firstAtMs;
  const [first, ...others] = begun.toSorted((a, b) => startOf(a) - startOf(b));
  const last = others.at(-1);
  if (first === undefined || last === undefined) return [];
  const seconds = (startOf(last) - startOf(first)) / 1000;
  const limit = Math.max(marginSeconds, guardSeconds * (1 - rampShareOfGuard));
  return seconds <= limit ? [] : [invalidReason('I_GENERATOR_START', { last: last.name, seconds, limit })];
}
