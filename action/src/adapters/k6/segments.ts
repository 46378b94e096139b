import type { LoadEnd, LoadResult, LoadSink, LoadSpec, RunningLoad } from '../../measure/index.ts';
import { passingOn } from './passing-on.ts';

/** What one of several k6 processes does of a load. */
export interface SegmentOfLoad {
  readonly spec: LoadSpec;
  /** Options that tell k6 its part of virtual users and arrivals; none if it does all. */
  readonly segment: readonly string[];
}

type StartOne = (part: SegmentOfLoad, sink: LoadSink, signal: AbortSignal) => RunningLoad;

/** The reason why the other processes end once one has failed. */
class SegmentFailed extends Error {}

/**
 * Starts a load in several processes, by k6's execution segments. The sink gets the samples of all, so counts and
 * histograms add up exactly. If a process fails, the others end too, since the rest is another load.
 */
export function inSegments(
  count: number,
  spec: LoadSpec,
  sink: LoadSink,
  signal: AbortSignal,
  startOne: StartOne,
): RunningLoad {
  if (count === 1) return startOne({ spec, segment: [] }, sink, signal);
  const failed = new AbortController();
  const guarded = AbortSignal.any([signal, failed.signal]);
  const endOthers = () => failed.abort(new SegmentFailed('another process of the load failed'));
  const users = new Array<number>(count).fill(0);
  const loads: RunningLoad[] = [];
  try {
    for (const index of users.keys()) {
      loads.push(startOne(segmentOf(spec, index, count), withUsersOf(sink, users, index), guarded));
    }
  } catch (error) {
    for (const { done } of loads) done.catch(() => {});
    endOthers();
    throw error;
  }
  const done = Promise.allSettled(
    loads.map(async ({ done: one }, index): Promise<LoadResult> => {
      const result = await one.catch((error: unknown) => {
        endOthers();
        throw error;
      });
      if (result.end.kind !== 'failed') return result;
      endOthers();
      const meaning = `generator ${index + 1} of ${count}: ${result.end.meaning}`;
      return { ...result, end: { ...result.end, meaning } };
    }),
  ).then((settled) => merged(settled, signal));
  done.catch(() => {});
  return { pids: loads.flatMap(({ pids }) => pids), done };
}

/** Local numbers of virtual users begin with 1 in every process, so scripts that use them get an offset. */
function segmentOf(spec: LoadSpec, index: number, count: number): SegmentOfLoad {
  const offset = Number(spec.env.VU_OFFSET ?? 0) + index * mostUsersOfOne(spec, count);
  const edge = (at: number) => (at === 0 || at === count ? String(at / count) : `${at}/${count}`);
  const edges = Array.from({ length: count + 1 }, (_, at) => edge(at));
  return {
    spec: { ...spec, env: { ...spec.env, VU_OFFSET: String(offset) } },
    segment: [
      `--execution-segment=${edge(index)}:${edge(index + 1)}`,
      `--execution-segment-sequence=${edges.join(',')}`,
    ],
  };
}

/** The most virtual users that one of several processes has. */
export function mostUsersOfOne(
  { arrival, stages }: Pick<LoadSpec, 'arrival' | 'stages'>,
  count: number,
): number {
  return Math.ceil((arrival?.vus ?? Math.max(...stages.map(({ vus }) => vus))) / count);
}

/** The sink of one process, which says how many users all processes have. */
function withUsersOf(sink: LoadSink, users: number[], index: number): LoadSink {
  return passingOn(sink, {
    users: (atMs, own) => {
      users[index] = own;
      sink.users(
        atMs,
        users.reduce((sum, one) => sum + one, 0),
      );
    },
  });
}

function merged(settled: readonly PromiseSettledResult<LoadResult>[], signal: AbortSignal): LoadResult {
  if (signal.aborted) throw signal.reason;
  const failure = settled.find((one) => one.status === 'rejected' && !(one.reason instanceof SegmentFailed));
  if (failure?.status === 'rejected') throw failure.reason;
  const results = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return {
    end: worstEnd(results.map(({ end }) => end)),
    exceptions: results.reduce((sum, { exceptions }) => sum + exceptions, 0),
    errors: [...new Set(results.flatMap(({ errors }) => errors))],
  };
}

function worstEnd(ends: readonly LoadEnd[]): LoadEnd {
  const failed = ends.find(({ kind }) => kind === 'failed');
  if (failed !== undefined) return failed;
  const metrics = new Set(ends.flatMap((end) => (end.kind === 'thresholds-missed' ? end.metrics : [])));
  return metrics.size === 0 ? { kind: 'finished' } : { kind: 'thresholds-missed', metrics: [...metrics] };
}
