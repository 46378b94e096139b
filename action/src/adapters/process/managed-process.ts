import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { Fault } from '../../model/fault.ts';
import { LineReader, WholeLines } from '../host/index.ts';

/** Characters of output that stay in memory, from which the last lines are shown. */
const keptLength = 256 * 1024;
/** A longer line is a dump, not a message. */
const shownLineLength = 2_000;
/** Lines that an error shows: the cause of a failed Spring boot is about 20 lines from the end. */
export const shownLines = 30;
/**
 * Milliseconds from one reading of output to the next. The pipe holds 64 KiB, so this is enough for 12 MB of log a second.
 * A service writes each line by itself, and reading them one by one took a third of a core from what is measured.
 */
const readEveryMs = 5;
/** Milliseconds for the last output to arrive after the process has ended. */
const outputGraceMs = 500;

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ProcessSpec {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File that receives the lines that the process prints. */
  readonly logFile: string;
  /** Called as soon as the process exists, so that the next check finds it if this one is killed. */
  readonly onStart: (pid: number) => void;
  /** Receives each line of standard output, which is then not logged. */
  readonly onLine?: (line: string) => void;
  /** Masks secrets in everything that is kept of the output. It gets many lines at once. */
  readonly masked: (text: string) => string;
}

/**
 * A child in a process group of its own. Ctrl-C in the terminal then reaches only the gate, which ends its children in
 * order, and ending the group also ends what a child has started.
 */
export class ManagedProcess {
  readonly pid: number;
  /** Resolves once the process has ended; never rejects. */
  readonly exit: Promise<Exit>;
  readonly #child: ChildProcess;
  /** The newest output. */
  #tail = '';
  readonly #log: WriteStream;
  readonly #masked: ProcessSpec['masked'];
  #exit: Exit | undefined;

  private constructor(child: ChildProcess, pid: number, spec: ProcessSpec) {
    this.#child = child;
    this.pid = pid;
    this.#masked = spec.masked;
    this.#log = createWriteStream(spec.logFile, { flags: 'a' });
    // A log that cannot be written must not end the measurement: the tail in memory still explains failures.
    this.#log.on('error', () => undefined);
    const kept = () => new WholeLines((lines) => this.#keep(lines));
    const { onLine } = spec;
    readInto(
      child.stdout,
      onLine === undefined ? kept() : new LineReader((line) => onLine(line.replace(/\r$/, ''))),
    );
    readInto(child.stderr, kept());
    // Ending the input of a process that has just ended breaks the pipe; its exit is what counts.
    child.stdin?.on('error', () => undefined);
    // A signal that may not be sent to a program of another user comes as an error; the exit is what counts.
    child.on('error', () => undefined);
    this.exit = new Promise((resolve) => {
      const settle = (code: number | null, signal: string | null) => {
        this.#exit ??= { code, signal };
        this.#log.end();
        resolve(this.#exit);
      };
      // `close` waits for the last output, which explains a failure. A grandchild may keep the pipe open for ever,
      // so that wait is limited.
      child.once('close', settle);
      child.once('exit', (code, signal) => setTimeout(settle, outputGraceMs, code, signal).unref());
    });
  }

  static async start(spec: ProcessSpec): Promise<ManagedProcess> {
    const { command, cwd, env } = spec;
    const [program = '', ...args] = command;
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    if (child.pid !== undefined) spec.onStart(child.pid);
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw new Fault(
        {
          code: 'E_COMMAND',
          kind: 'usage',
          place: program,
          cause: `the command could not be started in ${cwd}: ${(error as Error).message}`,
          nextStep: 'correct the command in gate.yml, or install the program',
        },
        { cause: error },
      );
    }
    if (child.pid === undefined) throw new Error('a spawned process has a pid');
    return new ManagedProcess(child, child.pid, spec);
  }

  get ended(): Exit | undefined {
    return this.#exit;
  }

  logTail(lines = shownLines): readonly string[] {
    // Masked again, because a secret may become known after its line was kept.
    if (this.#tail === '') return [];
    return this.#masked(this.#tail)
      .replace(/\n$/, '')
      .split(/\r?\n/)
      .slice(-lines)
      .map((line) => line.slice(0, shownLineLength));
  }

  /** Closes standard input and sends SIGTERM, then kills the whole group once the time is over. */
  async stop(withinSeconds: number): Promise<void> {
    if (this.#exit === undefined) {
      this.#child.stdin?.end();
      this.#child.kill('SIGTERM');
      const timer = setTimeout(() => signalGroup(this.pid, 'SIGKILL'), withinSeconds * 1000);
      await this.exit;
      clearTimeout(timer);
    }
    // The process may have left children behind.
    signalGroup(this.pid, 'SIGKILL');
  }

  #keep(text: string): void {
    const lines = this.#masked(text);
    this.#log.write(lines);
    this.#tail = (this.#tail + lines).slice(-keptLength);
  }
}

/** Signals every process of the group that `pid` leads. Does nothing if none is left. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // If the group has ended, Linux answers ESRCH and macOS EPERM. On Linux, EPERM means that it still runs.
    const ended = process.platform === 'darwin' ? ['ESRCH', 'EPERM'] : ['ESRCH'];
    if (!ended.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

export function exitText({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

function readInto(
  stream: NodeJS.ReadableStream | null,
  reader: { feed(text: string): void; end(): void },
): void {
  if (stream === null) return;
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    reader.feed(chunk);
    stream.pause();
    setTimeout(() => stream.resume(), readEveryMs);
  });
  stream.on('end', () => reader.end());
}
