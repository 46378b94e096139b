import { isAbsolute, relative, resolve, sep } from 'node:path';
import { nearestFolderWith } from '../adapters/host/index.ts';
import { Fault } from '../model/fault.ts';

/** Everything that the gate reads from its environment, read once. */
export interface Settings {
  /** Paths on the command line are relative to it. */
  readonly workingDirectory: string;
  /** The checkout that holds results, baseline and lock. */
  readonly root: string;
  /** The gate's own checkout, which holds the launcher. */
  readonly gateDirectory: string;
  /** The user's cache, shared by all checkouts. */
  readonly cacheDirectory: string;
  /** Operating system, as Node names it. */
  readonly platform: string;
  /** The k6 binary. */
  readonly k6: string;
  /** True if `CI`, or else `GITHUB_ACTIONS`, is set to anything but `false` and `0`. */
  readonly ci: boolean;
  /** Passed on to the commands of gate.yml. */
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

/** Works from the source and from the bundle. */
export function findGateDirectory(): string {
  const folder = nearestFolderWith('action/action.yml', import.meta.dirname);
  if (folder === undefined) throw new Error('the gate runs from a checkout of its repository');
  return folder;
}

/**
 * The settings for the configuration in that folder. Results, baseline and lock go to the checkout that holds it. Outside
 * any checkout they go to the launcher's folder if that contains it, or else to the working directory.
 */
export function settingsFor(configDirectory: string, settings: Settings): Settings {
  const { root, workingDirectory } = settings;
  const checkout = nearestFolderWith('.git', configDirectory);
  return { ...settings, root: checkout ?? (isBelow(configDirectory, root) ? root : workingDirectory) };
}

/** Also true for the folder itself. */
export function isBelow(folder: string, root: string): boolean {
  const path = relative(root, folder);
  return path.split(sep)[0] !== '..' && !isAbsolute(path);
}

/** Fails before the minutes that building and measuring take. */
export function requireLinux(platform: string): void {
  if (platform === 'linux') return;
  throw new Fault({
    code: 'E_PLATFORM',
    kind: 'usage',
    place: platform,
    cause: 'the gate measures on Linux only, because it reads CPU and process figures from /proc',
    nextStep:
      'run it on Linux, such as `runs-on: ubuntu-24.04` or your own machine; on macOS or Windows, use WSL 2, a virtual machine or a container',
  });
}
