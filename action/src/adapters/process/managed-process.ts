import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Fault } from '../../model/fault.ts';
import { LineReader } from '../host/index.ts';
import { ProcessLog } from './process-log.ts';

/** Lines that an error shows: the cause of a failed Spring boot is about 20 lines from the end. */
export const shownLines = 30;
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
  /** Masks secrets in everything that is kept of the output; gets many lines at once. */
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
  readonly #log: ProcessLog;
  #exit: Exit | undefined;

  private constructor(child: ChildProcess, pid: number, log: ProcessLog, onLine: ProcessSpec['onLine']) {
    this.#child = child;
    this.pid = pid;
    this.#log = log;
    eachLine(child.stdout, (line) => onLine?.(line));
    // Ending the input of a process that has just ended breaks the pipe; its exit is what counts.
    child.stdin?.on('error', () => undefined);
    // A signal that may not be sent to a program of another user comes as an error; the exit is what counts.
    child.on('error', () => undefined);
    this.exit = new Promise((resolve) => {
      const settle = (code: number | null, signal: string | null) => {
        this.#exit ??= { code, signal };
        this.#log.close();
        resolve(this.#exit);
      };
      // What the process has left running may still print why it failed. It may also run for ever, so that wait is limited.
      child.once('close', (code, signal) => isRunning(pid) || settle(code, signal));
      child.once('exit', (code, signal) => setTimeout(settle, outputGraceMs, code, signal).unref());
    });
  }

  static async start(spec: ProcessSpec): Promise<ManagedProcess> {
    const { command, cwd, env, logFile, masked, onLine, onStart } = spec;
    const [program = '', ...args] = command;
    const log = new ProcessLog(logFile, masked);
    const stdout = onLine === undefined ? log.output : 'pipe';
    try {
      const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', stdout, log.output] });
      if (child.pid !== undefined) onStart(child.pid);
      await once(child, 'spawn');
      if (child.pid === undefined) throw new Error('a spawned process has a pid');
      return new ManagedProcess(child, child.pid, log, onLine);
    } catch (error) {
      log.close();
      if (error instanceof Fault) throw error;
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
  }

  get ended(): Exit | undefined {
    return this.#exit;
  }

  logTail(lines = shownLines): readonly string[] {
    return this.#log.tail(lines);
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

/** True if a process of the group that `pid` led still runs. */
function isRunning(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return process.platform !== 'darwin' && (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function exitText({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

function eachLine(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  if (stream === null) return;
  const reader = new LineReader((line) => take(line.replace(/\r$/, '')));
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => reader.feed(chunk));
  stream.on('end', () => reader.end());
}
