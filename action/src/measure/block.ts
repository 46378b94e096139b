import type { Config, SignalConfig } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { Block } from '../model/run.ts';
import { receivedSeries } from '../model/signal-config.ts';
import { generatorLimit, invalidReasons } from './block-validity.ts';
import { ClockWatch } from './clock-watch.ts';
import { endingLoads } from './loads.ts';
import type { PlannedCell } from './plan.ts';
import type {
  BootedService,
  Clock,
  LoadGenerator,
  LoadSpec,
  Machine,
  MachineReading,
  MetricSeries,
  MetricsReader,
  ProcessReading,
} from './ports.ts';
import { type LiveFigures, Recorder } from './recorder.ts';
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
  readonly onLive: (figures: LiveFigures | undefined) => void;
}

const readingIntervalMs = 1_000;

/** One k6 process run of a cell: guard interval, counted interval with readings at both ends, drain. */
export async function runBlock(
  tools: BlockTools,
  options: BlockOptions,
  signal: AbortSignal,
): Promise<Block> {
  const start = { at: tools.clock.now(), monotonicMs: tools.clock.monotonicMs() };
  const before = await scrape(options.service, (url) => tools.metrics.scrape(url, signal));
  return endingLoads(signal, (guarded) => loadAndRead(tools, options, { start, before }, guarded));
}

interface Start {
  readonly at: Date;
  readonly monotonicMs: number;
}

function loadOf({ cell, service, resolveScript }: BlockOptions): LoadSpec {
  return {
    script: resolveScript(cell.script),
    stages: cell.stages,
    ...(cell.arrival === undefined ? {} : { arrival: cell.arrival }),
    env: { ...cell.env, BASE_URL: service.url },
  };
}

async function loadAndRead(
  tools: BlockTools,
  options: BlockOptions,
  { start, before }: { readonly start: Start; readonly before: Scrape },
  signal: AbortSignal,
): Promise<Block> {
  const { generator, clock, machine } = tools;
  const { cell, service, config } = options;
  const { cpuCount } = machine.describe();
  const clockWatch = new ClockWatch(clock);
  const recorder = new Recorder(cell.guardSeconds, cell.countedSeconds);
  const load = generator.start(loadOf(options), recorder, signal);
  const interval = new CountedInterval(tools, sampled(service, Object.values(config.signals)), load.pid);
  const ended = load.done.then(() => 'ended' as const);
  const begun = await Promise.race([recorder.started, ended]);
  if (begun !== 'ended') {
    const begunMs = clockWatch.monotonicMsOf(begun);
    const onSecond = () => {
      clockWatch.check();
      options.onLive(recorder.live());
    };
    await readCounted({ clock, cell, begunMs, ended, interval, onSecond }, signal);
  }
  const result = await load.done;
  clockWatch.check();
  const recorded = recorder.finish();
  const { requestsInAll, receivedBytesInAll, errorsInAll: _, exceptions: __, ...recording } = recorded;
  const after = await scrapeUnderLoad(tools, service, signal);
  const shares = interval.shares(cpuCount);
  const circumstances = {
    ...shares,
    generatorCpuShare: shares.usage.generator?.cpuShare ?? 0,
    clockStepSeconds: clockWatch.stepSeconds,
  };
  const limits = generatorLimit(config.limits, generator.ownCpus, cpuCount);
  return {
    round: options.round,
    startedAt: start.at.toISOString(),
    countedSeconds: cell.countedSeconds,
    ...recording,
    endpoints: [...recording.endpoints],
    ...shares,
    signals: readSignals(config.signals, {
      before: { ...before, generator: received(0) },
      after: { ...after, generator: received(receivedBytesInAll) },
      during: interval.scrapes,
      requests: requestsInAll,
      seconds: (clock.monotonicMs() - start.monotonicMs) / 1000,
    }),
    invalid: invalidReasons(cell, recorded, result, circumstances, limits),
  };
}

interface CountedLoad {
  readonly clock: Clock;
  readonly cell: PlannedCell;
  /** Monotonic time of the first request. */
  readonly begunMs: number;
  readonly ended: Promise<'ended'>;
  readonly interval: CountedInterval;
  readonly onSecond: () => void;
}

/** Waits for the counted interval and reads at both of its ends. */
async function readCounted(
  { clock, cell, begunMs, ended, interval, onSecond }: CountedLoad,
  signal: AbortSignal,
): Promise<void> {
  const countFrom = begunMs + cell.guardSeconds * 1000;
  const countTo = countFrom + cell.countedSeconds * 1000;
  await waitUntil(clock, countFrom, ended, signal, onSecond);
  interval.begin();
  await waitUntil(clock, countTo, ended, signal, async () => {
    onSecond();
    await interval.scrape(signal);
  });
  interval.end();
}

/** Readings at both ends of the counted interval, and scrapes within it. */
class CountedInterval {
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

  async scrape(signal: AbortSignal): Promise<void> {
    this.scrapes.push(await scrapeUnderLoad(this.#tools, this.#service, signal));
  }

  /** Who used the CPU between the two readings. */
  shares(cpuCount: number): Pick<Block, 'usage' | 'stealShare' | 'othersCpuShare' | 'ioWaitShare'> {
    const from = this.#from;
    const to = this.#to;
    if (from === undefined || to === undefined || to.atMs <= from.atMs) {
      return { usage: {}, stealShare: 0, othersCpuShare: 0, ioWaitShare: 0 };
    }
    const coreSeconds = ((to.atMs - from.atMs) / 1000) * cpuCount;
    const usage = Object.fromEntries(
      Object.entries(to.roles).map(([role, reading]) => [
        role,
        {
          cpuShare: Math.max(0, reading.cpuSeconds - (from.roles[role]?.cpuSeconds ?? 0)) / coreSeconds,
          rssBytes: reading.rssBytes,
        },
      ]),
    );
    const ownShare = Object.values(usage).reduce((sum, { cpuShare }) => sum + cpuShare, 0);
    const total = to.machine.totalSeconds - from.machine.totalSeconds;
    const machineShare = (key: 'busySeconds' | 'stolenSeconds' | 'ioWaitSeconds') =>
      total <= 0 ? 0 : Math.max(0, to.machine[key] - from.machine[key]) / total;
    return {
      usage,
      stealShare: machineShare('stolenSeconds'),
      othersCpuShare: Math.max(0, machineShare('busySeconds') - ownShare),
      ioWaitShare: machineShare('ioWaitSeconds'),
    };
  }

  #read(): Reading {
    const { clock, machine } = this.#tools;
    const own = machine.readSelf();
    const generator = machine.readProcesses([this.#generatorPid]);
    return {
      atMs: clock.monotonicMs(),
      machine: machine.read(),
      roles: {
        // The gate's own work of counting samples is part of the cost of the load.
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

async function scrape(
  { metricsUrl, backingMetricsUrls = [], readBackingCpuSeconds }: BootedService,
  read: (url: string) => Promise<readonly MetricSeries[]>,
): Promise<Scrape> {
  const [service = [], ...pages] = await Promise.all([
    metricsUrl === undefined ? [] : read(metricsUrl),
    ...backingMetricsUrls.map(read),
  ]);
  return {
    service,
    generator: [],
    backing: [...pages.flat(), ...cpuSeries(readBackingCpuSeconds?.() ?? {})],
  };
}

function received(bytes: number): readonly MetricSeries[] {
  return [{ name: receivedSeries, labels: {}, value: bytes }];
}

/** Database exporters do not know the CPU time of their server, so the stack reads it; named as in process-exporter. */
function cpuSeries(seconds: Readonly<Record<string, number>>): readonly MetricSeries[] {
  return Object.entries(seconds).map(([groupname, value]) => ({
    name: 'namedprocess_namegroup_cpu_seconds_total',
    labels: { groupname },
    value,
  }));
}

/** Skips the backing services' pages if no signal samples them, because each scrape costs their servers work. */
function sampled(service: BootedService, signals: readonly SignalConfig[]): BootedService {
  const samples = signals.some(({ from, per }) => from === 'backing' && (per === 'mean' || per === 'max'));
  return samples ? service : { ...service, backingMetricsUrls: [] };
}

/**
 * Like `scrape`, but returns nothing from a source that does not answer. The load is meant to reveal a service that
 * hangs, and its metrics hang with it.
 */
function scrapeUnderLoad(
  { metrics }: BlockTools,
  service: BootedService,
  signal: AbortSignal,
): Promise<Scrape> {
  return scrape(service, async (url) => {
    try {
      return await metrics.scrape(url, signal);
    } catch (error) {
      // The reason of an abort may be a Fault as well.
      if (signal.aborted || !(error instanceof Fault)) throw error;
      return [];
    }
  });
}

/** Waits until a monotonic time or the end of the load, and calls `onInterval` about once a second. */
async function waitUntil(
  clock: Clock,
  untilMs: number,
  ended: Promise<'ended'>,
  signal: AbortSignal,
  onInterval: () => void | Promise<void>,
): Promise<void> {
  for (;;) {
    const leftMs = untilMs - clock.monotonicMs();
    if (leftMs <= 0) return;
    const which = await Promise.race([clock.wait(Math.min(readingIntervalMs, leftMs), signal), ended]);
    if (which === 'ended') return;
    if (leftMs > readingIntervalMs) await onInterval();
  }
}
