import { execFile } from 'node:child_process';
import type { LoadSpec } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';

/** Where the k6 binary is. */
export interface K6Binary {
  /** Path of the binary, or its name in one of the folders of `path`. */
  readonly binary: string;
  /** Folders to search for the binary, as in PATH. */
  readonly path?: string | undefined;
}

/** Longest output of `k6 archive` and `k6 version` that is kept. */
const maxOutputBytes = 1 << 20;
/** Compiling takes milliseconds, and a script whose init code hangs must not hang the gate. */
export const outputTimeoutMs = 30_000;

/**
 * k6's environment, apart from PATH. Variables that the user has exported (K6_VUS, K6_OUT, HTTP_PROXY, ...) would change
 * the load, and a script must not read tokens. Without a home k6 also finds no config.json, which could change the load.
 */
const environment = {
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  // Otherwise k6 downloads another k6 for a script that imports an extension.
  K6_AUTO_EXTENSION_RESOLUTION: 'false',
  // Half as many garbage collections take 17% off the CPU per request, for a quarter more memory
  // (.github/adr/0001). The generator takes CPU from the service where they share a machine.
  GOGC: '200',
} as const;

export function k6Environment({ path }: K6Binary): NodeJS.ProcessEnv {
  return path === undefined ? environment : { ...environment, PATH: path };
}

/** The script's variables, as options of `run` and `archive`. The script sees these variables and no others. */
export function variableOptions(env: LoadSpec['env']): string[] {
  // Passed as options, none of them can be mistaken for a setting of k6.
  return [
    '--include-system-env-vars=false',
    ...Object.entries(env).map(([name, value]) => `--env=${name}=${value}`),
  ];
}

/** How k6 runs for a program that reads its output. The gate does not read the summary, and without it k6 computes less. */
export const quietRunOptions = [
  '--no-color',
  '--no-usage-report',
  '--log-format=json',
  '--summary-mode=disabled',
] as const;

/** Only the tags that the gate reads. */
export const systemTags = '--system-tags=name,status,expected_response,check,scenario,error_code,vu';

/** Options that override the script's own load. The first stage starts from 0 instead of the script's vus. */
export function stageOptions(stages: LoadSpec['stages']): string[] {
  return ['--vus=0', ...stages.map(({ seconds, vus }) => `--stage=${Math.round(seconds * 1000)}ms:${vus}`)];
}

/** Runs k6 to its end. */
export function runK6(
  k6: K6Binary,
  args: readonly string[],
  { cwd, stdin = '' }: { readonly cwd?: string; readonly stdin?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      k6.binary,
      args,
      {
        cwd,
        env: k6Environment(k6),
        timeout: outputTimeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: maxOutputBytes,
      },
      (error, stdout, stderr) => {
        if (error === null) resolve({ code: 0, stdout, stderr });
        else if (error.syscall?.startsWith('spawn')) reject(k6NotStarted(k6.binary, error));
        else resolve({ code: typeof error.code === 'number' ? error.code : null, stdout, stderr });
      },
    );
    // k6 may have ended before it reads this; its exit code says so.
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
  });
}

export async function readVersion(k6: K6Binary): Promise<string> {
  const { code, stdout, stderr } = await runK6(k6, ['version']);
  const version = /\bv?(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1];
  if (code === 0 && version !== undefined) return version;
  throw new Fault({
    code: 'E_GENERATOR_VERSION',
    kind: 'usage',
    place: `${k6.binary} version`,
    cause: 'the program printed no k6 version',
    nextStep: 'set GATE_K6 to a k6 binary, 2.2.0 or later',
    logTail: `${stdout}${stderr}`.split('\n').slice(-10),
  });
}

export function k6NotStarted(binary: string, cause?: Error): Fault {
  return new Fault(
    {
      code: 'E_GENERATOR_MISSING',
      kind: 'usage',
      place: binary,
      cause: 'k6 could not be started',
      nextStep: 'install k6 2.2.0 or later and put it on the PATH, or set GATE_K6 to its binary',
    },
    { cause },
  );
}
