import { spawn, spawnSync } from 'node:child_process';
import type { Readable } from 'node:stream';
import { Fault } from '../../model/fault.ts';
import { type Leftovers, LineReader } from '../host/index.ts';
import { signalGroup } from '../process/index.ts';

/** Bytes kept of an output, the last ones: only logs are longer, and their end shows what went wrong. */
const maxOutputBytes = 8 * 1024 * 1024;
/** Milliseconds between SIGINT and SIGKILL for a command and everything it started. */
const stopWithinMs = 3_000;
/** Seconds for commands that only read: they take milliseconds unless the engine hangs. */
const readWithin = 20;

export interface DockerResult {
  /** Null if the command was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export interface DockerOptions {
  /** Seconds until the command is ended. */
  readonly within?: number;
  /** Ends the command; the call then rejects with the signal's reason once the command has ended. */
  readonly signal?: AbortSignal;
  /** Name of a command that changes something: the next check ends it if this one is killed. */
  readonly role?: string;
  /** Another program than `docker`. */
  readonly program?: string;
}

/** A command that runs until it is stopped. */
export interface FollowedCommand {
  stop(): void;
  /** Resolves with the last of its standard error. */
  readonly ended: Promise<string>;
}

/**
 * Runs Docker's command line. Each command is limited in time and has a process group of its own: Ctrl-C in the terminal
 * reaches only the gate, which still needs its commands to clean up.
 */
export class DockerCli {
  readonly #env: NodeJS.ProcessEnv;
  readonly #leftovers: Leftovers;

  constructor(env: Readonly<Record<string, string | undefined>>, leftovers: Leftovers) {
    // Variables that the user exported for Compose (other files, profiles, a project name) would start another stack.
    const own = Object.entries(env).filter(([name]) => !name.startsWith('COMPOSE_'));
    this.#env = { ...Object.fromEntries(own), DOCKER_CLI_HINTS: 'false' };
    this.#leftovers = leftovers;
  }

  /** Sets variables for every later command; Compose fills them into its file. */
  addEnv(env: Readonly<Record<string, string>>): void {
    Object.assign(this.#env, env);
  }

  async run(args: readonly string[], options: DockerOptions = {}): Promise<DockerResult> {
    const { within = readWithin, signal, role, program = 'docker' } = options;
    signal?.throwIfAborted();
    const { pid, stdout, stderr, exit } = this.#spawn(program, args, role);
    const output = new LastText(stdout);
    let killer: NodeJS.Timeout | undefined;
    let timedOut = false;
    const stop = () => {
      if (pid === undefined || killer !== undefined) return;
      signalGroup(pid, 'SIGINT');
      killer = setTimeout(() => signalGroup(pid, 'SIGKILL'), stopWithinMs);
    };
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, within * 1000);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const code = await exit;
      signal?.throwIfAborted();
      return { code, stdout: output.text(), stderr: stderr.text(), timedOut };
    } finally {
      clearTimeout(timer);
      clearTimeout(killer);
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Blocks until the command has ended: for the few lines that are read after a failure. */
  runNow(args: readonly string[]): DockerResult {
    const { status, stdout, stderr, error } = spawnSync('docker', args, {
      cwd: '/',
      env: this.#env,
      timeout: 5_000,
      killSignal: 'SIGKILL',
      maxBuffer: maxOutputBytes,
      encoding: 'utf8',
    });
    return { code: status, stdout: stdout ?? '', stderr: stderr ?? '', timedOut: error !== undefined };
  }

  /** Calls `onLine` for each line that the command prints until it is stopped. */
  follow(args: readonly string[], role: string, onLine: (line: string) => void): FollowedCommand {
    const { pid, stdout, stderr, exit } = this.#spawn('docker', args, role);
    const reader = new LineReader(onLine);
    stdout.setEncoding('utf8');
    stdout.on('data', (chunk: string) => reader.feed(chunk));
    const lastText = () => stderr.text();
    return {
      stop: () => {
        if (pid !== undefined) signalGroup(pid, 'SIGKILL');
      },
      ended: exit.then(lastText, lastText),
    };
  }

  #spawn(program: string, args: readonly string[], role: string | undefined) {
    // The root folder, because Compose searches the working folder and all above it for its files.
    const child = spawn(program, args, {
      cwd: '/',
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { pid, stdout } = child;
    if (role !== undefined && pid !== undefined) this.#leftovers.add(role, pid);
    const exit = new Promise<number | null>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ENOENT' ? dockerMissing(error) : error),
      );
      child.once('close', resolve);
    }).finally(() => {
      if (role !== undefined && pid !== undefined) this.#leftovers.remove(pid);
    });
    return { pid, stdout, stderr: new LastText(child.stderr), exit };
  }
}

function dockerMissing(cause: Error): Fault {
  return new Fault(
    {
      code: 'E_ENGINE_MISSING',
      kind: 'usage',
      place: 'docker',
      cause: 'Docker is not installed, or not on the PATH',
      nextStep: 'install Docker with Compose v2, or use `--stack process`',
    },
    { cause },
  );
}

/** The end of a stream, in whole lines. */
class LastText {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #cut = false;

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      while (this.#length > maxOutputBytes) {
        this.#length -= this.#chunks.shift()?.length ?? 0;
        this.#cut = true;
      }
    });
  }

  text(): string {
    const text = Buffer.concat(this.#chunks).toString('utf8');
    // The first line has lost its beginning.
    return this.#cut ? text.slice(text.indexOf('\n') + 1) : text;
  }
}
