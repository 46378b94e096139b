import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { Fault } from '../../model/fault.ts';
import { LineReader } from '../host/index.ts';

/** Enough to see a boot failure with its causes, few enough to keep for ever. */
const keptLines = 400;
/** A line longer than this is a dump, not a message. */
const keptLineLength = 2_000;

/** Time for the last output to arrive after the process has ended. */
const outputGraceMs = 500;

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ProcessSpec {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File that receives the lines that the process prints. */
  readonly logFile: string;
  /** Called as soon as there is a process: what is not known of by then outlives a gate that is killed. */
  readonly onStart: (pid: number) => void;
  /** Called for each line of standard output; with it, those lines are not logged. */
  readonly onLine?: (line: string) => void;
  /** Takes secrets out of what is kept of the output, in the file as in the tail. */
  readonly masked: (text: string) => string;
}

/**
 * A child in a process group of its own: Ctrl-C in the terminal reaches the gate alone, which then ends
 * its children in order, and a child's own children end with it.
 */
export class ManagedProcess {
  readonly pid: number;
  /** Resolves once the process has ended; never rejects. */
  readonly exit: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #tail: string[] = [];
  readonly #log: WriteStream;
  readonly #masked: ProcessSpec['masked'];
  #exit: Exit | undefined;

  private constructor(child: ChildProcess, pid: number, spec: ProcessSpec) {
    this.#child = child;
    this.pid = pid;
    this.#masked = spec.masked;
    this.#log = createWriteStream(spec.logFile, { flags: 'a' });
    // A log that cannot be written must not end the measurement; the tail in memory still explains failures.
    this.#log.on('error', () => undefined);
    eachLine(child.stdout, spec.onLine ?? ((line) => this.#keep(line)));
    eachLine(child.stderr, (line) => this.#keep(line));
    // A process that ends while it is written to breaks the pipe; its exit is what is reported.
    child.stdin?.on('error', () => undefined);
    this.exit = new Promise((resolve) => {
      const settle = (code: number | null, signal: string | null) => {
        this.#exit ??= { code, signal };
        this.#log.end();
        resolve(this.#exit);
      };
      child.once('close', settle);
      // `close` waits for the last output, which explains a failure; a grandchild that keeps the pipe open
      // must not make that a wait for ever.
      child.once('exit', (code, signal) => setTimeout(settle, outputGraceMs, code, signal).unref());
    });
  }

  static async start(spec: ProcessSpec): Promise<ManagedProcess> {
    const [program = '', ...args] = spec.command;
    const child = spawn(program, args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) spec.onStart(child.pid);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(
          new Fault(
            {
              code: 'E_COMMAND',
              kind: 'usage',
              place: program,
              cause: `the command could not be started in ${spec.cwd}: ${error.message}`,
              nextStep: 'correct the command in gate.yml, or install the program',
            },
            { cause: error },
          ),
        ),
      );
    });
    if (child.pid === undefined) throw new Error('a spawned process has a pid');
    return new ManagedProcess(child, child.pid, spec);
  }

  get ended(): Exit | undefined {
    return this.#exit;
  }

  logTail(lines: number): readonly string[] {
    // Again: what is secret may have become known after the line came.
    return this.#tail.slice(-lines).map((line) => this.#masked(line));
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Asks (SIGTERM, and the end of standard input), then kills the whole group once the time is over. */
  async stop(withinSeconds: number): Promise<void> {
    if (this.#exit === undefined) {
      this.#child.stdin?.end();
      this.#signal('SIGTERM');
      const timer = setTimeout(() => this.#signalGroup('SIGKILL'), withinSeconds * 1000);
      await this.exit;
      clearTimeout(timer);
    }
    // Whatever the process itself started and left behind.
    this.#signalGroup('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #signalGroup(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  #keep(text: string): void {
    const line = this.#masked(text);
    this.#log.write(`${line}\n`);
    this.#tail.push(line.slice(0, keptLineLength));
    if (this.#tail.length > keptLines) this.#tail.shift();
  }
}

function eachLine(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  if (stream === null) return;
  const reader = new LineReader((line) => take(line.replace(/\r$/, '')));
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => reader.feed(chunk));
  stream.on('end', () => reader.end());
}
