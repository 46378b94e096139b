import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { GitCheckout } from '../../../adapters/git/index.ts';
import { readRepositoryFolder, writeNewFiles } from '../../../adapters/host/index.ts';
import { type InitPlan, initText, type OwnWorkflows, planInit } from '../../../init/index.ts';
import { Fault } from '../../../model/fault.ts';
import { gateCommand } from '../../gate-command.ts';
import type { Settings } from '../../settings.ts';
import { actionSource } from '../action-source.ts';
import type { CreateCommand } from '../command.ts';

export const command: CreateCommand = ({ settings, terminal, signal }) =>
  new Command('init')
    .description('write the first configuration, scenario and workflows for another repository')
    .argument('[directory]', 'top folder of a git checkout', '.')
    .option('--service <name>', 'the service to guard, if the repository holds several')
    .action(async (directory: string, { service }: { readonly service?: string }) => {
      const plan = await init(directory, service, settings, signal);
      const { workingDirectory } = settings;
      const pathOf = (file: string) =>
        relative(workingDirectory, join(resolve(workingDirectory, directory), file));
      const check = gateCommand(settings, 'check', pathOf('perf/gate.yml'));
      terminal.print(initText(plan, { width: terminal.width, paint: terminal.paintOut, check, pathOf }));
    });

/** Writes files that fit the repository, and never overwrites one. */
async function init(
  directory: string,
  service: string | undefined,
  settings: Settings,
  signal: AbortSignal,
): Promise<InitPlan> {
  const folder = requireFolder(resolve(settings.workingDirectory, directory), directory);
  const checkout = new GitCheckout(folder, settings.env, signal);
  await requireTop(checkout, folder, directory);
  const plan = planInit({
    repository: {
      name: basename(folder),
      branch: await checkout.defaultBranch(),
      ...readRepositoryFolder(folder),
    },
    service,
    source: await actionSource(settings, signal),
    workflows: ownWorkflows(settings.gateDirectory),
  });
  await writeNewFiles(folder, plan.files);
  return plan;
}

function requireFolder(path: string, typed: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return realpathSync(path);
  throw new Fault({
    code: 'E_INIT_DIRECTORY',
    kind: 'usage',
    place: typed,
    cause: stat === undefined ? 'the folder does not exist' : 'it is not a folder',
    nextStep: 'name the top folder of a git repository, or run the command there',
  });
}

/** GitHub runs workflows only from the top folder of a repository. */
async function requireTop(checkout: GitCheckout, folder: string, typed: string): Promise<void> {
  const top = await checkout.top();
  if (top === folder) return;
  throw new Fault({
    code: 'E_INIT_REPOSITORY',
    kind: 'usage',
    place: typed,
    cause: top === undefined ? 'it is not in a git repository' : `the top of this repository is ${top}`,
    nextStep:
      top === undefined
        ? 'run `git init` there, or name the top folder of a repository'
        : `run \`gate init ${top}\``,
  });
}

function ownWorkflows(gateDirectory: string): OwnWorkflows {
  const read = (name: string) => readFileSync(join(gateDirectory, '.github/workflows', name), 'utf8');
  return {
    'perf-gate.yml': read('perf-gate.yml'),
    'perf-baseline.yml': read('perf-baseline.yml'),
    'perf-publish.yml': read('perf-publish.yml'),
    'release.yml': read('release.yml'),
  };
}
