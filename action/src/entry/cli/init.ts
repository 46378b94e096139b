import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { GitCheckout } from '../../adapters/git/index.ts';
import { readRepositoryFolder, writeNewFiles } from '../../adapters/host/index.ts';
import { type ActionSource, type InitPlan, type OwnWorkflows, planInit } from '../../init/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Settings } from '../settings.ts';

export interface InitRequest {
  /** As it was typed. */
  readonly directory: string;
  /** Which of several services it is. */
  readonly service?: string;
}

/** Looks at a repository and writes configuration, scenario and workflows for it. */
export async function init(
  { directory, service }: InitRequest,
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
    source: await actionSource(new GitCheckout(settings.gateDirectory, settings.env, signal)),
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
    cause: stat === undefined ? 'there is no such folder' : 'this is no folder',
    nextStep: 'name the top folder of a git repository, or run this in it',
  });
}

/** Workflows only work from the top, and what they check out is what git knows. */
async function requireTop(checkout: GitCheckout, folder: string, typed: string): Promise<void> {
  const top = await checkout.top();
  if (top === folder) return;
  throw new Fault({
    code: 'E_INIT_REPOSITORY',
    kind: 'usage',
    place: typed,
    cause: top === undefined ? 'this is no git repository' : `the top of this repository is ${top}`,
    nextStep:
      top === undefined
        ? 'run `git init` there, or name a folder that is one'
        : `name that folder: init ${top}`,
  });
}

async function actionSource(gate: GitCheckout): Promise<Partial<ActionSource>> {
  const [repository, release, commit] = [await gate.gitHubName(), await gate.release(), await gate.commit()];
  return {
    ...(repository === undefined ? {} : { repository }),
    ...(release ?? (commit === undefined ? {} : { commit })),
  };
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

/** A file of the repository as it can be typed where the command was. */
export function typedPath(workingDirectory: string, directory: string, file: string): string {
  return relative(workingDirectory, join(resolve(workingDirectory, directory), file));
}
