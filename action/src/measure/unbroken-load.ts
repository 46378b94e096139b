import { causeOf } from '../model/fault.ts';
import { invalidReason } from '../model/invalid-reason.ts';
import type { Block, InvalidReason } from '../model/run.ts';
import type { LoadSeconds } from '../model/series.ts';
import {
  type BlockOptions,
  type BlockTools,
  blockOf,
  circumstancesOf,
  loadOf,
  missedThresholds,
  readUnderLoad,
} from './block.ts';
import { blockReasons, generatorLimit, missingPasses } from './block-validity.ts';
import { ClockWatch } from './clock-watch.ts';
import { everySecond } from './every-second.ts';
import { LoadReadings, noShares } from './load-readings.ts';
import { type Boundary, type LoadWindow, scrapesOf } from './load-window.ts';
import { endingLoads } from './loads.ts';
import { asOneLoad, blockSeconds } from './plan.ts';
import type { LoadResult } from './ports.ts';
import { Recorder } from './recorder.ts';
import { received, scrapeUnderLoad } from './scrape.ts';
import { mostSeconds, SeriesRecorder, toAll } from './series-recorder.ts';
import { readSampled } from './signals.ts';

/** What came of one load: its blocks, one after the other without a break. */
export interface UnbrokenLoad {
  readonly blocks: readonly Block[];
  /** Every second from the first request on; absent if no request was sent. */
  readonly seconds?: LoadSeconds;
  /** Why the load ended before its time. The last block then says so, and lasts up to that moment. */
  readonly cutShort?: unknown;
}

/** A rest of a block that is shorter shows nothing. */
const leastSeconds = 1;

/**
 * One k6 process for all blocks of a cell. The requests of a block are those that begin within it. What the stack counts is
 * read under load at the end of each block, and is set against the requests that ended between two readings.
 */
export async function runUnbroken(
  tools: BlockTools,
  options: Omit<BlockOptions, 'round'>,
  signal: AbortSignal,
): Promise<UnbrokenLoad> {
  const load = new RunningBlocks(tools, options);
  try {
    const result = await endingLoads(signal, (guarded) => load.run(guarded));
    return load.finish(result);
  } catch (error) {
    return { ...load.finishEarly(error), cutShort: error };
  }
}

class RunningBlocks {
  readonly #tools: BlockTools;
  readonly #options: Omit<BlockOptions, 'round'>;
  readonly #recorders: readonly Recorder[];
  readonly #series: SeriesRecorder;
  readonly #clockWatch: ClockWatch;
  readonly #windows: LoadWindow[] = [];
  #readings: LoadReadings | undefined;
  /** When the generator ended, by the monotonic clock. */
  #goneAtMs = Number.POSITIVE_INFINITY;
  /** The first request, by the wall clock and by the monotonic one. */
  #begun: { readonly wallMs: number; readonly ms: number } | undefined;

  constructor(tools: BlockTools, options: Omit<BlockOptions, 'round'>) {
    const { cell } = options;
    this.#tools = tools;
    this.#options = options;
    this.#recorders = Array.from(
      { length: cell.rounds },
      (_, round) => new Recorder(cell.guardSeconds + round * cell.countedSeconds, cell.countedSeconds),
    );
    this.#series = new SeriesRecorder(mostSeconds(blockSeconds(asOneLoad(cell))));
    this.#clockWatch = new ClockWatch(tools.clock);
  }

  /** Loads and reads until the generator has ended. */
  async run(signal: AbortSignal): Promise<LoadResult> {
    const { clock, generator } = this.#tools;
    const { cell, service, config } = this.#options;
    const spec = loadOf({ ...this.#options, cell: asOneLoad(cell) });
    const load = generator.start(spec, toAll(this.#recorders, this.#series), signal);
    const sources = readUnderLoad(service, Object.values(config.signals));
    const readings = new LoadReadings(this.#tools, sources, load.pids);
    this.#readings = readings;
    let hasEnded = false;
    const ended = load.done.then(() => {
      hasEnded = true;
      this.#goneAtMs = clock.monotonicMs();
      return 'ended' as const;
    });
    const begun = await Promise.race([this.#recorders[0]?.started ?? ended, ended]);
    if (begun !== 'ended') {
      const ms = this.#clockWatch.monotonicMsOf(begun);
      this.#begun = { wallMs: begun, ms };
      await readings.take(signal);
      const onSecond = (round: number) => () => this.#onSecond(round, readings, ms, signal);
      await everySecond(clock, this.#beginsAtMs(0, ms), ended, signal, onSecond(0));
      let from = await this.#boundary(signal);
      for (let round = 0; round < cell.rounds && !hasEnded; round += 1) {
        readings.begin();
        readings.end(
          await everySecond(clock, this.#beginsAtMs(round + 1, ms), ended, signal, onSecond(round)),
        );
        const to = await this.#boundary(signal);
        const sampled = readSampled(config.signals, readings.counted);
        this.#windows.push({ from, to, shares: readings.shares(), sampled });
        from = to;
      }
    }
    const result = await load.done;
    this.#clockWatch.check();
    return result;
  }

  /** A load that could not begin has one block, which says why. */
  finish(result: LoadResult): UnbrokenLoad {
    const seconds = this.#seconds();
    const count = Math.max(1, this.#windows.length);
    const blocks = this.#recorders.slice(0, count).map((recorder, round) => {
      const isLast = round === count - 1;
      // Only the last block can have been going on when the generator failed.
      const own: LoadResult =
        isLast || result.end.kind !== 'failed' ? result : { ...result, end: { kind: 'finished' } };
      return this.#block(round, recorder, seconds, own);
    });
    return { blocks: this.#markedAsIncomplete(blocks, result), ...(seconds && { seconds }) };
  }

  /** The blocks up to now. The last one, of which only a part may have been loaded, says why there are no more. */
  finishEarly(error: unknown): UnbrokenLoad {
    const { cell } = this.#options;
    const seconds = this.#seconds();
    const { length } = this.#windows;
    const rest = this.#countedSoFar() - length * cell.countedSeconds;
    const whole: LoadResult = { end: { kind: 'finished' }, exceptions: 0, errors: [] };
    const blocks = this.#recorders
      .slice(0, length + (rest >= leastSeconds && length < cell.rounds ? 1 : 0))
      .map((recorder, round) =>
        round < length
          ? this.#block(round, recorder, seconds, whole)
          : this.#block(round, recorder, seconds, undefined, rest),
      );
    // Whatever ends a load after its last block takes nothing from it.
    const kept = length === cell.rounds ? blocks : this.#markedAsCut(blocks, causeOf(error));
    return { blocks: kept, ...(seconds && { seconds }) };
  }

  /** What only the end of the load shows is said with its last block. */
  #markedAsIncomplete(blocks: readonly Block[], { end }: LoadResult): readonly Block[] {
    if (end.kind === 'failed') return blocks;
    const { cell } = this.#options;
    const endsAtMs = this.#begun === undefined ? 0 : this.#beginsAtMs(cell.rounds, this.#begun.ms);
    if (blocks.length < cell.rounds || this.#goneAtMs < endsAtMs - 1000 * leastSeconds) {
      return this.#markedAsCut(blocks, 'the load generator ended too early');
    }
    const recorded = this.#recorders.at(-1)?.finish();
    return withReasons(blocks, recorded ? missingPasses(asOneLoad(cell).arrival, recorded) : []);
  }

  #markedAsCut(blocks: readonly Block[], why: string): readonly Block[] {
    const { cell } = this.#options;
    const reason = invalidReason('I_CUT_SHORT', {
      minutes: this.#countedSoFar() / 60,
      planned: (cell.countedSeconds * cell.rounds) / 60,
      why,
    });
    return withReasons(blocks, [reason]);
  }

  async #onSecond(
    round: number,
    readings: LoadReadings,
    begunMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { onLive, onSeconds } = this.#options;
    this.#clockWatch.check();
    onLive(this.#recorders[round]?.live());
    await readings.take(signal);
    const passed = onSeconds && this.#series.passed(readings.bySecond(begunMs));
    if (passed !== undefined) onSeconds?.(passed);
  }

  async #boundary(signal: AbortSignal): Promise<Boundary> {
    const { clock, metrics } = this.#tools;
    const bytes = this.#recorders[0]?.receivedBytes ?? 0;
    const fromMs = clock.monotonicMs();
    const scrape = await scrapeUnderLoad(metrics, this.#options.service, signal);
    // Somewhere in between the counters were read.
    return { atMs: (fromMs + clock.monotonicMs()) / 2, scrape: { ...scrape, generator: received(bytes) } };
  }

  #block(
    round: number,
    recorder: Recorder,
    seconds: LoadSeconds | undefined,
    result: LoadResult | undefined,
    countedSeconds = this.#options.cell.countedSeconds,
  ): Block {
    const { cell, config } = this.#options;
    const { generator, machine, clock } = this.#tools;
    const { wallMs, ms } = this.#begun ?? { wallMs: clock.now().getTime(), ms: clock.monotonicMs() };
    const recorded = recorder.finish(countedSeconds);
    const window = this.#windows[round];
    const shares = window?.shares ?? noShares;
    const block = blockOf(config, {
      round,
      startedAt: new Date(wallMs + 1000 * (cell.guardSeconds + round * cell.countedSeconds)),
      countedSeconds,
      recorded,
      shares,
      scrapes: scrapesOf(window, seconds, ms),
      missedThresholds: result === undefined ? [] : missedThresholds(result),
      invalid:
        result === undefined
          ? []
          : blockReasons(
              cell,
              recorded,
              result,
              circumstancesOf(shares, this.#clockWatch),
              generatorLimit(config.limits, generator.ownCpus, machine.describe().cpuCount),
            ),
    });
    return { ...block, signals: { ...block.signals, ...window?.sampled } };
  }

  #seconds(): LoadSeconds | undefined {
    return this.#begun && this.#readings && this.#series.finish(this.#readings.bySecond(this.#begun.ms));
  }

  #beginsAtMs(round: number, begunMs: number): number {
    const { guardSeconds, countedSeconds } = this.#options.cell;
    return begunMs + 1000 * (guardSeconds + round * countedSeconds);
  }

  #countedSoFar(): number {
    if (this.#begun === undefined) return 0;
    return Math.max(0, (this.#tools.clock.monotonicMs() - this.#beginsAtMs(0, this.#begun.ms)) / 1000);
  }
}

function withReasons(blocks: readonly Block[], reasons: readonly InvalidReason[]): readonly Block[] {
  return blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, invalid: [...block.invalid, ...reasons] } : block,
  );
}
