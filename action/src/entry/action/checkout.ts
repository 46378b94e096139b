import { dirname, relative, resolve } from 'node:path';
import { nearestFolderWith } from '../../adapters/host/index.ts';
import { isBelow } from '../settings.ts';

/** What a step of a workflow is about. */
export interface ActionCheckout {
  /** Folder that a workflow's paths start from, in inputs as in outputs. */
  readonly workspace: string;
  /** The checkout that the configuration lies in. Results, baseline and lock belong to it. */
  readonly root: string;
  /** Absolute path of gate.yml. */
  readonly configFile: string;
  /** The same from the root, as the pull request and people with another checkout know it. */
  readonly configPath: string;
}

/** It lies deeper in the workspace where actions/checkout was given a `path`. */
export function actionCheckout(
  { GITHUB_WORKSPACE: folder = process.cwd() }: NodeJS.ProcessEnv,
  config: string,
): ActionCheckout {
  const workspace = resolve(folder);
  const configFile = resolve(workspace, config);
  const checkout = nearestFolderWith('.git', dirname(configFile));
  // Above it is what the runner lies in. And where there is no git, actions/checkout leaves no `.git`.
  const root = checkout !== undefined && isBelow(checkout, workspace) ? checkout : workspace;
  return { workspace, root, configFile, configPath: relative(root, configFile) };
}
