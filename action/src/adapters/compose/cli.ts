import { spawn, spawnSync } from 'node:child_process';
import { type Leftovers, LineReader } from '../host/index.ts';

/** Bytes kept of an answer, its last ones: more than this only a log is long, and what went wrong stands at its end. */
const longestAnswer = 8 * 1024 * 1024;
/** Between asking a command to stop and killing it with everything it started. */
const stopWithinMs = 3_000;
/** What only asks is answered within milliseconds; an engine that takes longer than this hangs. */
export const askWithin = 20;

export interface DockerAnswer {
  /** Null if it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export interface DockerCallOptions {
  /** Killed after this many seconds. */
  readonly within?: number;
  /** Ends the command; the call then rejects with the signal's reason once the command has ended. */
  readonly signal?: AbortSignal;
  /** Name of a command that changes something: it is ended by the next check if this one is killed. */
  readonly role?: string;
}

/** A command that goes on until it is stopped. */
export interface FollowedDocker {
  stop(): void;
  /** Resolves with what it printed to standard error last. */
  readonly ended: Promise<string>;
}

/** There is no program `docker`. */
export class DockerMissing extends Error {
  constructor(options: ErrorOptions) {
    super('docker is not installed', options);
    this.name = 'DockerMissing';
  }
}

/**
 * Runs Docker's command line, each command bounded in time and in a process group of its own: Ctrl-C in the terminal
 * reaches the gate alone, which still needs its commands to clean up.
 */
export class DockerCli {
  readonly #env: NodeJS.ProcessEnv;
  readonly #leftovers: Leftovers;

  constructor(env: Readonly<Record<string, string | undefined>>, leftovers: Leftovers) {
    // What a user has exported for Compose (other files, profiles, a project name) would start another stack.
    const own = Object.entries(env).filter(([name]) => !name.startsWith('COMPOSE_'));
    this.#env = { ...Object.fromEntries(own), DOCKER_CLI_HINTS: 'false' };
    this.#leftovers = leftovers;
  }

  /** Variables for every command from now on; Compose fills them into its file. */
  addEnv(env: Readonly<Record<string, string>>): void {
    Object.assign(this.#env, env);
  }

  get env(): Readonly<Record<string, string | undefined>> {
    return this.#env;
  }

  run(args: readonly string[], options: DockerCallOptions = {}): Promise<DockerAnswer> {
    return this.runProgram('docker', args, options);
  }

  /** As `run`, with a program beside Docker's own. */
  runProgram(
    program: string,
    args: readonly string[],
    options: DockerCallOptions = {},
  ): Promise<DockerAnswer> {
    const { within = askWithin, signal, role } = options;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const child = this.#spawn(program, args);
      const { pid } = child;
      if (role !== undefined && pid !== undefined) this.#leftovers.add(role, pid);
      const stdout = new LastText();
      const stderr = new LastText();
      child.stdout.on('data', (chunk: Buffer) => stdout.add(chunk));
      child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
      let killer: NodeJS.Timeout | undefined;
      let timedOut = false;
      const stop = () => {
        if (pid === undefined || killer !== undefined) return;
        killGroup(pid, 'SIGINT');
        killer = setTimeout(() => killGroup(pid, 'SIGKILL'), stopWithinMs);
      };
      const timer = setTimeout(() => {
        timedOut = true;
        stop();
      }, within * 1000);
      signal?.addEventListener('abort', stop, { once: true });
      const settle = () => {
        clearTimeout(timer);
        clearTimeout(killer);
        signal?.removeEventListener('abort', stop);
        if (role !== undefined && pid !== undefined) this.#leftovers.remove(pid);
      };
      child.once('error', (error) => {
        settle();
        reject(spawnError(error));
      });
      child.once('close', (code) => {
        settle();
        if (signal?.aborted) reject(signal.reason);
        else resolve({ code, stdout: stdout.text(), stderr: stderr.text(), timedOut });
      });
    });
  }

  /** Blocks until the command has ended: for the little that is read once something has failed. */
  runNow(args: readonly string[]): DockerAnswer {
    const { status, stdout, stderr, error } = spawnSync('docker', args, {
      cwd: '/',
      env: this.#env,
      timeout: 5_000,
      killSignal: 'SIGKILL',
      maxBuffer: longestAnswer,
      encoding: 'utf8',
    });
    return { code: status, stdout: stdout ?? '', stderr: stderr ?? '', timedOut: error !== undefined };
  }

  /** Calls `onLine` for each line that the command prints until it is stopped. */
  follow(args: readonly string[], role: string, onLine: (line: string) => void): FollowedDocker {
    const child = this.#spawn('docker', args);
    const { pid } = child;
    if (pid !== undefined) this.#leftovers.add(role, pid);
    const reader = new LineReader(onLine);
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => reader.feed(chunk));
    const stderr = new LastText();
    child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
    const ended = new Promise<string>((resolve) => {
      const settle = () => {
        if (pid !== undefined) this.#leftovers.remove(pid);
        resolve(stderr.text());
      };
      child.once('error', settle);
      child.once('close', settle);
    });
    return {
      stop: () => {
        if (pid !== undefined) killGroup(pid, 'SIGKILL');
      },
      ended,
    };
  }

  #spawn(program: string, args: readonly string[]) {
    // From the root folder, because Compose looks for its files in the working folder and all above it.
    return spawn(program, args, {
      cwd: '/',
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}

/** The last lines of a text that comes in pieces. */
class LastText {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #cut = false;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length > longestAnswer) {
      this.#length -= this.#chunks.shift()?.length ?? 0;
      this.#cut = true;
    }
  }

  text(): string {
    const text = Buffer.concat(this.#chunks).toString('utf8');
    // The line that it was cut in has lost its beginning.
    return this.#cut ? text.slice(text.indexOf('\n') + 1) : text;
  }
}

function spawnError(error: Error): Error {
  return 'code' in error && error.code === 'ENOENT' ? new DockerMissing({ cause: error }) : error;
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
