import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type {
  LoadEnd,
  LoadGenerator,
  LoadResult,
  LoadSink,
  LoadSpec,
  RunningLoad,
} from '../../measure/index.ts';
import { signalGroup } from '../process/index.ts';

import {
  type K6Binary,
  k6Environment,
  k6NotStarted,
  quietRunOptions,
  readVersion,
  stageOptions,
  systemTags,
  variableOptions,
} from './command.ts';
import { endMeaning } from './end-meaning.ts';
import { K6Log } from './log.ts';
import { K6Samples } from './samples.ts';
import { checkScript } from './script-check.ts';
import { inSegments, type SegmentOfLoad } from './segments.ts';
import { arrivalScript, execScript } from './wrapper-script.ts';

interface K6Options extends K6Binary {
  /**
   * Milliseconds that each of SIGINT and SIGTERM gets before the next stronger signal. After SIGINT k6 runs the
   * script's teardown().
   */
  readonly patienceMs?: number;
  /** CPUs that the load keeps to, as `taskset` lists them (`3`, `6-7`), and how many those are. */
  readonly cpus?: { readonly list: string; readonly count: number };
  /** Processes that share each load; 1 by default. */
  readonly generators?: number | undefined;
}

const defaultPatienceMs = 2000;

/** Generates load with one or more k6 processes and reads the samples from their CSV output as they come. */
export function createK6(options: K6Options): LoadGenerator {
  return {
    ...(options.cpus === undefined ? {} : { ownCpus: options.cpus.count }),
    version: () => readVersion(options),
    check: (script, env, exec) => checkScript(options, script, env, exec),
    start: (spec, sink, signal) =>
      inSegments(options.generators ?? 1, spec, sink, signal, (...one) => start(options, ...one)),
  };
}

function start(
  options: K6Options,
  { spec, segment }: SegmentOfLoad,
  sink: LoadSink,
  signal: AbortSignal,
): RunningLoad {
  signal.throwIfAborted();
  // taskset becomes the program that it starts, so its pid is k6's.
  const pinned = options.cpus === undefined ? [] : ['taskset', '-c', options.cpus.list];
  const [program = '', ...args] = [...pinned, options.binary, ...runArguments(spec, segment)];
  const child = spawn(program, args, {
    cwd: dirname(spec.script),
    env: k6Environment(options),
    stdio: ['pipe', 'pipe', 'pipe'],
    // In its own process group k6 does not see Ctrl-C. The gate sees it and then ends k6 in order.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) {
    // The error event comes after this call has thrown.
    child.on('error', () => {});
    throw k6NotStarted(program);
  }
  // k6 may have ended before it reads this; its exit code says so.
  child.stdin.on('error', () => {});
  child.stdin.end(wrapperOf(spec));
  const stopEnding = endOnAbort(pid, options.patienceMs ?? defaultPatienceMs, signal);
  const output = {
    samples: new K6Samples(sink, spec.env.BASE_URL, spec.metrics),
    log: new K6Log((fromMs) => sink.exception(fromMs)),
  };
  const done = collect(child, pid, output, signal).finally(stopEnding);
  // An abort before the caller awaits the result is no unhandled rejection.
  done.catch(() => {});
  return { pids: [pid], done };
}

/** The script on k6's standard input; empty if k6 reads the user's own file. */
function wrapperOf({ script, exec, arrival }: LoadSpec): string {
  if (arrival !== undefined) return arrivalScript(script, exec ?? 'default', arrival);
  return exec === undefined ? '' : execScript(script, exec);
}

function runArguments(spec: LoadSpec, segment: readonly string[]): string[] {
  return [
    'run',
    '--quiet',
    ...quietRunOptions,
    systemTags,
    // On stdout, because k6 then dies of SIGPIPE when the gate is gone instead of loading on.
    // Small and frequent writes, because formatting a whole second of samples at once takes CPU from the service.
    '--out=csv=fileName=-,timeFormat=unix_micro,saveInterval=200ms',
    ...(spec.thresholds ? [] : ['--no-thresholds']),
    ...segment,
    ...variableOptions(spec.env),
    ...(spec.arrival === undefined ? closedLoop(spec) : ['-']),
  ];
}

function closedLoop({ script, stages, exec }: LoadSpec): string[] {
  return [...stageOptions(stages), ...(exec === undefined ? ['--', script] : ['-'])];
}

/** Ends k6 with ever stronger signals once the signal aborts. Call the returned function when k6 has ended. */
function endOnAbort(pid: number, patienceMs: number, signal: AbortSignal): () => void {
  const timers: NodeJS.Timeout[] = [];
  const abort = () => {
    signalGroup(pid, 'SIGINT');
    timers.push(
      setTimeout(() => signalGroup(pid, 'SIGTERM'), patienceMs),
      setTimeout(() => signalGroup(pid, 'SIGKILL'), 2 * patienceMs),
    );
  };
  signal.addEventListener('abort', abort, { once: true });
  return () => {
    signal.removeEventListener('abort', abort);
    for (const timer of timers) clearTimeout(timer);
  };
}

function collect(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  pid: number,
  { samples, log }: { readonly samples: K6Samples; readonly log: K6Log },
  signal: AbortSignal,
): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    let failure: { readonly reason: unknown } | undefined;
    /** Output that cannot be read, or that the sink refuses, ends the load: more of it would measure nothing. */
    const read = (feed: () => void) => {
      if (signal.aborted || failure !== undefined) return;
      try {
        feed();
      } catch (reason) {
        failure = { reason };
        signalGroup(pid, 'SIGKILL');
      }
    };
    child.stdout.on('data', (chunk: Buffer) => read(() => samples.feed(chunk)));
    child.stdout.on('end', () => read(() => samples.end()));
    child.stderr.on('data', (chunk: Buffer) => read(() => log.feed(chunk)));
    child.on('error', (reason) => {
      failure ??= { reason };
    });
    child.on('exit', () => {
      // A process that the script started, such as a browser, would keep the pipes open.
      signalGroup(pid, 'SIGKILL');
      if (!signal.aborted) return;
      child.stdout.destroy();
      child.stderr.destroy();
    });
    child.on('close', (code, exitSignal) => {
      if (signal.aborted) return reject(signal.reason);
      if (failure !== undefined) return reject(failure.reason);
      log.end();
      resolve({
        end: endOf(code, exitSignal, log),
        exceptions: log.exceptions,
        errors: [...log.lines, ...samples.failures()],
      });
    });
  });
}

function endOf(
  exitCode: number | null,
  signal: string | null,
  { endedByThreshold, missedThresholds }: K6Log,
): LoadEnd {
  if (exitCode === 0) return { kind: 'finished' };
  if (exitCode === 99 && !endedByThreshold) return { kind: 'thresholds-missed', metrics: missedThresholds };
  const meaning =
    exitCode === 99 ? 'a threshold with abortOnFail ended the run early' : endMeaning(exitCode, signal);
  return { kind: 'failed', exitCode, signal, meaning };
}
