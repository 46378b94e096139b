import { execFile, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type {
  LoadEnd,
  LoadGenerator,
  LoadResult,
  LoadSink,
  LoadSpec,
  RunningLoad,
} from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { errorText, K6Log } from './log.ts';
import { K6Samples } from './samples.ts';

export interface K6Options {
  /** Path of the k6 binary, or its name in one of the folders of `path`. */
  readonly binary: string;
  /** Folders to look for the binary in, as in PATH. */
  readonly path?: string | undefined;
  /**
   * How long each of SIGINT and SIGTERM has to work, in ms, before the next harder signal. After SIGINT k6 runs
   * the script's teardown(). Default 2000.
   */
  readonly patienceMs?: number;
  /** CPUs that the load keeps to, as `taskset` lists them (`3`, `6-7`), and how many those are. */
  readonly cpus?: { readonly list: string; readonly count: number };
}

/** Most of the stderr of `k6 archive` and `k6 version` that is looked at. */
const MAX_ANSWER_BYTES = 1 << 20;
/** Compiling takes milliseconds; a script whose init code hangs must not hang the gate. */
const CHECK_TIMEOUT_MS = 30_000;

/**
 * k6's environment, apart from PATH. What a user has exported (K6_VUS, K6_OUT, HTTP_PROXY, ...) would change the load, and
 * tokens are none of a script's business. Without a home there is no config.json either, which could do the same.
 */
const ENVIRONMENT = {
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  // Otherwise k6 downloads another k6 for a script that imports an extension.
  K6_AUTO_EXTENSION_RESOLUTION: 'false',
  // Half as many collections of garbage take 17% off the CPU of a request, for a quarter more memory
  // (.github/adr/0001). The generator's CPU is the service's where they share a machine.
  GOGC: '200',
} as const;

const MEANINGS: Readonly<Record<number, string>> = {
  100: "the script's setup() took too long",
  101: "the script's teardown() took too long",
  102: 'a timeout',
  103: 'stopped through its REST API',
  104: 'options that k6 does not accept',
  105: 'stopped by a signal from outside of the gate',
  106: 'its REST API could not start',
  107: 'the script threw an exception outside of an iteration',
  108: 'the script called test.abort()',
  109: 'k6 itself crashed',
  110: 'the script called test.fail()',
  137: 'killed by SIGKILL, as the system does when memory runs out',
};

/** Loads with k6, one process a run, samples read from its CSV output as they come. */
export function createK6(options: K6Options): LoadGenerator {
  return {
    ...(options.cpus === undefined ? {} : { ownCpus: options.cpus.count }),
    version: () => version(options),
    check: (script, env) => check(options, script, env),
    start: (spec, sink, signal) => start(options, spec, sink, signal),
  };
}

function start(options: K6Options, spec: LoadSpec, sink: LoadSink, signal: AbortSignal): RunningLoad {
  signal.throwIfAborted();
  const [program, ...before] = runOn(options.cpus, options.binary);
  const child = spawn(
    program,
    [
      ...before,
      'run',
      '--quiet',
      '--no-color',
      '--no-usage-report',
      '--log-format=json',
      // Nothing reads the summary; without it k6 keeps fewer figures itself.
      '--summary-mode=disabled',
      '--system-tags=name,status,expected_response,check,scenario,error_code,vu',
      // Through stdout, because k6 then dies of SIGPIPE if the gate is gone, instead of loading on for ever.
      // Little and often, because formatting a whole second's samples at once steals time from the service.
      '--out=csv=fileName=-,timeFormat=unix_micro,saveInterval=200ms',
      // The script sees these variables and no others; as flags they cannot be taken for options of k6.
      '--include-system-env-vars=false',
      ...variables(spec.env),
      // Overrides whatever load the script defines. The first stage starts from 0 and not from the script's vus.
      '--vus=0',
      ...spec.stages.map(({ seconds, vus }) => `--stage=${Math.round(seconds * 1000)}ms:${vus}`),
      '--',
      spec.script,
    ],
    {
      cwd: dirname(spec.script),
      env: environment(options),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own: Ctrl-C is for the gate, which then ends k6 in its own order.
      detached: true,
    },
  );
  const { pid } = child;
  if (pid === undefined) {
    // The reason comes with an event, later than a caller can be told.
    child.on('error', () => {});
    throw notStarted(program);
  }

  const done = new Promise<LoadResult>((resolve, reject) => {
    const samples = new K6Samples(sink, spec.env.BASE_URL);
    const log = new K6Log();
    const timers: NodeJS.Timeout[] = [];
    let exit: { code: number | null; signal: NodeJS.Signals | null } = { code: null, signal: null };
    let broken: { reason: unknown } | undefined;

    const abort = () => {
      const patienceMs = options.patienceMs ?? 2000;
      killGroup(pid, 'SIGINT');
      timers.push(
        setTimeout(() => killGroup(pid, 'SIGTERM'), patienceMs),
        setTimeout(() => killGroup(pid, 'SIGKILL'), 2 * patienceMs),
      );
    };
    signal.addEventListener('abort', abort, { once: true });

    /** What cannot be read, or not be taken by the sink, ends the load: going on would measure nothing. */
    const read = (feed: () => void) => {
      if (signal.aborted || broken !== undefined) return;
      try {
        feed();
      } catch (reason) {
        broken = { reason };
        killGroup(pid, 'SIGKILL');
      }
    };
    child.stdout.on('data', (chunk: Buffer) => read(() => samples.feed(chunk)));
    child.stdout.on('end', () => read(() => samples.end()));
    child.stderr.on('data', (chunk: Buffer) => read(() => log.feed(chunk)));
    child.on('error', (reason) => {
      broken ??= { reason };
    });
    child.on('exit', (code, exitSignal) => {
      exit = { code, signal: exitSignal };
      // What a script has started, such as a browser, would keep the pipes open.
      killGroup(pid, 'SIGKILL');
      if (signal.aborted) {
        child.stdout.destroy();
        child.stderr.destroy();
      }
    });
    child.on('close', () => {
      signal.removeEventListener('abort', abort);
      for (const timer of timers) clearTimeout(timer);
      if (signal.aborted) return reject(signal.reason);
      if (broken !== undefined) return reject(broken.reason);
      log.end();
      resolve({
        end: endOf(exit.code, exit.signal, log.endedByThreshold),
        exceptions: log.exceptions,
        errors: [...log.lines, ...samples.failures()],
      });
    });
  });
  // An abort may come before the caller waits for the end; that is no unhandled rejection.
  done.catch(() => {});
  return { pid, done };
}

/** taskset becomes the program that it starts, so its pid is k6's. */
function runOn(cpus: K6Options['cpus'], binary: string): [string, ...string[]] {
  return cpus === undefined ? [binary] : ['taskset', '-c', cpus.list, binary];
}

function endOf(exitCode: number | null, signal: string | null, endedByThreshold: boolean): LoadEnd {
  if (exitCode === 0) return { kind: 'finished' };
  if (exitCode === 99 && !endedByThreshold) return { kind: 'thresholds-missed' };
  const meaning =
    exitCode === 99
      ? "one of the script's thresholds with abortOnFail ended the run early"
      : exitCode === null
        ? `killed by ${signal ?? 'a signal'}${signal === 'SIGKILL' ? ', as the system does when memory runs out' : ''}`
        : (MEANINGS[exitCode] ?? `exit code ${exitCode}`);
  return { kind: 'failed', exitCode, signal, meaning };
}

/** Variables of the script, as options of `run` and `archive`. */
function variables(env: LoadSpec['env']): string[] {
  return Object.entries(env).map(([name, value]) => `--env=${name}=${value}`);
}

function environment({ path }: K6Options): NodeJS.ProcessEnv {
  return path === undefined ? ENVIRONMENT : { ...ENVIRONMENT, PATH: path };
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has ended by itself meanwhile; macOS says EPERM where Linux says ESRCH.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

async function version(options: K6Options): Promise<string> {
  const { code, stdout, stderr } = await ask(options, ['version']);
  const found = /\bv?(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1];
  if (code === 0 && found !== undefined) return found;
  throw new Fault({
    code: 'E_GENERATOR_VERSION',
    kind: 'usage',
    place: `${options.binary} version`,
    cause: 'This does not answer as k6 does.',
    nextStep: 'Point the gate at a k6 binary, 2.2.0 or later.',
    logTail: `${stdout}${stderr}`.split('\n').slice(-10),
  });
}

async function check(options: K6Options, script: string, env: LoadSpec['env']): Promise<void> {
  const file = await stat(script).catch(() => undefined);
  if (!file?.isFile()) {
    throw new Fault({
      code: 'E_SCENARIO_MISSING',
      kind: 'usage',
      place: script,
      cause: 'There is no such script.',
      nextStep: "Correct the scenario's `script` in the config; it is relative to the config file.",
    });
  }
  // `inspect` does not notice that there is no default function; `archive` does, once told what load to expect.
  const { code, stderr } = await ask(
    options,
    [
      'archive',
      '--quiet',
      '--no-color',
      '--log-format=json',
      // Init code may insist on an address; nothing is sent to it.
      '--include-system-env-vars=false',
      ...variables({ ...env, BASE_URL: 'http://127.0.0.1:9' }),
      '--vus=1',
      '--iterations=1',
      '--archive-out=/dev/null',
      '--',
      script,
    ],
    dirname(script),
  );
  if (code === 0) return;
  const said = stderr.split('\n').flatMap((line) => errorText(line) ?? []);
  throw compileFault(script, said.join(' ') || 'k6 could not load it and did not say why.');
}

function compileFault(script: string, said: string): Fault {
  if (/function 'default' not found|no exported functions/.test(said)) {
    return new Fault({
      code: 'E_SCENARIO_COMPILE',
      kind: 'usage',
      place: script,
      cause: 'The script exports no default function, so there is nothing that a virtual user could do.',
      nextStep: 'Export the journey of one user as `export default function () { ... }`.',
    });
  }
  return new Fault({
    code: 'E_SCENARIO_COMPILE',
    kind: 'usage',
    place: placeIn(said) ?? script,
    cause: said
      .replace(/^could not initialize '[^']*': (?:could not load JS test '[^']*': )?/, '')
      .replace(/^file:\/\/\S+: Line \d+:\d+ /, '')
      // What to do in a container of k6's maker.
      .replace(/ Make sure that you've specified the right path.*$/s, ''),
    nextStep: `Mend the script; \`k6 inspect ${script}\` shows the same.`,
  });
}

/** The first file:line:column that k6 names. */
function placeIn(said: string): string | undefined {
  const found = /file:\/\/([^'"\s]+?):( Line )?(\d+):(\d+)/.exec(said);
  if (found === null) return undefined;
  const [, path = '', ofParser, line, column] = found;
  // The parser counts columns from 0, stack traces count them from 1, as editors do.
  return `${decodeURIComponent(path)}:${line}:${Number(column) + (ofParser === undefined ? 0 : 1)}`;
}

/** Runs k6 for an answer. */
function ask(
  options: K6Options,
  args: readonly string[],
  cwd?: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile(
      options.binary,
      args,
      {
        cwd,
        env: environment(options),
        timeout: CHECK_TIMEOUT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_ANSWER_BYTES,
      },
      (error, stdout, stderr) => {
        if (error === null) resolve({ code: 0, stdout, stderr });
        else if (error.syscall?.startsWith('spawn')) reject(notStarted(options.binary, error));
        else resolve({ code: typeof error.code === 'number' ? error.code : null, stdout, stderr });
      },
    );
  });
}

function notStarted(binary: string, cause?: Error): Fault {
  return new Fault(
    {
      code: 'E_GENERATOR_MISSING',
      kind: 'usage',
      place: binary,
      cause: 'k6 could not be started.',
      nextStep: 'Install k6 2.2.0 or later and put it on the PATH, or name its binary in GATE_K6.',
    },
    { cause },
  );
}
