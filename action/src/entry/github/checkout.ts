import { dirname, relative, resolve } from 'node:path';
import { nearestFolderWith } from '../../adapters/host/index.ts';
import { isBelow } from '../settings.ts';

/** The checkout that a step works on. */
export interface ActionCheckout {
  /** Paths in inputs and outputs are relative to this folder. */
  readonly workspace: string;
  /** The checkout that contains the configuration. It holds results, baseline and lock. */
  readonly root: string;
  /** Absolute path of gate.yml. */
  readonly configFile: string;
  /** The same relative to the root, as people know it from the repository. */
  readonly configPath: string;
}

/** The checkout may be below the workspace, because actions/checkout has a `path` input. */
export function actionCheckout(
  { GITHUB_WORKSPACE: folder = process.cwd() }: NodeJS.ProcessEnv,
  config: string,
): ActionCheckout {
  const workspace = resolve(folder);
  const configFile = resolve(workspace, config);
  const checkout = nearestFolderWith('.git', dirname(configFile));
  // A checkout above the workspace belongs to the runner. Without git, actions/checkout leaves no `.git` at all.
  const root = checkout !== undefined && isBelow(checkout, workspace) ? checkout : workspace;
  return { workspace, root, configFile, configPath: relative(root, configFile) };
}
