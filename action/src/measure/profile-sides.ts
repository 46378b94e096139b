import { resolve } from 'node:path';
import { Fault } from '../model/fault.ts';
import { profileSchemaVersion, type StackProfile } from '../model/profile.ts';
import { cellName } from '../model/run.ts';
import type { MeasureContext, ReadySide } from './context.ts';
import { endingLoads } from './loads.ts';
import { type Plan, type PlannedCell, sideOrder, steadyLoad, users } from './plan.ts';
import type { Profiler } from './ports.ts';
import { Recorder } from './recorder.ts';

/** Seconds of a load before it is profiled: the service is warm, so only queues have to settle. */
const settleSeconds = 3;
/** At 100 samples per second of CPU time, a method that takes 5% of one busy core has 50 of them. */
const profiledSeconds = 10;
/** The load goes on so long after it, because a recording begins and ends a little late. */
const restSeconds = 2;
/** Scenarios that are profiled, because each takes half a minute. */
export const mostScenarios = 3;

/** Seconds that one side's profile of one scenario takes, without starting the generator. */
const secondsPerProfile = settleSeconds + profiledSeconds + restSeconds;

/** The cell with the highest load of each scenario, of the named cells. The scenario that is named first comes first. */
export function cellsForProfile({ cells }: Plan, names: readonly string[]): readonly PlannedCell[] {
  const named = names.flatMap((name) => cells.filter((cell) => cellName(cell) === name));
  return [...Map.groupBy(named, ({ scenario }) => scenario).values()].flatMap((loads) =>
    loads.toSorted((a, b) => users(b) - users(a)).slice(0, 1),
  );
}

/** Why the sides cannot be profiled; undefined if all of them can. */
export function whyNotProfiled(ready: readonly ReadySide[]): string | undefined {
  const reasons = ready.flatMap(({ side, service: { profiler } }) => {
    if (profiler === undefined) return [`${side.name}: this stack has no profiler`];
    return 'unavailable' in profiler ? [`${side.name}: ${profiler.unavailable}`] : [];
  });
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

/**
 * Puts each cell's load on each side once more and profiles it. Call it after all blocks: what it costs is in none of
 * them. A profile explains a verdict and decides nothing, so a side that cannot be profiled leaves a note.
 */
export async function profileSides(
  context: MeasureContext,
  ready: readonly ReadySide[],
  cells: readonly PlannedCell[],
): Promise<void> {
  const note = (text: string) => context.options.onProgress({ kind: 'note', text });
  for (const [index, cell] of cells.entries()) {
    try {
      const profiles = new Map<ReadySide, StackProfile>();
      for (const one of sideOrder(ready, 0, index)) {
        const { profiler } = one.service;
        if (profiler === undefined || 'unavailable' in profiler) return;
        profiles.set(one, await profileUnderLoad(context, one, profiler, cell));
      }
      // One side alone explains nothing, so none is kept until both exist.
      for (const [{ side }, profile] of profiles) {
        const { scenario, load } = cell;
        await side.keepProfile({ schema: profileSchemaVersion, side: side.name, scenario, load, ...profile });
      }
    } catch (error) {
      if (context.signal.aborted || !(error instanceof Fault)) throw error;
      note(`${cellName(cell)} was not profiled: ${error.details.cause} (${error.details.code})`);
    }
  }
}

function profileUnderLoad(
  { tools: { generator, clock }, options: { configDirectory }, signal }: MeasureContext,
  { service }: ReadySide,
  profiler: Profiler,
  cell: PlannedCell,
): Promise<StackProfile> {
  return endingLoads(signal, async (guarded) => {
    // Only says when the load has begun.
    const recorder = new Recorder(settleSeconds, profiledSeconds);
    const spec = {
      script: resolve(configDirectory, cell.script),
      ...steadyLoad(cell, secondsPerProfile),
      ...(cell.exec === undefined ? {} : { exec: cell.exec }),
      env: { ...cell.env, BASE_URL: service.url },
    };
    const load = generator.start(spec, recorder, guarded);
    const ended = load.done.then(() => 'ended' as const);
    if ((await Promise.race([recorder.started, ended])) === 'ended') throw noRequest(cell);
    await clock.wait(settleSeconds * 1000, guarded);
    const profile = await profiler.profile(profiledSeconds, guarded);
    await ended;
    return profile;
  });
}

function noRequest(cell: PlannedCell): Fault {
  return new Fault({
    code: 'E_PROFILE_LOAD',
    kind: 'measurement',
    place: cellName(cell),
    cause: 'the load for the profile sent no request',
    nextStep: 'nothing: the verdict does not need a profile',
  });
}
