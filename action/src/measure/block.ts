import type { Config } from '../model/config.ts';
import type { Block, InvalidReason } from '../model/run.ts';
import { generatorLimit } from './generator-limit.ts';
import type { PlannedCell } from './plan.ts';
import type {
  BootedService,
  Clock,
  LoadEnd,
  LoadGenerator,
  LoadResult,
  Machine,
  MachineReading,
  MetricsReader,
  ProcessReading,
} from './ports.ts';
import { type LiveFigures, Recorder, type Recording } from './recorder.ts';
import { readSignals, type Scrape } from './signals.ts';

export interface BlockTools {
  readonly generator: LoadGenerator;
  readonly machine: Machine;
  readonly metrics: MetricsReader;
  readonly clock: Clock;
}

export interface BlockOptions {
  readonly config: Config;
  readonly cell: PlannedCell;
  readonly round: number;
  readonly service: BootedService;
  /** Makes the script's path absolute. */
  readonly resolveScript: (script: string) => string;
  readonly onLive: (figures: LiveFigures) => void;
}

const glanceMs = 1_000;

/** One k6 process run of a cell: load, guard interval, counted interval with readings around it, drain. */
export async function runBlock(
  tools: BlockTools,
  options: BlockOptions,
  signal: AbortSignal,
): Promise<Block> {
  const { generator, clock, machine } = tools;
  const { cell, service, config } = options;
  const startedAt = clock.now();
  const before = await scrape(tools, service, signal);
  const recorder = new Recorder(cell.guardSeconds, cell.countedSeconds);
  const load = generator.start(
    {
      script: options.resolveScript(cell.script),
      stages: cell.stages,
      env: { BASE_URL: service.url },
    },
    recorder,
    signal,
  );
  const look = new CountedLook(tools, service, load.pid);
  const ended = load.done.then(() => 'ended' as const);
  const begun = await Promise.race([recorder.started, ended]);
  if (begun !== 'ended') {
    const countFrom = begun + cell.guardSeconds * 1000;
    const countTo = countFrom + cell.countedSeconds * 1000;
    await waitUntil(clock, countFrom, ended, signal, () => options.onLive(recorder.live()));
    look.begin();
    await waitUntil(clock, countTo, ended, signal, async () => {
      options.onLive(recorder.live());
      await look.glance(signal);
    });
    look.end();
  }
  const result = await load.done;
  const recording = recorder.finish();
  const after = await scrape(tools, service, signal);
  const usage = look.usage(machine.describe().cpuCount);
  const stealShare = look.stealShare();
  return {
    round: options.round,
    startedAt: startedAt.toISOString(),
    countedSeconds: cell.countedSeconds,
    requests: recording.requests,
    errors: recording.errors,
    iterations: recording.iterations,
    tps: recording.tps,
    latency: recording.latency,
    endpoints: [...recording.endpoints],
    usage,
    stealShare,
    signals: readSignals(config.signals, {
      before,
      after,
      during: look.scrapes,
      requests: recording.requestsInAll,
      seconds: (clock.now().getTime() - startedAt.getTime()) / 1000,
    }),
    invalid: invalidReasons(
      cell,
      recording,
      result,
      { generatorCpuShare: usage.generator?.cpuShare ?? 0, stealShare },
      generatorLimit(config.limits, generator.ownCpus, machine.describe().cpuCount),
    ),
  };
}

/** Readings at both ends of the counted interval, and scrapes within it. */
class CountedLook {
  readonly #tools: BlockTools;
  readonly #service: BootedService;
  readonly #generatorPid: number;
  readonly scrapes: Scrape[] = [];
  #from: Reading | undefined;
  #to: Reading | undefined;

  constructor(tools: BlockTools, service: BootedService, generatorPid: number) {
    this.#tools = tools;
    this.#service = service;
    this.#generatorPid = generatorPid;
  }

  begin(): void {
    this.#from = this.#read();
  }

  end(): void {
    this.#to = this.#read();
  }

  async glance(signal: AbortSignal): Promise<void> {
    this.scrapes.push(await scrape(this.#tools, this.#service, signal));
  }

  usage(cpuCount: number): Block['usage'] {
    const from = this.#from;
    const to = this.#to;
    if (from === undefined || to === undefined || to.atMs <= from.atMs) return {};
    const coreSeconds = ((to.atMs - from.atMs) / 1000) * cpuCount;
    return Object.fromEntries(
      Object.entries(to.roles).map(([role, reading]) => [
        role,
        {
          cpuShare: Math.max(0, reading.cpuSeconds - (from.roles[role]?.cpuSeconds ?? 0)) / coreSeconds,
          rssBytes: reading.rssBytes,
        },
      ]),
    );
  }

  stealShare(): number {
    if (this.#from === undefined || this.#to === undefined) return 0;
    const total = this.#to.machine.totalSeconds - this.#from.machine.totalSeconds;
    return total <= 0 ? 0 : (this.#to.machine.stolenSeconds - this.#from.machine.stolenSeconds) / total;
  }

  #read(): Reading {
    const { clock, machine } = this.#tools;
    const own = machine.readSelf();
    const generator = machine.readProcesses([this.#generatorPid]);
    return {
      atMs: clock.monotonicMs(),
      machine: machine.read(),
      roles: {
        // What the gate itself spends on counting is part of the price of the load.
        generator: {
          cpuSeconds: generator.cpuSeconds + own.cpuSeconds,
          rssBytes: generator.rssBytes + own.rssBytes,
        },
        ...this.#service.readUsage(),
      },
    };
  }
}

interface Reading {
  readonly atMs: number;
  readonly machine: MachineReading;
  readonly roles: Readonly<Record<string, ProcessReading>>;
}

async function scrape(tools: BlockTools, service: BootedService, signal: AbortSignal): Promise<Scrape> {
  const [ofService, ofBacking] = await Promise.all([
    service.metricsUrl === undefined ? [] : tools.metrics.scrape(service.metricsUrl, signal),
    service.backingMetricsUrl === undefined ? [] : tools.metrics.scrape(service.backingMetricsUrl, signal),
  ]);
  return { service: ofService, backing: ofBacking };
}

/** Waits until a wall time or the end of the load, whichever is first, looking about once a second. */
async function waitUntil(
  clock: Clock,
  untilMs: number,
  ended: Promise<'ended'>,
  signal: AbortSignal,
  onGlance: () => void | Promise<void>,
): Promise<void> {
  for (;;) {
    const leftMs = untilMs - clock.now().getTime();
    if (leftMs <= 0) return;
    const which = await Promise.race([clock.wait(Math.min(glanceMs, leftMs), signal), ended]);
    if (which === 'ended') return;
    if (leftMs > glanceMs) await onGlance();
  }
}

interface Shares {
  readonly generatorCpuShare: number;
  readonly stealShare: number;
}

/** Reasons that may not show again if the block is taken once more. */
const passingCodes: ReadonlySet<string> = new Set(['I_GENERATOR_CPU', 'I_STEAL']);

/** True if taking the block again may help: the machine was disturbed, not the load or the service. */
export function mayPass(reasons: readonly InvalidReason[]): boolean {
  return reasons.length > 0 && reasons.every(({ code }) => passingCodes.has(code));
}

/** k6's exit 0 is not success: what has to hold before a block's figures are believed. */
export function invalidReasons(
  cell: Pick<PlannedCell, 'endpoints' | 'countedSeconds'>,
  recording: Pick<Recording, 'requests' | 'errors' | 'endpoints'>,
  result: LoadResult,
  shares: Shares,
  limits: Config['limits'],
): InvalidReason[] {
  const reasons: InvalidReason[] = [];
  const detail = result.errors[0] === undefined ? '' : `; its first error: ${result.errors[0]}`;
  if (result.end.kind === 'failed') {
    reasons.push({
      code: 'I_GENERATOR_END',
      cause: `the load generator did not finish: ${endText(result.end)}${detail}`,
      nextStep: 'run the scenario by itself with `k6 run` and mend what it reports',
    });
  }
  if (result.exceptions > 0) {
    reasons.push({
      code: 'I_EXCEPTIONS',
      cause: `${result.exceptions} iterations ended in an exception of the script${detail}`,
      nextStep: 'handle the failing answer in the script, so that the pass goes on or ends cleanly',
    });
  }
  if (recording.requests === 0) {
    reasons.push({
      code: 'I_NO_SAMPLES',
      cause: `no request ended within the ${cell.countedSeconds} s that are counted${detail}`,
      nextStep: 'lower the virtual users or lengthen `counted`, and look whether the service still answers',
    });
    return reasons;
  }
  if (recording.errors === recording.requests) {
    reasons.push({
      code: 'I_ALL_FAILED',
      cause: `all ${recording.requests} requests failed${detail}`,
      nextStep: "read the service's log: the times of failures say nothing about its speed",
    });
  }
  const seen = new Set(recording.endpoints.map(({ name }) => name));
  const missing = (cell.endpoints ?? []).filter((name) => !seen.has(name));
  if (missing.length > 0) {
    reasons.push({
      code: 'I_ENDPOINT_MISSING',
      cause: `no sample of ${missing.join(', ')}`,
      nextStep:
        'lengthen `counted` if a pass takes longer than that, or correct `endpoints` or the `name` tags',
    });
  }
  if (shares.generatorCpuShare > limits.generatorCpuShare) {
    reasons.push({
      code: 'I_GENERATOR_CPU',
      cause: `the load generator used ${percent(shares.generatorCpuShare)} of the CPU, more than ${percent(limits.generatorCpuShare)}`,
      nextStep: 'run it on a machine with more cores, or lower the virtual users',
    });
  }
  if (shares.stealShare > limits.stealShare) {
    reasons.push({
      code: 'I_STEAL',
      cause: `other guests of the host took ${percent(shares.stealShare)} of the CPU, more than ${percent(limits.stealShare)}`,
      nextStep: 'run it again, or on a machine of its own',
    });
  }
  return reasons;
}

function endText(end: Extract<LoadEnd, { kind: 'failed' }>): string {
  return `${end.meaning} (${end.signal === null ? `exit code ${end.exitCode}` : end.signal})`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
