import { isAbsolute, relative, resolve, sep } from 'node:path';
import { nearestFolderWith } from '../adapters/host/index.ts';

/** Everything the command line takes from its environment, read once. */
export interface Settings {
  /** Folder that names are relative to. */
  readonly workingDirectory: string;
  /** Checkout that results, baseline and lock belong to. */
  readonly root: string;
  /** Checkout of the gate itself, where its launcher lies. */
  readonly gateDirectory: string;
  /** Per-user cache shared by all checkouts. */
  readonly cacheDirectory: string;
  /** Operating system, as Node names it. */
  readonly platform: string;
  /** The k6 binary. */
  readonly k6: string;
  /** On a CI machine: `CI`, or else `GITHUB_ACTIONS`, is set to anything but `false` and `0`. */
  readonly ci: boolean;
  /** Inherited by the commands of gate.yml. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function readSettings(env: NodeJS.ProcessEnv, workingDirectory: string): Settings {
  return {
    workingDirectory,
    root: resolve(env.GATE_ROOT ?? workingDirectory),
    gateDirectory: findGateDirectory(),
    cacheDirectory: resolve(
      env.GATE_CACHE ?? `${env.XDG_CACHE_HOME ?? `${env.HOME ?? workingDirectory}/.cache`}/perf-gate`,
    ),
    platform: process.platform,
    k6: env.GATE_K6 ?? 'k6',
    ci: !['', '0', 'false'].includes((env.CI || env.GITHUB_ACTIONS || '').toLowerCase()),
    env,
  };
}

/** From the source as from the bundle. */
export function findGateDirectory(): string {
  const folder = nearestFolderWith('action/action.yml', import.meta.dirname);
  if (folder === undefined) throw new Error('the gate runs from a checkout of its repository');
  return folder;
}

/**
 * The settings for what the configuration in that folder measures. Results, baseline and lock belong to the checkout
 * that it lies in; outside of any, to the folder that the launcher lies in if it is below that, else to where the
 * command was typed.
 */
export function settingsFor(configDirectory: string, settings: Settings): Settings {
  const { root, workingDirectory } = settings;
  const checkout = nearestFolderWith('.git', configDirectory);
  return { ...settings, root: checkout ?? (isBelow(configDirectory, root) ? root : workingDirectory) };
}

/** True for the folder itself too. */
export function isBelow(folder: string, root: string): boolean {
  const path = relative(root, folder);
  return path.split(sep)[0] !== '..' && !isAbsolute(path);
}
