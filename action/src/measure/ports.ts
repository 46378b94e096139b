import type { Fingerprint } from '../model/run.ts';

/** Time, so that tests can do without it. */
export interface Clock {
  /** Wall time, for what people read. */
  now(): Date;
  /** Milliseconds that only grow, for what is measured. */
  monotonicMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Stands for the request that a virtual user still waited for when the generator cut its pass off. */
export const cutOffEndpoint = '(cut off)';

/** Receives what the generator reports while it runs. Called often: implementations do not allocate. */
export interface LoadSink {
  /** One that was never answered comes too, under the name `cutOffEndpoint` if nobody can tell what it asked for. */
  request(endpoint: string, endedAtMs: number, durationMs: number, failed: boolean): void;
  /** A check of a script that did not hold, after the request that it is about; `endpoint` is empty when it names none. */
  failedCheck(endpoint: string): void;
  iteration(endedAtMs: number): void;
}

/** Virtual users over time: each stage goes linearly from the former target to `vus` within `seconds`. */
export interface LoadStage {
  readonly seconds: number;
  readonly vus: number;
}

export interface LoadSpec {
  /** Absolute path of the script. */
  readonly script: string;
  readonly stages: readonly LoadStage[];
  /** Variables that the script reads through __ENV; BASE_URL among them. */
  readonly env: Readonly<Record<string, string>>;
}

export type LoadEnd =
  | { readonly kind: 'finished' }
  /** The script's own thresholds were missed (k6's exit 99): the samples are good. */
  | { readonly kind: 'thresholds-missed' }
  | {
      readonly kind: 'failed';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly meaning: string;
    };

export interface LoadResult {
  readonly end: LoadEnd;
  /** Iterations that ended in an exception that the script did not catch. */
  readonly exceptions: number;
  /** The first few distinct error lines of the generator. */
  readonly errors: readonly string[];
}

/** A load that is under way. */
export interface RunningLoad {
  /** Process to account CPU and memory of. */
  readonly pid: number;
  readonly done: Promise<LoadResult>;
}

export interface LoadGenerator {
  /** CPUs that it keeps to and has for itself; it shares all of the machine's if absent. */
  readonly ownCpus?: number;
  /** Such as `2.2.0`. */
  version(): Promise<string>;
  /** Throws a Fault if the script, given its variables, is missing, does not compile or exports no default function. */
  check(script: string, env: LoadSpec['env']): Promise<void>;
  /** Starts the load. Aborting the signal ends it at once; `done` then rejects with the signal's reason. */
  start(spec: LoadSpec, sink: LoadSink, signal: AbortSignal): RunningLoad;
}

/** Where a booted stack can be reached and read. */
export interface BootedService {
  readonly url: string;
  readonly metricsUrl?: string;
  /** CPU and memory of the service and of what it needs, now. */
  readonly readUsage: () => Readonly<Record<'service' | 'backing', ProcessReading>>;
  /** Milliseconds that its JIT has compiled for so far, where the machine itself can tell; undefined otherwise. */
  readonly readCompileMs?: () => number | undefined;
  readonly backingMetricsUrl?: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly dataKey: string;
  /** Rejects with a Fault as soon as a process of the stack ends that was not asked to. Never resolves. */
  readonly failure: Promise<never>;
  /** Where a failure may be told late: throws a Fault unless the stack has lived one life since it was booted. */
  readonly verify?: () => Promise<void>;
}

/** A service with what it needs. Every call is bounded in time, and `down` may be called at any time, more than once. */
export interface Stack {
  readonly kind: 'process' | 'compose';
  /** Builds what has to be built. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Backing services with freshly restored data. Answers with the seconds that its steps took, as far as they tell. */
  up(signal: AbortSignal): Promise<Readonly<Record<string, number>>>;
  /** One life of the service's process, ready to take load. */
  boot(signal: AbortSignal): Promise<BootedService>;
  /** Last lines of the service's log, oldest first. */
  logTail(lines: number): readonly string[];
  down(): Promise<void>;
}

/** CPU seconds used so far and resident bytes of a set of processes with their descendants. */
export interface ProcessReading {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

/** CPU time of the whole machine so far, in seconds over all cores. */
export interface MachineReading {
  readonly totalSeconds: number;
  /** Neither idle, nor waiting for a disk, nor stolen. */
  readonly busySeconds: number;
  readonly ioWaitSeconds: number;
  readonly stolenSeconds: number;
}

export interface Machine {
  describe(): Pick<Fingerprint, 'cpuModel' | 'cpuCount' | 'memoryGiB' | 'os' | 'runner' | 'host'>;
  read(): MachineReading;
  readProcesses(pids: readonly number[]): ProcessReading;
  /** The gate's own process. */
  readSelf(): ProcessReading;
}

/** One series of a scrape. */
export interface MetricSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricsReader {
  scrape(url: string, signal: AbortSignal): Promise<readonly MetricSeries[]>;
}

/** How a cell does under load. */
export interface CellFigures {
  readonly tps: number;
  readonly p95Ms: number;
  readonly errors: number;
}

/** What happens, as it happens; a progress display listens. */
export type Progress =
  | { readonly kind: 'phase'; readonly phase: string; readonly detail: string }
  | { readonly kind: 'phase-done'; readonly phase: string; readonly seconds: number }
  | { readonly kind: 'note'; readonly text: string }
  | {
      readonly kind: 'live';
      readonly cell: string;
      /** Absent until a second of the cell's load is over. */
      readonly figures: CellFigures | undefined;
      /** Share of all the blocks' time that has passed, 0 to 1. */
      readonly done: number;
      readonly secondsLeft: number;
    };

export type ProgressListener = (event: Progress) => void;
