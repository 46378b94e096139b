import { pageReadings, type ReadingName } from '../model/reading.ts';
import type { LoadSeconds } from '../model/series.ts';
import type { MachineReading, ProcessReading } from './ports.ts';
import { type Scrape, sumOf } from './signals.ts';

/** What is read at one moment of a load. */
export interface Moment {
  /** Monotonic milliseconds. */
  readonly atMs: number;
  readonly machine: MachineReading;
  readonly roles: Readonly<Record<'generator' | 'service' | 'backing', ProcessReading>>;
}

/** Who used the CPU between two moments, as shares of the machine's, 0 to 1. */
export interface CpuShares {
  readonly roles: Readonly<Record<string, number>>;
  readonly others: number;
  readonly stolen: number;
  readonly ioWait: number;
}

export function cpuShares(from: Moment, to: Moment, cpuCount: number): CpuShares {
  const coreSeconds = ((to.atMs - from.atMs) / 1000) * cpuCount;
  const roles = Object.fromEntries(
    Object.entries(to.roles).map(([role, { cpuSeconds }]) => [
      role,
      Math.max(0, cpuSeconds - from.roles[role as keyof Moment['roles']].cpuSeconds) / coreSeconds,
    ]),
  );
  const total = to.machine.totalSeconds - from.machine.totalSeconds;
  const machineShare = (key: 'busySeconds' | 'stolenSeconds' | 'ioWaitSeconds') =>
    total <= 0 ? 0 : Math.max(0, to.machine[key] - from.machine[key]) / total;
  const own = Object.values(roles).reduce((sum, share) => sum + share, 0);
  return {
    roles,
    others: Math.max(0, machineShare('busySeconds') - own),
    stolen: machineShare('stolenSeconds'),
    ioWait: machineShare('ioWaitSeconds'),
  };
}

type Values = Partial<Record<ReadingName, number>>;
type PageReading = (typeof pageReadings)[keyof typeof pageReadings] & {
  readonly per?: readonly string[];
  readonly less?: readonly string[];
  readonly scale?: number;
};
const pages = Object.entries(pageReadings) as [ReadingName, PageReading][];

/** Readings of one load, taken about once a second. */
export class Readings {
  readonly #cpuCount: number;
  readonly #rows: { readonly atMs: number; readonly values: Values }[] = [];
  #former: { readonly moment: Moment; readonly scrape: Scrape } | undefined;

  constructor(cpuCount: number) {
    this.#cpuCount = cpuCount;
  }

  /** A share, a rate or a mean covers the time since the former call, so the first call yields gauges only. */
  add(moment: Moment, scrape: Scrape): void {
    const former = this.#former;
    this.#former = { moment, scrape };
    const values: Values = {
      loadAverage: moment.machine.load,
      serviceMemory: moment.roles.service.rssBytes,
      backingMemory: moment.roles.backing.rssBytes,
      generatorMemory: moment.roles.generator.rssBytes,
    };
    const seconds = former === undefined ? 0 : (moment.atMs - former.moment.atMs) / 1000;
    if (former !== undefined && seconds > 0) {
      const { roles, others, stolen } = cpuShares(former.moment, moment, this.#cpuCount);
      values.serviceCpu = roles.service ?? 0;
      values.backingCpu = roles.backing ?? 0;
      values.generatorCpu = roles.generator ?? 0;
      values.othersCpu = others;
      values.stolenCpu = stolen;
    }
    for (const [name, page] of pages) {
      const value = pageValue(page, scrape, former?.scrape, seconds);
      if (value !== undefined && Number.isFinite(value)) values[name] = value * (page.scale ?? 1);
    }
    this.#rows.push({ atMs: moment.atMs, values });
  }

  /** @param startedMs monotonic time of the first request */
  finish(startedMs: number): Pick<LoadSeconds, 'readAtSeconds' | 'readings'> {
    const names = [...new Set(this.#rows.flatMap(({ values }) => Object.keys(values)))] as ReadingName[];
    return {
      readAtSeconds: this.#rows.map(({ atMs }) => Math.round(atMs - startedMs) / 1000),
      readings: Object.fromEntries(
        names.map((name) => [name, this.#rows.map(({ values }) => rounded(values[name]))]),
      ),
    };
  }
}

function pageValue(
  { from, series, kind, per = [], less = [] }: PageReading,
  scrape: Scrape,
  former: Scrape | undefined,
  seconds: number,
): number | undefined {
  const now = sumOf(scrape[from], series);
  if (now === undefined) return undefined;
  if (kind === 'gauge') return now - (sumOf(scrape[from], less) ?? 0);
  if (former === undefined) return undefined;
  const growth = grown(sumOf(former[from], series), now);
  const over = kind === 'rate' ? seconds : grown(sumOf(former[from], per), sumOf(scrape[from], per));
  return growth === undefined || over === undefined || over <= 0 ? undefined : growth / over;
}

/** Undefined if the counter fell, because a restart reset it. */
function grown(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined || to < from ? undefined : to - from;
}

/** Four digits are more than a reading is worth. */
function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Number(value.toPrecision(4));
}
