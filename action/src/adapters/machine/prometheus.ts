import type { MetricSeries, MetricsReader } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';

/** A longer scrape disturbs the load more than its figures are worth. */
const timeoutMs = 5_000;

/** Parses the Prometheus text exposition format, version 0.0.4. It skips comments and timestamps. */
export function parsePrometheusText(text: string): MetricSeries[] {
  const series: MetricSeries[] = [];
  for (const line of text.split('\n')) {
    const match = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line);
    if (match === null) continue;
    const [, name = '', inner = '', number = ''] = match;
    const value = Number(number.replace(/^([+-]?)Inf$/, '$1Infinity'));
    if (!Number.isFinite(value)) continue;
    series.push({ name, labels: parseLabels(inner), value });
  }
  return series;
}

function parseLabels(inner: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, key = '', value = ''] of inner.matchAll(/([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"/g)) {
    labels[key] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return labels;
}

export function createPrometheusReader(): MetricsReader {
  return {
    async scrape(url, signal) {
      try {
        const response = await fetch(url, {
          headers: { connection: 'close' },
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`answered ${response.status}`);
        return parsePrometheusText(text);
      } catch (error) {
        signal.throwIfAborted();
        throw new Fault(
          {
            code: 'E_METRICS',
            kind: 'measurement',
            place: url,
            cause: `the metrics could not be read: ${error instanceof Error ? error.message : String(error)}`,
            nextStep:
              'open the address while the service runs, and correct `metrics` in gate.yml or leave it out',
          },
          { cause: error },
        );
      }
    },
  };
}
