import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { loadConfig } from '../adapters/config/index.ts';
import { archiveLoad, createK6, generatorVariable, runnerArguments } from '../adapters/k6/index.ts';
import {
  generatorManifests,
  type KubernetesLoad,
  kubernetesCommands,
  requireClusterAddress,
  resultFolder,
  type SecretVariable,
  testRunName,
  testRunNameOf,
  variablesOf,
} from '../adapters/kubernetes/index.ts';
import { writeReports } from '../adapters/results/index.ts';
import { requireShares, type SharedTimes, sharedConfig, sharedSuite } from '../limits/shared-load/index.ts';
import { type ArrivalLoad, checkedPlan, loadOf, type ProgressListener, planSuite } from '../measure/index.ts';
import { Fault } from '../model/fault.ts';
import { type SharedLoadPlan, sharedLoadFile } from '../model/shared-load.ts';
import { gateCommand, quoted } from './gate-command.ts';
import { hashLoad } from './measuring.ts';
import type { Settings } from './settings.ts';
import { openWorkspace, prepareHome } from './workspace.ts';

const manifestsFile = 'manifests.yaml';

export interface KubernetesRequest extends Pick<KubernetesLoad, 'namespace' | 'claim' | 'separate'> {
  readonly configPath: string;
  readonly cell: string;
  /** Address of the service in the cluster. */
  readonly url: string;
  readonly generators: number;
  readonly times: SharedTimes;
  /** Image of the generators; undefined for that of k6's own makers, in the version that runs here. */
  readonly image: string | undefined;
  readonly secrets: readonly SecretVariable[];
  /** Name of the TestRun; undefined for one that no other load has. */
  readonly name: string | undefined;
  /** Where to write, relative to the working directory; undefined for a folder of the checkout. */
  readonly folder: string | undefined;
}

/** Writes the manifests of a load and what they ask for. Returns the folder, and what to type next. */
export async function writeKubernetesLoad(
  request: KubernetesRequest,
  settings: Settings,
  onProgress: ProgressListener,
): Promise<{ readonly folder: string; readonly commands: readonly string[] }> {
  const { configPath, cell: cellName, url, generators, secrets } = request;
  const { config, directory: configDirectory } = loadConfig(resolve(settings.workingDirectory, configPath));
  const name =
    request.name === undefined
      ? testRunNameOf(cellName, randomBytes(3).toString('hex'))
      : testRunName(request.name);
  requireClusterAddress(url, config.allowTargets);
  const k6 = { binary: settings.k6, path: settings.env.PATH };
  const generator = createK6(k6);
  const asked = planSuite(sharedConfig(config, cellName, request.times), sharedSuite, configPath);
  const { plan } = await checkedPlan({
    tools: { generator },
    options: { plan: asked, configDirectory, onProgress },
  });
  const [cell] = plan.cells;
  if (cell === undefined) throw new Error(`the suite of ${cellName} has no cell`);
  requireShares(cell, generators);
  const resolveScript = (script: string) => resolve(configDirectory, script);
  const load = loadOf({ cell, config, resolveScript, service: { url } });
  const shared: SharedLoadPlan = {
    schema: 1,
    name,
    cell: cellName,
    service: url,
    generators,
    vus: cell.vus,
    ...(cell.arrival !== undefined && { arrival: plannedArrival(cell.arrival) }),
    guardSeconds: cell.guardSeconds,
    countedSeconds: cell.countedSeconds,
    k6: await generator.version(),
    loadHash: await hashLoad(generator, config, plan, configDirectory),
    ...(cell.endpoints !== undefined && { endpoints: [...cell.endpoints] }),
  };
  const kubernetes: KubernetesLoad = {
    ...request,
    plan: shared,
    archive: await archiveLoad(k6, load, generators),
    variables: variablesOf(load.env, secrets, generatorVariable),
    arguments: runnerArguments(resultFolder),
    image: request.image ?? `grafana/k6:${shared.k6}`,
  };
  const folder = folderFor(request.folder, name, settings);
  const shown = relative(settings.workingDirectory, folder) || '.';
  await writeReports(folder, [
    { name: manifestsFile, text: generatorManifests(kubernetes) },
    { name: sharedLoadFile, text: `${JSON.stringify(shared, null, 2)}\n` },
  ]);
  const files = {
    folder: quoted(shown),
    manifests: quoted(join(shown, manifestsFile)),
    collect: gateCommand(settings, `generator collect ${quoted(shown)}`),
  };
  return { folder: shown, commands: kubernetesCommands(kubernetes, files) };
}

function plannedArrival({ perSecond, seconds, stages }: ArrivalLoad): SharedLoadPlan['arrival'] {
  return {
    perSecond,
    seconds,
    ...(stages !== undefined && { stages: stages.map((stage) => ({ ...stage })) }),
  };
}

function folderFor(asked: string | undefined, name: string, settings: Settings): string {
  const workspace = openWorkspace(settings.root, '-');
  if (asked === undefined) prepareHome(workspace);
  const folder =
    asked === undefined
      ? join(workspace.sharedLoadsDirectory, name)
      : resolve(settings.workingDirectory, asked);
  if (!existsSync(join(folder, sharedLoadFile))) return folder;
  throw new Fault({
    code: 'E_GENERATOR_FOLDER',
    kind: 'usage',
    place: relative(settings.workingDirectory, folder) || '.',
    cause: 'the folder holds a load already, and results of two loads would mix',
    nextStep: 'name another --folder or --name, or remove the folder once you no longer need its results',
  });
}
