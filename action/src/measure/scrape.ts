import { Fault } from '../model/fault.ts';
import { pageReadings } from '../model/reading.ts';
import { receivedSeries } from '../model/signal-config.ts';
import type { BootedService, MetricSeries, MetricsReader } from './ports.ts';
import { type Scrape, sumOf } from './signals.ts';

type ScrapedService = Pick<BootedService, 'metricsUrl' | 'backingMetricsUrls' | 'readBackingCpuSeconds'>;

export async function scrape(
  { metricsUrl, backingMetricsUrls = [], readBackingCpuSeconds }: ScrapedService,
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
  { metricsUrl, backingMetricsUrls = [] }: BootedService,
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
    { ...(metricsUrl !== undefined && { metricsUrl }), backingMetricsUrls: tables },
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
