import { resolve } from 'node:path';

/** Everything the command line takes from its environment, read once. */
export interface Settings {
  /** Folder that names are relative to. */
  readonly workingDirectory: string;
  /** Checkout that results, baseline and lock belong to. */
  readonly root: string;
  /** Per-user cache shared by all checkouts. */
  readonly cacheDirectory: string;
  /** The k6 binary. */
  readonly k6: string;
  /** On a CI machine, as CI services say with CI=true. */
  readonly ci: boolean;
  /** Inherited by the commands of gate.yml. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function readSettings(env: NodeJS.ProcessEnv, workingDirectory: string): Settings {
  return {
    workingDirectory,
    root: resolve(env.GATE_ROOT ?? workingDirectory),
    cacheDirectory: resolve(
      env.GATE_CACHE ?? `${env.XDG_CACHE_HOME ?? `${env.HOME ?? workingDirectory}/.cache`}/perf-gate`,
    ),
    k6: env.GATE_K6 ?? 'k6',
    ci: env.CI === 'true',
    env,
  };
}
