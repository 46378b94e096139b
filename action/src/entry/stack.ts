import { resolve } from 'node:path';
import { createComposeStack } from '../adapters/compose/index.ts';
import { allowedCpus, type CpuSets, cpuSets } from '../adapters/machine/index.ts';
import { createProcessStack } from '../adapters/process/index.ts';
import { type Clock, refuseForeignTarget, type Stack } from '../measure/index.ts';
import type { Config, StackKind } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { Settings } from './settings.ts';
import type { Workspace } from './workspace.ts';

export interface StackRequest {
  readonly config: Config;
  /** Path of gate.yml, as it was typed. */
  readonly configPath: string;
  /** Folder of gate.yml. */
  readonly configDirectory: string;
  readonly settings: Settings;
  readonly workspace: Workspace;
  readonly cacheDirectory: string;
  readonly clock: Clock;
  readonly note: (text: string) => void;
}

export interface ChosenStack {
  readonly kind: StackKind;
  /** Working directory of its build steps: the code that is measured. */
  readonly root: string;
  /** CPUs that the parts of the measurement keep to. */
  readonly cpuSets: CpuSets | undefined;
  create(): Stack;
}

/** How the service is run: as asked; else containers on CI and processes elsewhere, as far as they are configured. */
export function chooseStack(asked: StackKind | undefined, request: StackRequest): ChosenStack {
  const { config, configPath, settings, note } = request;
  const preferred = asked ?? preferredStack(settings);
  const kind = stackKind(asked, config, settings);
  if (config.stack[kind] === undefined) {
    throw new Fault({
      code: 'E_STACK_UNKNOWN',
      kind: 'usage',
      place: `${configPath}: stack`,
      cause: `--stack ${kind} is asked for, and stack.${kind} is not configured`,
      nextStep: `configure \`stack.${kind}\`, or use \`--stack ${otherThan(kind)}\``,
    });
  }
  if (asked === undefined) note(`stack: ${kind}${reason(kind, preferred, settings.ci)}`);
  return kind === 'process' ? processStack(request) : composeStack(request);
}

/** Which of the configured stacks is meant; not necessarily one that is configured, if it was asked for. */
export function stackKind(asked: StackKind | undefined, config: Config, settings: Settings): StackKind {
  if (asked !== undefined) return asked;
  const preferred = preferredStack(settings);
  return config.stack[preferred] === undefined ? otherThan(preferred) : preferred;
}

function preferredStack({ ci }: Settings): StackKind {
  return ci ? 'compose' : 'process';
}

function otherThan(kind: StackKind): StackKind {
  return kind === 'process' ? 'compose' : 'process';
}

function reason(kind: StackKind, preferred: StackKind, ci: boolean): string {
  if (kind !== preferred) return ', the only one that is configured';
  return ci ? ', the default on CI' : '';
}

function processStack(request: StackRequest): ChosenStack {
  const { config, configPath, configDirectory, settings, workspace, cacheDirectory, clock, note } = request;
  const own = config.stack.process;
  if (own === undefined) throw new Error('chooseStack() has looked');
  refuseForeignTarget(own.service.url, config.allowTargets, `${configPath}: stack.process.service.url`);
  const root = resolve(configDirectory, own.root);
  return {
    kind: 'process',
    root,
    cpuSets: undefined,
    create: () =>
      createProcessStack({
        config: own,
        root,
        cacheDirectory,
        workDirectory: workspace.workDirectory,
        logDirectory: workspace.resultDirectory,
        env: settings.env,
        clock,
        note,
      }),
  };
}

function composeStack(request: StackRequest): ChosenStack {
  const { config, configDirectory, settings, workspace, cacheDirectory, clock, note } = request;
  const own = config.stack.compose;
  if (own === undefined) throw new Error('chooseStack() has looked');
  const root = resolve(configDirectory, own.root);
  const sets = cpuSets(allowedCpus());
  return {
    kind: 'compose',
    root,
    cpuSets: sets,
    create: () =>
      createComposeStack({
        config: own,
        file: resolve(configDirectory, own.file),
        root,
        checkout: settings.root,
        cacheDirectory,
        workDirectory: workspace.workDirectory,
        logDirectory: workspace.resultDirectory,
        env: settings.env,
        cpuSets: sets,
        clock,
        note,
      }),
  };
}
