import { isAbsolute, join, relative, sep } from 'node:path';

const defaultConfig = 'perf/gate.yml';

/**
 * Where the workflows that other repositories call check out the gate, because a path in `uses:` starts from the caller's
 * workspace.
 */
export const reusableGateFolder = '.perf-gate-action';

/** The launcher's folder and the folder in which you type a command. */
export interface GatePlace {
  readonly gateDirectory: string;
  readonly workingDirectory: string;
}

/**
 * The command line as you type it in the working directory: `./gate check` in the launcher's own folder, its path
 * elsewhere, and `npx perf-gate check` with the package. It names `--config` unless the configuration is the default one.
 */
export function gateCommand(
  { gateDirectory, workingDirectory }: GatePlace,
  command: string,
  configPath = defaultConfig,
): string {
  const config = configPath === defaultConfig ? [] : ['--config', quoted(configPath)];
  const gate = isInstalled(gateDirectory)
    ? 'npx perf-gate'
    : quoted(launcher(gateDirectory, workingDirectory));
  return [gate, command, ...config].join(' ');
}

/** The command for somebody with a checkout of the repository; undefined if the repository does not hold the gate. */
export function checkCommandIn(
  checkout: string,
  gateDirectory: string,
  configPath: string,
  suite = 'pr',
): string | undefined {
  const path = relative(checkout, gateDirectory);
  const [first = ''] = path.split(sep);
  if (['..', reusableGateFolder].includes(first) || isAbsolute(path)) return undefined;
  const command = suite === 'pr' ? 'check' : `check --suite ${suite}`;
  return gateCommand({ gateDirectory, workingDirectory: checkout }, command, configPath);
}

/** True for the package that npm installed, which has no launcher. */
function isInstalled(gateDirectory: string): boolean {
  return gateDirectory.split(sep).includes('node_modules');
}

function launcher(gateDirectory: string, workingDirectory: string): string {
  const absolute = join(gateDirectory, 'gate');
  const fromHere = relative(workingDirectory, absolute);
  const typed = fromHere.startsWith(`..${sep}`) ? fromHere : `.${sep}${fromHere}`;
  return typed.length <= absolute.length ? typed : absolute;
}

/** As a POSIX shell takes it for one word. */
export function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
