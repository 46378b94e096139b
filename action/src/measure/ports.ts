import type { StackProfile } from '../model/profile.ts';
import type { Fingerprint } from '../model/run.ts';
import type { ClassCount } from '../model/soak.ts';

/** Time, so that tests can replace it. */
export interface Clock {
  /** Wall time, for people. */
  now(): Date;
  /** Milliseconds that never go back, for measuring. */
  monotonicMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Receives the generator's samples while it runs. It is called often, so implementations do not allocate. */
export interface LoadSink {
  /**
   * Also called for an unanswered request, with `ownEndpoints.cutOff` if its endpoint is unknown. `status` is that of a
   * failed request, 0 for no answer, and 0 for any other.
   */
  request(endpoint: string, endedAtMs: number, durationMs: number, failed: boolean, status: number): void;
  /** How many virtual users there are, about once a second. */
  users(atMs: number, users: number): void;
  /** A response that failed one or more checks of the script, after its request; `endpoint` is empty if they name none. */
  failedCheck(endpoint: string): void;
  /**
   * A pass that ended. `ownMs` is the part of it in which the user did not wait for a response: pauses of the script,
   * and work of the generator. It is 0 if the generator does not time what the script sends.
   */
  iteration(endedAtMs: number, durationMs: number, ownMs: number): void;
  /** Bytes of the responses of an iteration that ended, whether it was complete or not. */
  received(bytes: number): void;
  /** An exception that the script did not catch, which ended an iteration within the second after `fromMs`. */
  exception(fromMs: number): void;
  /** A value of one of the metrics that the load asks for by name. */
  metric(name: string, atMs: number, value: number): void;
  /** A pass that could not begin, because all users of an arrival load were busy. */
  dropped(atMs: number): void;
}

/** Virtual users over time: each stage moves linearly from the previous target to `vus` within `seconds`. */
export interface LoadStage {
  readonly seconds: number;
  readonly vus: number;
}

/** A rate over time: each stage moves linearly from the previous rate, at first 0, to `perSecond` within `seconds`. */
export interface RateStage {
  readonly seconds: number;
  readonly perSecond: number;
}

/** Passes that begin at given times. Each takes one of `vus` users; without a free one it is dropped. */
export interface ArrivalLoad {
  /** The highest rate. */
  readonly perSecond: number;
  readonly vus: number;
  readonly seconds: number;
  /** Absent if the rate is constant. */
  readonly stages?: readonly RateStage[];
  /**
   * Present if each of the users makes one pass, `vus` in all. The load then ends with the last pass, or so many
   * seconds after the last user has begun.
   */
  readonly once?: { readonly capSeconds: number };
}

export interface LoadSpec {
  /** Absolute path of the script. */
  readonly script: string;
  /** Ignored if `arrival` is present. */
  readonly stages: readonly LoadStage[];
  readonly arrival?: ArrivalLoad;
  /** Variables that the script reads through __ENV; BASE_URL among them. */
  readonly env: Readonly<Record<string, string>>;
  /** Metrics of the generator or of the script whose values the sink gets, such as `grpc_req_duration`. */
  readonly metrics?: readonly string[];
  /** Whether the script's thresholds are evaluated. */
  readonly thresholds?: boolean;
  /** The function that virtual users run, by the name that the script exports; absent for its default function. */
  readonly exec?: string;
}

/** How a load can use a script. */
export interface ScriptUse {
  /** The function to run; absent for the default function. */
  readonly exec?: string;
  /** Variables that the script's own options give to that function. */
  readonly env: Readonly<Record<string, string>>;
  /** Options of the script that the gate's load replaces, such as `options.scenarios.buy (constant-vus)`. */
  readonly replaced: readonly string[];
  /** True if a threshold would end the load early, so that its thresholds are left out. */
  readonly abortsEarly?: true;
  /** SHA-256 of the script and of every file that it loads. */
  readonly hash: string;
}

export type LoadEnd =
  | { readonly kind: 'finished' }
  /** The script's own thresholds were missed (k6's exit 99): the samples are good. */
  | { readonly kind: 'thresholds-missed'; readonly metrics: readonly string[] }
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

/** A running load. */
export interface RunningLoad {
  /** Processes whose CPU and memory are read. */
  readonly pids: readonly number[];
  readonly done: Promise<LoadResult>;
}

export interface LoadGenerator {
  /** CPUs that the generator runs on exclusively; absent if it shares all CPUs of the machine. */
  readonly ownCpus?: number;
  /** Such as `2.2.0`. */
  version(): Promise<string>;
  /**
   * How to run the script with its variables, and with that function if one is given. Throws a Fault if the script is
   * missing, does not compile, or leaves open what to run.
   */
  check(script: string, env: LoadSpec['env'], exec?: string): Promise<ScriptUse>;
  /** Starts the load. Aborting the signal ends it at once; `done` then rejects with the signal's reason. */
  start(spec: LoadSpec, sink: LoadSink, signal: AbortSignal): RunningLoad;
}

/** Sees which code of the service uses CPU, and where its threads wait. */
export interface Profiler {
  /** Observes the service for that long, whatever load it has. Throws a Fault if it cannot. */
  profile(seconds: number, signal: AbortSignal): Promise<StackProfile>;
  /** What is alive on the heap, after a collection of all of it. Absent if it has no such heap. */
  liveObjects?(signal: AbortSignal): Promise<readonly ClassCount[]>;
  /** Every thread and what it does, as the runtime prints it. Absent if the runtime cannot. */
  threadDump?(signal: AbortSignal): Promise<string>;
}

/** Addresses and readings of a booted stack. */
export interface BootedService {
  readonly url: string;
  /** Pages with the metrics of the service, one for each of its instances; none if it has no metrics. */
  readonly metricsUrls?: readonly string[];
  /** Current CPU and memory of the service and of its backing services. */
  readonly readUsage: () => Readonly<Record<'service' | 'backing', ProcessReading>>;
  /** Milliseconds that the JIT has compiled so far; undefined if the machine cannot read it. */
  readonly readCompileMs?: () => number | undefined;
  /** Pages with the metrics of the backing services; they are read as one page. */
  readonly backingMetricsUrls?: readonly string[];
  /** True if reading those pages changes none of their counters, so that they can be read under load. */
  readonly backingMetricsExcludeScrapes?: boolean;
  /** CPU seconds so far of the backing services, by the program name of their main process. */
  readonly readBackingCpuSeconds?: () => Readonly<Record<string, number>>;
  /** What else a person may open, by name. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** What can profile the service, or why nothing can. Absent if the stack knows no profiler. */
  readonly profiler?: Profiler | { readonly unavailable: string };
  readonly versions: Readonly<Record<string, string>>;
  readonly dataKey: string;
  /** Rejects with a Fault as soon as a process of the stack ends unexpectedly. Never resolves. */
  readonly failure: Promise<never>;
  /**
   * Limits the service to the CPU that is configured. Until then it may use whole cores, so that it warms up sooner.
   * Absent if no limit is configured.
   */
  readonly limitCpu?: () => Promise<void>;
  /** Present if failures may be reported late: throws a Fault if anything in the stack ended, restarted or was lost since boot. */
  readonly verify?: () => Promise<void>;
}

/** A service with its backing services. Every call is bounded in time. `down` may be called at any time, repeatedly. */
export interface Stack {
  readonly kind: Fingerprint['stack'];
  /** Runs the build steps that are due. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Starts backing services with freshly restored data. Returns the seconds of its steps, as far as they are known. */
  up(signal: AbortSignal): Promise<Readonly<Record<string, number>>>;
  /** Starts the service's process once, and waits until it can take load. */
  boot(signal: AbortSignal): Promise<BootedService>;
  /** Last lines of the service's log, oldest first. */
  logTail(lines: number): readonly string[];
  down(): Promise<void>;
}

/** CPU seconds so far and resident bytes of processes and their descendants. */
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
  /** Runnable and waiting tasks, averaged over a minute. */
  readonly load: number;
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

/** Live figures of a cell under load. */
export interface CellFigures {
  readonly tps: number;
  readonly p95Ms: number;
  readonly errors: number;
}

/** Progress of a measurement, for a display. */
export type Progress =
  | { readonly kind: 'phase'; readonly phase: string; readonly detail: string }
  | { readonly kind: 'phase-done'; readonly phase: string; readonly seconds: number }
  | { readonly kind: 'note'; readonly text: string }
  | {
      readonly kind: 'live';
      readonly cell: string;
      /** Undefined until the first counted second of the cell is over. */
      readonly figures: CellFigures | undefined;
      /** Finished share of the load of all blocks, 0 to 1. */
      readonly done: number;
      readonly secondsLeft: number;
    };

export type ProgressListener = (event: Progress) => void;
