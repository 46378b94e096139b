import type { Config, SignalConfig } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { Block } from '../model/run.ts';
import type { LoadSeconds } from '../model/series.ts';
import { scriptMetrics } from '../model/signal-config.ts';
import { type Circumstances, generatorLimit, invalidReasons } from './block-validity.ts';
import { ClockWatch } from './clock-watch.ts';
import { everySecond } from './every-second.ts';
import { type CountedShares, LoadReadings } from './load-readings.ts';
import { endingLoads } from './loads.ts';
import { isUntilEnd, longestSeconds, type PlannedCell } from './plan.ts';
import type {
  BootedService,
  Clock,
  LoadGenerator,
  LoadResult,
  LoadSpec,
  Machine,
  MetricsReader,
} from './ports.ts';
import { type LiveFigures, Recorder, type Recording } from './recorder.ts';
import { received, scrape, scrapeUnderLoad } from './scrape.ts';
import { mostSeconds, type PassedSeconds, SeriesRecorder, toAll } from './series-recorder.ts';
import { type BlockScrapes, readOtherMetrics, readSignals, type Scrape } from './signals.ts';

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
  /** Called about once a second with the seconds that have passed, the first of which is second `from`. */
  readonly onSeconds?: (seconds: PassedSeconds) => void;
}

/** A block with what happened in each second of it; without its series if no request was sent. */
export interface MeasuredBlock {
  readonly block: Block;
  readonly seconds?: LoadSeconds;
}

/** One k6 process run of a cell: guard interval, counted interval with readings at both ends, drain. */
export async function runBlock(
  tools: BlockTools,
  options: BlockOptions,
  signal: AbortSignal,
): Promise<MeasuredBlock> {
  const start = { at: tools.clock.now(), monotonicMs: tools.clock.monotonicMs() };
  const { before, unread } = await scrapeBefore(tools.metrics, options.service, signal);
  const measured = await endingLoads(signal, (guarded) =>
    loadAndRead(tools, options, { start, before }, guarded),
  );
  // The metrics of a service that hangs do not answer either. If it answers most requests, the metrics themselves are wrong.
  if (unread !== undefined && 2 * measured.block.errors < measured.block.requests) throw unread;
  return measured;
}

/** What the metrics say before the load, or why they say nothing. */
async function scrapeBefore(
  metrics: MetricsReader,
  service: BootedService,
  signal: AbortSignal,
): Promise<{ readonly before: Scrape; readonly unread?: Fault }> {
  try {
    return { before: await scrape(service, (url) => metrics.scrape(url, signal)) };
  } catch (error) {
    if (signal.aborted || !(error instanceof Fault)) throw error;
    return { before: { service: [], generator: [], backing: [] }, unread: error };
  }
}

interface Start {
  readonly at: Date;
  readonly monotonicMs: number;
}

/** What the generator does in a block. */
export function loadOf({
  cell,
  service,
  resolveScript,
  config,
}: Pick<BlockOptions, 'cell' | 'resolveScript' | 'config'> & {
  readonly service: Pick<BootedService, 'url'>;
}): LoadSpec {
  return {
    script: resolveScript(cell.script),
    stages: cell.stages,
    ...(cell.arrival === undefined ? {} : { arrival: cell.arrival }),
    ...(cell.exec === undefined ? {} : { exec: cell.exec }),
    metrics: scriptMetrics(config.signals),
    thresholds: cell.ignoresThresholds === undefined,
    env: { ...cell.env, BASE_URL: service.url },
  };
}

async function loadAndRead(
  tools: BlockTools,
  options: BlockOptions,
  { start, before }: { readonly start: Start; readonly before: Scrape },
  signal: AbortSignal,
): Promise<MeasuredBlock> {
  const { generator, clock, machine, metrics } = tools;
  const { cell, service, config } = options;
  const { cpuCount } = machine.describe();
  const clockWatch = new ClockWatch(clock);
  const recorder = new Recorder(
    cell.guardSeconds,
    isUntilEnd(cell) ? Number.POSITIVE_INFINITY : cell.countedSeconds,
  );
  const series = new SeriesRecorder(mostSeconds(longestSeconds(cell)));
  const load = generator.start(loadOf(options), toAll([recorder], series), signal);
  const readings = new LoadReadings(tools, readUnderLoad(service, Object.values(config.signals)), load.pids);
  const ended = load.done.then(() => 'ended' as const);
  const begun = await Promise.race([recorder.started, ended]);
  const begunMs = begun === 'ended' ? undefined : clockWatch.monotonicMsOf(begun);
  if (begunMs !== undefined) {
    const onSecond = async () => {
      clockWatch.check();
      options.onLive(recorder.live());
      await readings.take(signal);
      const passed = options.onSeconds && series.passed(readings.bySecond(begunMs));
      if (passed !== undefined) options.onSeconds?.(passed);
    };
    await readCounted({ clock, cell, begunMs, ended, readings, onSecond }, signal);
  }
  const result = await load.done;
  clockWatch.check();
  const recorded = recorder.finish();
  const after = await scrapeUnderLoad(metrics, service, signal);
  const shares = readings.shares();
  const block = blockOf(config, {
    round: options.round,
    startedAt: start.at,
    countedSeconds: recorded.countedSeconds,
    recorded,
    shares,
    scrapes: {
      before: { ...before, generator: received(0) },
      after: { ...after, generator: received(recorded.receivedBytesInAll) },
      during: readings.counted,
      requests: recorded.requestsInAll,
      seconds: (clock.monotonicMs() - start.monotonicMs) / 1000,
    },
    missedThresholds: missedThresholds(result),
    invalid: invalidReasons(
      cell,
      recorded,
      result,
      circumstancesOf(shares, clockWatch),
      generatorLimit(config.limits, generator.ownCpus, cpuCount),
    ),
  });
  const seconds = begunMs === undefined ? undefined : series.finish(readings.bySecond(begunMs));
  return { block, ...(seconds === undefined ? {} : { seconds }) };
}

/** What a block is made of. */
export interface BlockParts extends Pick<Block, 'round' | 'countedSeconds' | 'invalid'> {
  readonly startedAt: Date;
  readonly recorded: Recording;
  readonly shares: CountedShares;
  readonly scrapes: Omit<BlockScrapes, 'counted'>;
  readonly missedThresholds: readonly string[];
}

export function blockOf(
  { signals }: Pick<Config, 'signals'>,
  { startedAt, recorded, shares, scrapes, missedThresholds: missed, ...rest }: BlockParts,
): Block {
  const { requests, errors, iterations, tps, latency, endpoints, metrics } = recorded;
  const counted = { requests, seconds: rest.countedSeconds, metrics };
  return {
    ...rest,
    startedAt: startedAt.toISOString(),
    requests,
    errors,
    iterations,
    tps,
    latency,
    endpoints: [...endpoints],
    ...shares,
    signals: { ...readOtherMetrics(signals, counted), ...readSignals(signals, { ...scrapes, counted }) },
    ...(missed.length > 0 && { missedThresholds: [...missed] }),
  };
}

/** Metrics whose thresholds in the script were missed. */
export function missedThresholds({ end }: Pick<LoadResult, 'end'>): readonly string[] {
  return end.kind === 'thresholds-missed' ? end.metrics : [];
}

export function circumstancesOf(shares: CountedShares, { stepSeconds }: ClockWatch): Circumstances {
  const generatorCpuShare = shares.usage.generator?.cpuShare ?? 0;
  return { ...shares, generatorCpuShare, clockStepSeconds: stepSeconds };
}

interface CountedLoad {
  readonly clock: Clock;
  readonly cell: PlannedCell;
  /** Monotonic time of the first request. */
  readonly begunMs: number;
  readonly ended: Promise<'ended'>;
  readonly readings: LoadReadings;
  readonly onSecond: () => Promise<void>;
}

/** Waits for the end of the counted interval, and reads at both of its ends. */
async function readCounted(
  { clock, cell, begunMs, ended, readings, onSecond }: CountedLoad,
  signal: AbortSignal,
): Promise<void> {
  const countFrom = begunMs + cell.guardSeconds * 1000;
  const countTo = isUntilEnd(cell) ? Number.POSITIVE_INFINITY : countFrom + cell.countedSeconds * 1000;
  await readings.take(signal);
  await everySecond(clock, countFrom, ended, signal, onSecond);
  readings.begin();
  readings.end(await everySecond(clock, countTo, ended, signal, onSecond));
}

/**
 * Leaves out pages of the backing services whose reading costs their servers work that their counters show, unless a
 * signal samples them.
 */
export function readUnderLoad(service: BootedService, signals: readonly SignalConfig[]): BootedService {
  const sampled = signals.some(({ from, per }) => from === 'backing' && (per === 'mean' || per === 'max'));
  return sampled || service.backingMetricsExcludeScrapes === true
    ? service
    : { ...service, backingMetricsUrls: [] };
}
