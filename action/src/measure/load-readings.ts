import type { Block } from '../model/run.ts';
import type { LoadSeconds } from '../model/series.ts';
import type { BootedService, Clock, Machine, MetricsReader } from './ports.ts';
import { cpuShares, type Moment, Readings } from './readings.ts';
import { scrapeUnderLoad } from './scrape.ts';
import type { Scrape } from './signals.ts';

interface ReadingTools {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly metrics: MetricsReader;
}

/** Who used the CPU and how much memory within a counted interval. */
export type CountedShares = Pick<Block, 'usage' | 'stealShare' | 'othersCpuShare' | 'ioWaitShare'>;

/** Those of an interval that nobody read. */
export const noShares: CountedShares = { usage: {}, stealShare: 0, othersCpuShare: 0, ioWaitShare: 0 };

/** The kernel counts CPU time in steps of 10 ms, which say nothing about a shorter interval. */
const shortestMs = 100;

/** What is read while a load runs: about once a second, and at both ends of each counted interval. */
export class LoadReadings {
  readonly #tools: ReadingTools;
  readonly #service: BootedService;
  readonly #generatorPids: readonly number[];
  readonly #cpuCount: number;
  readonly #readings: Readings;
  #counted: Scrape[] = [];
  #from: Moment | undefined;
  #to: Moment | undefined;
  #last: Moment | undefined;

  constructor(tools: ReadingTools, service: BootedService, generatorPids: readonly number[]) {
    this.#tools = tools;
    this.#service = service;
    this.#generatorPids = generatorPids;
    this.#cpuCount = tools.machine.describe().cpuCount;
    this.#readings = new Readings(this.#cpuCount);
  }

  /** Scrapes of the newest counted interval. */
  get counted(): readonly Scrape[] {
    return this.#counted;
  }

  /** Begins a counted interval, and forgets the one before. */
  begin(): void {
    this.#from = this.#moment();
    this.#to = undefined;
    this.#counted = [];
  }

  /**
   * @param isLate true if the interval is over already, and maybe the generator gone with its CPU time. The last reading
   * counts then, since one of this moment would include idle time.
   */
  end(isLate: boolean): void {
    this.#to = isLate ? this.#last : this.#moment();
  }

  async take(signal: AbortSignal): Promise<void> {
    const moment = this.#moment();
    this.#last = moment;
    const scrape = await scrapeUnderLoad(this.#tools.metrics, this.#service, signal);
    this.#readings.add(moment, scrape);
    if (this.#from !== undefined && this.#to === undefined) this.#counted.push(scrape);
  }

  shares(): CountedShares {
    const from = this.#from;
    const to = this.#to;
    // The first response may come after the counted interval, as that of a service that hangs does.
    if (from === undefined || to === undefined || to.atMs - from.atMs < shortestMs) {
      return noShares;
    }
    const { roles, others, stolen, ioWait } = cpuShares(from, to, this.#cpuCount);
    const usage = Object.fromEntries(
      Object.entries(to.roles).map(([role, { rssBytes }]) => [
        role,
        { cpuShare: roles[role] ?? 0, rssBytes },
      ]),
    );
    return { usage, stealShare: stolen, othersCpuShare: others, ioWaitShare: ioWait };
  }

  /** @param startedMs monotonic time of the first request */
  bySecond(startedMs: number): Pick<LoadSeconds, 'readAtSeconds' | 'readings'> {
    return this.#readings.finish(startedMs);
  }

  #moment(): Moment {
    const { clock, machine } = this.#tools;
    const own = machine.readSelf();
    const generator = machine.readProcesses(this.#generatorPids);
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
