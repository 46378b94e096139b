import { Fault } from '../model/fault.ts';
import { receivedSeries } from '../model/signal-config.ts';
import { combinedPages } from './combined-pages.ts';
import type { BootedService, MetricSeries, MetricsReader } from './ports.ts';
import type { Scrape } from './signals.ts';

type ReadPage = (url: string) => Promise<readonly MetricSeries[]>;

export async function scrape(booted: BootedService, read: ReadPage): Promise<Scrape> {
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
  { metricsUrls = [] }: BootedService,
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
