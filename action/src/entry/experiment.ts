import { relative, resolve } from 'node:path';
import { loadConfig } from '../adapters/config/index.ts';
import { readCode } from '../adapters/git/index.ts';
import { appendSeries, writeReports } from '../adapters/results/index.ts';
import { crowdedText, type StackSize, withSize } from '../limits/stack-size.ts';
import { type ProgressListener, planSuite, type SteadyService, withSteadyService } from '../measure/index.ts';
import type { Config, StackKind } from '../model/config.ts';
import type { Fingerprint, Run } from '../model/run.ts';
import { gitIn } from './checkout-git.ts';
import { inLockedCheckout } from './in-locked-checkout.ts';
import { hashLoad, openMeasuring } from './measuring.ts';
import { withoutOutputSecrets } from './outputs.ts';
import { requireLinux, type Settings } from './settings.ts';
import { chooseStack } from './stack.ts';

export interface ExperimentRequest {
  readonly configPath: string;
  readonly stack: StackKind | undefined;
  /** What the service has instead of its configured size. */
  readonly size: StackSize;
}

/** A series of loads on this checkout that answers another question than whether a change is slower. */
export interface Experiment {
  /** What was configured. */
  readonly config: Config;
  readonly id: string;
  readonly code: Run['code'];
  readonly stack: StackKind;
  readonly machine: Pick<Fingerprint, 'cpuModel' | 'cpuCount' | 'memoryGiB' | 'os'>;
  /** What makes its figures doubtful, in sentences. Grows while it runs. */
  readonly doubts: readonly string[];
  /** Folder of the results, relative to the working directory. */
  readonly resultDirectory: string;
  /** Boots and warms up the service with that configuration, and takes it down again after the work. */
  onService<T>(
    config: Config,
    suite: string,
    work: (steady: SteadyService, signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Writes files into the folder of the results. */
  write(files: readonly { readonly name: string; readonly text: string }[]): Promise<void>;
}

/** Does the work under the checkout's lock, so that nothing else of the gate measures here at the same time. */
export async function runExperiment<T>(
  { configPath, stack: requested, size }: ExperimentRequest,
  given: Settings,
  onProgress: ProgressListener,
  signal: AbortSignal,
  work: (experiment: Experiment) => Promise<T>,
): Promise<T> {
  requireLinux(given.platform);
  const { config: loaded, directory } = loadConfig(resolve(given.workingDirectory, configPath));
  const config = withSize(loaded, size);
  const settings: Settings = { ...given, env: withoutOutputSecrets(given.env, config.outputs) };
  const { request, stack, tools } = openMeasuring(
    { configPath, config, configDirectory: directory, stack: requested },
    settings,
    onProgress,
  );
  const { workspace } = request;
  const { resultDirectory, runId: id } = workspace;
  const machine = tools.machine.describe();
  /** By what they are about, because the page says each once. */
  const doubts = new Map<string, string>();
  const doubt = (about: string, text: string) => {
    if (!doubts.has(about)) doubts.set(about, text);
    onProgress({ kind: 'note', text });
  };
  const onService: Experiment['onService'] = async (changed, suite, onSteady) => {
    const plan = planSuite(changed, suite, configPath);
    const crowded = crowdedText(changed, stack.kind, machine.cpuCount);
    if (crowded !== undefined && !doubts.has('size')) doubt('size', crowded);
    const side = {
      name: 'head',
      id,
      stack: chooseStack(stack.kind, { ...request, config: changed }).create(),
      code,
      keepSeries: (series: Parameters<typeof appendSeries>[1]) => appendSeries(resultDirectory, series),
      keepProfile: () => Promise.resolve(),
    } as const;
    const loadHash = await hashLoad(tools.generator, changed, plan, directory);
    const options = { config: changed, configDirectory: directory, plan, loadHash, onProgress };
    return withSteadyService(tools, side, options, signal, (steady, guarded) => {
      // The warm-up of a sweep ends by its time alone, so that all boots get the same.
      const couldSettle = Number.isFinite(changed.warmUp.settledWindows);
      if (couldSettle && !steady.warm.steady) {
        const seconds = steady.warm.seconds.toFixed(0);
        doubt(
          'warm-up',
          `The service had not settled after ${seconds} s of warm-up, so the first figures may be worse than later ones.`,
        );
      }
      return onSteady(steady, guarded);
    });
  };
  const code = await readCode(gitIn(stack.root, settings.env, signal), stack.sources);
  return inLockedCheckout(request, stack, () =>
    work({
      config,
      id,
      code,
      stack: stack.kind,
      machine,
      get doubts() {
        return [...doubts.values()];
      },
      resultDirectory: relative(given.workingDirectory, resultDirectory),
      onService,
      write: (files) => writeReports(resultDirectory, files),
    }),
  );
}
