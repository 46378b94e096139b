import { styleText } from 'node:util';
import type { CellFigures, Clock, Progress } from '../../measure/index.ts';

type Live = Extract<Progress, { kind: 'live' }>;

/** The part of a stream that a terminal needs. */
interface TerminalStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
  on?(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** Words for progress, as pure functions. This file only decides when and where to write them. */
export interface ProgressText {
  runningPhaseLine(phase: string, detail: string, seconds: number, width: number): string;
  donePhaseLine(phase: string, detail: string, seconds: number, paint: TerminalPaint): string;
  noteLine(text: string, paint: TerminalPaint): string;
  liveBarLine(live: Live, recent: readonly CellFigures[], width: number): string;
  liveLogLine(live: Live): string;
}

type TerminalPaint = (style: Parameters<typeof styleText>[0], text: string) => string;

export interface TerminalOptions {
  /** Receives the verdict. */
  readonly stdout: TerminalStream;
  /** Receives progress and faults. */
  readonly stderr: TerminalStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** CI treats even a terminal as a log, where redrawn lines would pile up. */
  readonly ci: boolean;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly text: ProgressText;
}

const widthWithoutTerminal = 100;

/** Some pseudo-terminals report zero columns. */
function columnsOf({ columns = 0 }: TerminalStream): number {
  return columns > 0 ? columns : widthWithoutTerminal;
}

/** People can read at most five frames per second. */
const frameMs = 200;
/** How often the time of a silent phase is updated. */
const heartbeatMs = 1000;
/** Seconds that a chart of the line shows. */
const mostRecent = 20;
/** Time between two lines of a phase in a log. */
const logIntervalMs = 10_000;
/** The same under load, where each block ends with a line: only longer loads than most blocks get more. */
const liveLogIntervalMs = 30_000;

/** FORCE_COLOR wins over NO_COLOR, as in Node. Without either, every terminal except a dumb one gets colour. */
export function wantsColour(stream: TerminalStream, env: TerminalOptions['env']): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: term } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (none !== undefined && none !== '') return false;
  return stream.isTTY === true && term !== 'dumb';
}

function painter(colour: boolean): TerminalPaint {
  return colour ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
}

/** Shows progress during a check: a terminal redraws one line, a log gets few lines. The cursor stays visible. */
export class Terminal {
  /** Columns of standard output, or a width that suits a file. */
  readonly width: number;
  readonly paintOut: TerminalPaint;
  readonly paintError: TerminalPaint;
  readonly #options: TerminalOptions;
  readonly #redraws: boolean;
  #phase: { readonly name: string; readonly detail: string; readonly sinceMs: number } | undefined;
  #live: Live | undefined;
  /** Of the block under load, one per second. */
  #recent: readonly CellFigures[] = [];
  #drawnMs = Number.NEGATIVE_INFINITY;
  #loggedMs: number;
  #lineDrawn = false;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(options: TerminalOptions) {
    const { stdout, stderr, env, ci, clock } = options;
    this.#options = options;
    this.width = columnsOf(stdout);
    this.paintOut = painter(wantsColour(stdout, env));
    this.paintError = painter(wantsColour(stderr, env));
    this.#redraws = stderr.isTTY === true && env.TERM !== 'dumb' && !ci;
    this.#loggedMs = clock.monotonicMs();
    for (const stream of [stdout, stderr]) {
      // A reader may leave early (`| head`). The check continues, because its exit code still counts.
      stream.on?.('error', (error) => {
        if (error.code !== 'EPIPE') throw error;
      });
    }
  }

  /** Writes to standard output, below any progress. */
  readonly print = (text: string): void => {
    this.#clearLine();
    this.#options.stdout.write(text);
  };

  /** Writes to standard error, below any progress. */
  readonly printError = (text: string): void => {
    this.#clearLine();
    this.#options.stderr.write(text);
  };

  /** Clears the progress line. May be called at any time, more than once. */
  close(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    this.#clearLine();
  }

  readonly onProgress = (event: Progress): void => {
    const { text, clock } = this.#options;
    switch (event.kind) {
      case 'phase':
        this.#phase = { name: event.phase, detail: event.detail, sinceMs: clock.monotonicMs() };
        this.#live = undefined;
        // Unreferenced, so that the display does not keep the process alive.
        this.#heartbeat ??= setInterval(() => this.#refresh(), heartbeatMs).unref();
        if (this.#redraws) this.#draw();
        // A log names each phase when it starts, also for readers of a log that ends with a kill.
        else this.#log();
        return;
      case 'phase-done': {
        this.#logEndOfBlock(undefined);
        const detail = this.#phase?.name === event.phase ? this.#phase.detail : '';
        this.#writeLine(text.donePhaseLine(event.phase, detail, event.seconds, this.paintError));
        this.#phase = undefined;
        this.#live = undefined;
        return;
      }
      case 'note':
        this.#logEndOfBlock(undefined);
        this.#writeLine(text.noteLine(event.text, this.paintError));
        if (this.#redraws) this.#draw();
        return;
      case 'live':
        this.#logEndOfBlock(event);
        this.#remember(event);
        this.#live = event;
        this.#refresh();
    }
  };

  #remember({ cell, figures }: Live): void {
    if (figures === undefined || cell !== this.#live?.cell) this.#recent = [];
    if (figures !== undefined && figures !== this.#recent.at(-1)) {
      this.#recent = [...this.#recent, figures].slice(-mostRecent);
    }
  }

  #clearLine(): void {
    if (this.#lineDrawn) this.#options.stderr.write('\r\u001b[2K');
    this.#lineDrawn = false;
  }

  #phaseLine(width: number): string | undefined {
    if (this.#phase === undefined) return undefined;
    const { name, detail, sinceMs } = this.#phase;
    const { text, clock } = this.#options;
    return text.runningPhaseLine(name, detail, (clock.monotonicMs() - sinceMs) / 1000, width);
  }

  #draw(): void {
    const { stderr, text, clock } = this.#options;
    // A line that fills the last column wraps and cannot be cleared.
    const width = columnsOf(stderr) - 1;
    const line =
      this.#live === undefined ? this.#phaseLine(width) : text.liveBarLine(this.#live, this.#recent, width);
    if (line === undefined) return;
    stderr.write(`\r\u001b[2K${line}`);
    this.#lineDrawn = true;
    this.#drawnMs = clock.monotonicMs();
  }

  #log(): void {
    const { text } = this.#options;
    const line =
      this.#live === undefined ? this.#phaseLine(widthWithoutTerminal) : text.liveLogLine(this.#live);
    if (line !== undefined) this.#writeLine(line);
  }

  /** Writes the last figures of a block to a log, when the next block or something else follows. */
  #logEndOfBlock(next: Live | undefined): void {
    if (this.#redraws || this.#live?.figures === undefined) return;
    if (next?.figures !== undefined && next.cell === this.#live.cell) return;
    this.#log();
    this.#live = undefined;
  }

  /** Shows the current state if enough time has passed since the last update. */
  #refresh(): void {
    const now = this.#options.clock.monotonicMs();
    const interval = this.#live === undefined ? logIntervalMs : liveLogIntervalMs;
    if (!this.#redraws && now - this.#loggedMs >= interval) this.#log();
    if (this.#redraws && now - this.#drawnMs >= frameMs) this.#draw();
  }

  #writeLine(line: string): void {
    this.#clearLine();
    this.#options.stderr.write(`${line}\n`);
    this.#loggedMs = this.#options.clock.monotonicMs();
  }
}
