import { styleText } from 'node:util';
import type { Clock, Progress, ProgressListener } from '../../measure/index.ts';

type Live = Extract<Progress, { kind: 'live' }>;
type TextStyle = Parameters<typeof styleText>[0];

/** The part of a stream that a terminal needs. */
export interface TerminalStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
  on?(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** How progress reads; pure, so that this file only decides when and where it is written. */
export interface ProgressText {
  runningPhaseLine(phase: string, detail: string, seconds: number, width: number): string;
  donePhaseLine(phase: string, detail: string, seconds: number, paint: TerminalPaint): string;
  noteLine(text: string, paint: TerminalPaint): string;
  liveBarLine(live: Live, width: number): string;
  liveLogLine(live: Live): string;
}

export type TerminalPaint = (style: TextStyle, text: string) => string;

export interface TerminalOptions {
  /** The verdict goes here. */
  readonly stdout: TerminalStream;
  /** Progress and faults go here. */
  readonly stderr: TerminalStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** On CI even a terminal is a log: redrawn lines pile up there. */
  readonly ci: boolean;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly text: ProgressText;
}

export interface Terminal {
  /** Columns of standard output, or what suits a file if it is none. */
  readonly width: number;
  readonly paintOut: TerminalPaint;
  readonly paintError: TerminalPaint;
  readonly onProgress: ProgressListener;
  /** To standard output, below whatever progress stands there. */
  print(text: string): void;
  /** To standard error, below whatever progress stands there. */
  printError(text: string): void;
  /** Clears the line in progress. May be called at any time, more than once. */
  close(): void;
}

const widthWithoutTerminal = 100;

/** Some pseudo-terminals say that they have no columns at all. */
function columnsOf({ columns = 0 }: TerminalStream): number {
  return columns > 0 ? columns : widthWithoutTerminal;
}

/** Five frames a second are as many as can be read. */
const frameMs = 200;
/** A phase says how long it has taken even when nothing else is heard of it. */
const heartbeatMs = 1000;
/** Between two lines of a log that say how the load does, or that a phase still runs. */
const logIntervalMs = 10_000;

/** FORCE_COLOR wins over NO_COLOR, as in Node itself; without either, a terminal that is not dumb gets colour. */
export function wantsColour(stream: TerminalStream, env: TerminalOptions['env']): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: term } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (none !== undefined && none !== '') return false;
  return stream.isTTY === true && term !== 'dumb';
}

function redraws({ stderr, env, ci }: TerminalOptions): boolean {
  return stderr.isTTY === true && env.TERM !== 'dumb' && !ci;
}

function painter(colour: boolean): TerminalPaint {
  return colour ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
}

/** Whoever read the stream may leave early (`| head`): the check goes on, and its exit code still tells. */
function tolerateBrokenPipe(stream: TerminalStream): void {
  stream.on?.('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Shows progress while a check runs: one line redrawn in place on a terminal, few lines in a log. The cursor is never hidden. */
export function openTerminal(options: TerminalOptions): Terminal {
  const { stdout, stderr, env, clock, text } = options;
  const paintOut = painter(wantsColour(stdout, env));
  const paintError = painter(wantsColour(stderr, env));
  const inPlace = redraws(options);
  tolerateBrokenPipe(stdout);
  tolerateBrokenPipe(stderr);

  let phase: { readonly name: string; readonly detail: string; readonly sinceMs: number } | undefined;
  let live: Live | undefined;
  let lastDrawnMs = Number.NEGATIVE_INFINITY;
  let lastLoggedMs = clock.monotonicMs();
  let lineStands = false;
  let heartbeat: NodeJS.Timeout | undefined;

  function clearLine(): void {
    if (!lineStands) return;
    stderr.write('\r\u001b[2K');
    lineStands = false;
  }

  function currentLine(width: number): string | undefined {
    if (live !== undefined) return text.liveBarLine(live, width);
    if (phase === undefined) return undefined;
    const seconds = (clock.monotonicMs() - phase.sinceMs) / 1000;
    return text.runningPhaseLine(phase.name, phase.detail, seconds, width);
  }

  function draw(): void {
    // The last column stays free: a line that fills it wraps, and then cannot be cleared.
    const line = currentLine(columnsOf(stderr) - 1);
    if (line === undefined) return;
    stderr.write(`\r\u001b[2K${line}`);
    lineStands = true;
    lastDrawnMs = clock.monotonicMs();
  }

  function logCurrent(): void {
    const line = live === undefined ? currentLine(widthWithoutTerminal) : text.liveLogLine(live);
    if (line === undefined) return;
    stderr.write(`${line}\n`);
    lastLoggedMs = clock.monotonicMs();
  }

  /** Shows what is current, if the last time is long enough ago. */
  function refresh(): void {
    const now = clock.monotonicMs();
    if (inPlace) {
      if (now - lastDrawnMs >= frameMs) draw();
    } else if (now - lastLoggedMs >= logIntervalMs) {
      logCurrent();
    }
  }

  function stay(line: string): void {
    clearLine();
    stderr.write(`${line}\n`);
    lastLoggedMs = clock.monotonicMs();
  }

  function stopHeartbeat(): void {
    clearInterval(heartbeat);
    heartbeat = undefined;
  }

  function onProgress(event: Progress): void {
    switch (event.kind) {
      case 'phase':
        phase = { name: event.phase, detail: event.detail, sinceMs: clock.monotonicMs() };
        live = undefined;
        // Unreferenced: a display must not keep the process alive.
        heartbeat ??= setInterval(refresh, heartbeatMs).unref();
        if (inPlace) draw();
        // Whoever reads a log while it grows, or after a kill, sees which phase it was.
        else logCurrent();
        return;
      case 'phase-done':
        stay(
          text.donePhaseLine(
            event.phase,
            phase?.name === event.phase ? phase.detail : '',
            event.seconds,
            paintError,
          ),
        );
        phase = undefined;
        live = undefined;
        return;
      case 'note':
        stay(text.noteLine(event.text, paintError));
        if (inPlace) draw();
        return;
      case 'live':
        live = event;
        refresh();
    }
  }

  return {
    width: columnsOf(stdout),
    paintOut,
    paintError,
    onProgress,
    print(output) {
      clearLine();
      stdout.write(output);
    },
    printError(output) {
      clearLine();
      stderr.write(output);
    },
    close() {
      stopHeartbeat();
      clearLine();
    },
  };
}
