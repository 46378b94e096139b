import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from '../adapters/host/index.ts';
import { type CollectedStart, endMeaning, readSamples, readStart } from '../adapters/k6/index.ts';
import { type GeneratorPod, podsFile, readPods, resultFolder } from '../adapters/kubernetes/index.ts';
import { type CollectedGenerator, sharedLoadOf } from '../limits/shared-load/index.ts';
import { type LoadEnd, Recorder } from '../measure/index.ts';
import { Fault } from '../model/fault.ts';
import {
  type SharedLoad,
  type SharedLoadPlan,
  sharedLoadFile,
  sharedLoadPlanSchema,
} from '../model/shared-load.ts';

/** One generator's pod and output. */
interface Generator {
  readonly name: string;
  readonly node?: string;
  readonly end: LoadEnd;
  readonly csv: string;
  readonly log: string;
  /** Absent if its output is. */
  readonly start?: CollectedStart;
}

/** Merges what the generators of a load wrote into one. `shown` is how the user typed the folder. */
export async function collectLoad(folder: string, shown: string): Promise<SharedLoad> {
  const plan = readPlan(join(folder, sharedLoadFile), join(shown, sharedLoadFile));
  const pods = await readPods(join(folder, podsFile));
  const results = join(folder, resultFolder);
  const names = Array.from({ length: plan.generators }, (_, index) => `${plan.name}-${index + 1}`);
  requireOwn(plan, names, pods, results);
  const generators: Generator[] = [];
  for (const [index, name] of names.entries()) {
    generators.push(await generatorOf(plan, { name, position: index + 1, results }, pods));
  }
  return merged(plan, generators);
}

/**
 * Time starts with the request that ended first, as with one generator, so its output is read first. What follows is
 * dated by the clocks of other machines.
 */
async function merged(plan: SharedLoadPlan, generators: readonly Generator[]): Promise<SharedLoad> {
  const recorder = new Recorder(plan.guardSeconds, plan.countedSeconds);
  const collected = new Map<string, CollectedGenerator>();
  const endedAt = ({ start }: Generator) => start?.first?.endedAtMs ?? Number.POSITIVE_INFINITY;
  for (const one of generators.toSorted((a, b) => endedAt(a) - endedAt(b) || 0)) {
    const { name, node, end, csv, log, start } = one;
    const read =
      start === undefined
        ? { requests: 0, failed: 0 }
        : await readSamples({ csv, log, baseUrl: plan.service }, recorder);
    collected.set(name, {
      name,
      ...(node !== undefined && { node }),
      end,
      ...read,
      ...(start?.first !== undefined && { firstAtMs: start.first.beganAtMs }),
    });
  }
  const inOrder = generators.flatMap(({ name }) => collected.get(name) ?? []);
  return sharedLoadOf(plan, inOrder, recorder.finish());
}

async function generatorOf(
  plan: SharedLoadPlan,
  { name, position, results }: { readonly name: string; readonly position: number; readonly results: string },
  pods: readonly GeneratorPod[],
): Promise<Generator> {
  const own = pods.filter(({ generator }) => generator === name);
  const csv = join(results, `${name}.csv`);
  const start = await readStart(csv);
  if (start !== undefined) requireRun(plan, { csv, position, start }, own);
  const node = own.at(-1)?.node;
  return {
    name,
    ...(node !== undefined && { node }),
    end: endOf(plan, own, start),
    csv,
    log: join(results, `${name}.log`),
    ...(start !== undefined && { start }),
  };
}

function endOf(
  { arrival }: SharedLoadPlan,
  pods: readonly GeneratorPod[],
  start: CollectedStart | undefined,
): LoadEnd {
  const failed = (meaning: string, exitCode: number | null = null) =>
    ({ kind: 'failed', exitCode, signal: null, meaning }) as const;
  const [pod, ...others] = pods;
  if (pod === undefined) return failed('its pod is missing');
  if (others.length > 0) return failed(`it ran ${pods.length} times`);
  const { exitCode, reason } = pod;
  if (exitCode === null) return failed(reason ?? 'its pod failed before it ran');
  if (exitCode !== 0) {
    const known = reason === undefined || reason === 'Error' ? '' : `${reason}, `;
    return failed(`${known}${endMeaning(exitCode, null)}`, exitCode);
  }
  if (start === undefined) return failed('its results are missing or cut off');
  // At a low rate, a generator may have no pass to begin.
  if (start.first === undefined && arrival === undefined) return failed('it sent no request');
  return { kind: 'finished' };
}

/** Refuses pods and files of generators that the plan does not have. */
function requireOwn(
  { name }: SharedLoadPlan,
  names: readonly string[],
  pods: readonly GeneratorPod[],
  results: string,
): void {
  const pod = pods.find(({ generator }) => !names.includes(generator));
  if (pod !== undefined)
    throw foreign(podsFile, `it lists ${pod.generator || 'a pod without a job'}, which`, name);
  const files = existsSync(results) ? readdirSync(results) : [];
  // A claim may hold the results of other loads too, which nobody reads.
  const file = files.find(
    (one) =>
      one.startsWith(`${name}-`) &&
      /^\d+\.csv$/.test(one.slice(name.length + 1)) &&
      !names.includes(one.slice(0, -'.csv'.length)),
  );
  if (file !== undefined) throw foreign(join(results, file), 'it', name);
}

/** Refuses the output of another run, even of one with the same name. */
function requireRun(
  { name }: SharedLoadPlan,
  {
    csv,
    position,
    start,
  }: { readonly csv: string; readonly position: number; readonly start: CollectedStart },
  pods: readonly GeneratorPod[],
): void {
  const { testrun_name: run = '', instance_id: instance = '' } = start.tags;
  if (run !== name || instance !== String(position)) {
    throw foreign(
      csv,
      `it holds the samples of generator ${instance || '?'} of ${run || 'no TestRun'} and`,
      name,
    );
  }
  const { first } = start;
  const ran = pods.at(-1)?.ran;
  if (first === undefined || ran === undefined) return;
  // Kubernetes keeps whole seconds.
  if (first.beganAtMs >= 1000 * ran.fromSeconds && first.beganAtMs <= 1000 * (ran.toSeconds + 1)) return;
  const began = new Date(first.beganAtMs).toISOString();
  throw foreign(csv, `it begins at ${began}, when its pod did not run, so it`, name);
}

function foreign(place: string, what: string, name: string): Fault {
  return new Fault({
    code: 'E_GENERATOR_FOREIGN',
    kind: 'usage',
    place,
    cause: `${what} is not part of the load ${name}`,
    nextStep: `collect the pods and files of ${name} alone, into an empty folder`,
  });
}

function readPlan(path: string, shown: string): SharedLoadPlan {
  return readJsonFile(path, sharedLoadPlanSchema, {
    code: 'E_GENERATOR_PLAN',
    kind: 'usage',
    place: shown,
    cause: 'it does not exist, or is not what `gate generator kubernetes` wrote',
    nextStep: 'name the folder that `gate generator kubernetes` wrote',
  });
}
