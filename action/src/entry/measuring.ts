import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { createSystemClock } from '../adapters/host/index.ts';
import { createK6 } from '../adapters/k6/index.ts';
import { createLinuxMachine, createPrometheusReader } from '../adapters/machine/index.ts';
import {
  type BlockTools,
  type LoadGenerator,
  type Plan,
  type ProgressListener,
  scenariosOf,
} from '../measure/index.ts';
import type { Config, StackKind } from '../model/config.ts';
import type { Settings } from './settings.ts';
import { type ChosenStack, chooseStack, type StackRequest } from './stack.ts';
import { newRunId, openWorkspace } from './workspace.ts';

export interface MeasuringRequest {
  /** Path of gate.yml, as the user typed it. */
  readonly configPath: string;
  readonly config: Config;
  /** Folder of gate.yml. */
  readonly configDirectory: string;
  /** How to run the service. By default the machine and the configuration decide. */
  readonly stack: StackKind | undefined;
}

/** What every command that measures needs: a folder for its results, the stack of the checkout, and the tools. */
export interface Measuring {
  readonly request: StackRequest;
  readonly stack: ChosenStack;
  readonly tools: BlockTools;
}

export function openMeasuring(
  { configPath, config, configDirectory, stack }: MeasuringRequest,
  settings: Settings,
  onProgress: ProgressListener,
): Measuring {
  const { root, cacheDirectory, k6, env } = settings;
  const clock = createSystemClock();
  const request: StackRequest = {
    config,
    configPath,
    configDirectory,
    settings,
    workspace: openWorkspace(root, newRunId(clock.now())),
    cacheDirectory,
    clock,
    note: (text) => onProgress({ kind: 'note', text }),
  };
  const chosen = chooseStack(stack, request);
  const { cpuSets } = chosen;
  return {
    request,
    stack: chosen,
    tools: {
      generator: createK6({
        binary: k6,
        generators: config.generators,
        ...(env.PATH === undefined ? {} : { path: env.PATH }),
        ...(cpuSets === undefined ? {} : { cpus: { list: cpuSets.generator, count: cpuSets.generatorCpus } }),
      }),
      machine: createLinuxMachine(settings),
      metrics: createPrometheusReader(),
      clock,
    },
  };
}

/** Covers all that shapes the load: cells, stages, rounds, warm-up and scripts, but no tolerances or signals. */
export async function hashLoad(
  generator: LoadGenerator,
  { warmUp, generators }: Config,
  plan: Plan,
  directory: string,
): Promise<string> {
  // A single generator is not written, so that runs from before the setting are still comparable.
  const shape = { plan, warmUp, ...(generators > 1 && { generators }) };
  const hash = createHash('sha256').update(JSON.stringify(shape));
  for (const { script, env, exec } of scenariosOf(plan)) {
    const use = await generator.check(resolve(directory, script), env, exec);
    hash.update(`\0${use.hash}`);
  }
  return hash.digest('hex');
}
