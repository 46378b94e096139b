import { resolve } from 'node:path';
import { createComposeStack } from '../adapters/compose/index.ts';
import type { Sources } from '../adapters/git/index.ts';
import { allowedCpus, type CpuSets, cpuSets } from '../adapters/machine/index.ts';
import { createProcessStack } from '../adapters/process/index.ts';
import { type Clock, refuseForeignTarget, type Stack } from '../measure/index.ts';
import type { ComposeStackConfig, Config, ProcessStackConfig, StackKind } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { Settings } from './settings.ts';
import type { Workspace } from './workspace.ts';

export interface StackRequest {
  readonly config: Config;
  /** Path of gate.yml, as the user typed it. */
  readonly configPath: string;
  /** Folder of gate.yml. */
  readonly configDirectory: string;
  readonly settings: Settings;
  readonly workspace: Workspace;
  readonly cacheDirectory: string;
  readonly clock: Clock;
  /** Profiles of the compose file whose services start too. */
  readonly profiles?: readonly string[];
  readonly note: (text: string) => void;
}

export interface ChosenStack {
  readonly kind: StackKind;
  /** The code under test: the working directory of its build steps. */
  readonly root: string;
  /** What its build and its data depend on, as gate.yml names it. */
  readonly sources: Sources;
  /** How the CPUs are divided; undefined if all parts share them. */
  readonly cpuSets: CpuSets | undefined;
  create(): Stack;
}

/** The requested kind of stack. The default is containers on CI and processes elsewhere, if they are configured. */
export function chooseStack(requested: StackKind | undefined, request: StackRequest): ChosenStack {
  const { config, configPath, settings, note } = request;
  const kind = stackKind(requested, config, settings);
  const { process, compose } = config.stack;
  const chosen =
    kind === 'process'
      ? process && processStack(process, request)
      : compose && composeStack(compose, request);
  if (chosen === undefined) {
    throw new Fault({
      code: 'E_STACK_UNKNOWN',
      kind: 'usage',
      place: `${configPath}: stack`,
      cause: `the check was asked for --stack ${kind}, but stack.${kind} is not configured`,
      nextStep: `configure \`stack.${kind}\`, or use \`--stack ${otherThan(kind)}\``,
    });
  }
  if (requested === undefined) note(`stack: ${kind}${choiceReason(kind, settings)}`);
  return chosen;
}

/** The kind of stack to use. A requested kind is returned even if it is not configured. */
export function stackKind(requested: StackKind | undefined, config: Config, settings: Settings): StackKind {
  if (requested !== undefined) return requested;
  const preferred = preferredStack(settings);
  return config.stack[preferred] === undefined ? otherThan(preferred) : preferred;
}

function preferredStack({ ci }: Settings): StackKind {
  return ci ? 'compose' : 'process';
}

function otherThan(kind: StackKind): StackKind {
  return kind === 'process' ? 'compose' : 'process';
}

function choiceReason(kind: StackKind, settings: Settings): string {
  if (kind !== preferredStack(settings)) return ', the only one that is configured';
  return settings.ci ? ', the default on CI' : '';
}

function processStack(config: ProcessStackConfig, request: StackRequest): ChosenStack {
  const { configPath, configDirectory } = request;
  refuseForeignTarget(
    config.service.url,
    request.config.allowTargets,
    `${configPath}: stack.process.service.url`,
  );
  const root = resolve(configDirectory, config.root);
  return {
    kind: 'process',
    root,
    sources: sourcesOf(config),
    cpuSets: undefined,
    create: () => createProcessStack({ config, root, ...commonOptions(request) }),
  };
}

function sourcesOf({ build, data }: ProcessStackConfig | ComposeStackConfig): Sources {
  return {
    read: [...new Set([...build.flatMap(({ inputs = [] }) => inputs), ...(data?.key ?? [])])],
    written: build.flatMap(({ outputs }) => outputs),
  };
}

function composeStack(config: ComposeStackConfig, request: StackRequest): ChosenStack {
  const { configDirectory, settings } = request;
  const root = resolve(configDirectory, config.root);
  const sets = cpuSets(allowedCpus());
  return {
    kind: 'compose',
    root,
    sources: sourcesOf(config),
    cpuSets: sets,
    create: () =>
      createComposeStack({
        config,
        file: resolve(configDirectory, config.file),
        root,
        checkout: settings.root,
        cpuSets: sets,
        profiles: request.profiles ?? [],
        ...commonOptions(request),
      }),
  };
}

function commonOptions({ settings, workspace, cacheDirectory, clock, note }: StackRequest) {
  return {
    cacheDirectory,
    workDirectory: workspace.workDirectory,
    logDirectory: workspace.resultDirectory,
    env: settings.env,
    clock,
    note,
  };
}
