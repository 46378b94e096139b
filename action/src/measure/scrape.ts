import { Fault } from '../model/fault.ts';
import { receivedSeries } from '../model/signal-config.ts';
import type { BootedService, MetricSeries, MetricsReader } from './ports.ts';
import type { Scrape } from './signals.ts';

export async function scrape(
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
