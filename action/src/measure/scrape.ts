import { Fault } from '../model/fault.ts';
import { pageReadings } from '../model/reading.ts';
import { receivedSeries } from '../model/signal-config.ts';
import { combinedPages } from './combined-pages.ts';
import type { BootedService, MetricSeries, MetricsReader } from './ports.ts';
import { type Scrape, sumOf } from './signals.ts';

type ScrapedService = Pick<BootedService, 'metricsUrls' | 'backingMetricsUrls' | 'readBackingCpuSeconds'>;

type ReadPage = (url: string) => Promise<readonly MetricSeries[]>;

export async function scrape(booted: ScrapedService, read: ReadPage): Promise<Scrape> {
  const { backingMetricsUrls = [], readBackingCpuSeconds } = booted;
  const [service, ...pages] = await Promise.all([
    scrapeService(booted, read),
    ...backingMetricsUrls.map(read),
  ]);
  return {
    service,
    generator: [],
    backing: [...pages.flat(), ...cpuSeries(readBackingCpuSeconds?.() ?? {})],
  };
}

/** The metrics of the service, those of all its instances together. */
export async function scrapeService(
  { metricsUrls = [] }: Pick<BootedService, 'metricsUrls'>,
  read: ReadPage,
): Promise<readonly MetricSeries[]> {
  return combinedPages(await Promise.all(metricsUrls.map(read)));
}

/**
 * Like `scrape`, but returns nothing from a source that does not answer. The load is meant to reveal a service that
 * hangs, and its metrics hang with it.
 */
export function scrapeUnderLoad(
  metrics: MetricsReader,
  service: ScrapedService,
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

/** Series of exporters that count the rows of each table, and the label with its name. */
const tableSeries: Readonly<Record<string, string>> = {
  mysql_info_schema_table_rows: 'table',
  pg_stat_user_tables_n_live_tup: 'relname',
};

/** What can be seen of a service and its database while no load runs; a part that no page has is absent. */
export interface AtRest {
  /** Rows of each table, by name. */
  readonly rows?: Readonly<Record<string, number>>;
  /** Connections of the pool that somebody holds. */
  readonly connectionsInUse?: number;
}

export async function readAtRest(
  metrics: MetricsReader,
  { metricsUrls = [], backingMetricsUrls = [] }: BootedService,
  signal: AbortSignal,
): Promise<AtRest> {
  const tables = backingMetricsUrls.map((page) => {
    const url = new URL(page);
    // mysqld_exporter, and what answers as it does, then reads the tables alone.
    url.searchParams.append('collect[]', 'info_schema.tables');
    return url.href;
  });
  const { service, backing } = await scrapeUnderLoad(
    metrics,
    { metricsUrls, backingMetricsUrls: tables },
    signal,
  );
  const rows = backing.flatMap(({ name, labels, value }) => {
    const table = labels[tableSeries[name] ?? ''];
    return table === undefined ? [] : [[table, value] as const];
  });
  const connectionsInUse = sumOf(service, pageReadings.poolActive.series);
  return {
    ...(rows.length > 0 && { rows: Object.fromEntries(rows) }),
    ...(connectionsInUse !== undefined && { connectionsInUse }),
  };
}

/** The bytes that the generator received, as if it had a metrics page. */
export function received(bytes: number): readonly MetricSeries[] {
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
