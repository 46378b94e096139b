import type { SignalConfig } from '../model/config.ts';
import { isReceivedBytes, scriptMetrics, type shownStatistics } from '../model/signal-config.ts';
import type { MetricValues } from './metric-values.ts';
import type { MetricSeries } from './ports.ts';

/** A scrape of each source, taken at one moment. */
export type Scrape = Readonly<Record<SignalConfig['from'], readonly MetricSeries[]>>;

/** Scrapes before, during and after one block. */
export interface BlockScrapes {
  readonly before: Scrape;
  readonly after: Scrape;
  /** Taken about once a second within the counted interval. */
  readonly during: readonly Scrape[];
  /** Requests between `before` and `after`, counted or not. */
  readonly requests: number;
  readonly seconds: number;
  /** What the counted interval has. */
  readonly counted: {
    readonly requests: number;
    readonly seconds: number;
    /** Values of the script's metrics, by name. */
    readonly metrics: ReadonlyMap<string, MetricValues>;
  };
}

const quantiles = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

/** The value of each signal over a block, without signals whose series are missing. */
export function readSignals(
  signals: Readonly<Record<string, SignalConfig>>,
  scrapes: BlockScrapes,
): Record<string, number> {
  const values: Record<string, number> = {};
  for (const [name, signal] of Object.entries(signals)) {
    const value =
      signal.from === 'generator' && !isReceivedBytes(signal)
        ? readMetric(signal, scrapes.counted)
        : readSignal(signal, scrapes);
    if (value !== undefined && Number.isFinite(value)) values[name] = value * signal.scale;
  }
  return values;
}

/** Statistics of the script's metrics that no signal reads. */
export function readOtherMetrics(
  signals: Readonly<Record<string, SignalConfig>>,
  { requests, metrics }: Pick<BlockScrapes['counted'], 'requests' | 'metrics'>,
): Record<string, number> {
  const known = new Set(scriptMetrics(signals));
  const read = [...metrics].flatMap(([metric, values]) => {
    if (known.has(metric) || requests === 0) return [];
    const shown: Record<(typeof shownStatistics)[number], number> = {
      'per request': values.sum / requests,
      mean: values.sum / values.count,
      p95: values.quantile(quantiles.p95),
    };
    return Object.entries(shown).map(([statistic, value]) => [`${metric} ${statistic}`, value] as const);
  });
  return Object.fromEntries(read.filter(([, value]) => Number.isFinite(value)));
}

/** A metric without any value counts 0: k6 says nothing of a Counter that was not raised. */
function readMetric(
  { series, per }: SignalConfig,
  { requests, seconds, metrics }: BlockScrapes['counted'],
): number | undefined {
  const sum = () => series.reduce((total, name) => total + (metrics.get(name)?.sum ?? 0), 0);
  const [name = ''] = series;
  const values = metrics.get(name);
  switch (per) {
    case 'request':
      return sum() / requests;
    case 'second':
      return sum() / seconds;
    case 'max':
      return values?.max;
    case 'mean':
      return values && values.sum / values.count;
    default:
      return values?.quantile(quantiles[per]);
  }
}

function readSignal(signal: SignalConfig, scrapes: BlockScrapes): number | undefined {
  const at = (scrape: Scrape) => sumOf(scrape[signal.from], signal.series);
  switch (signal.per) {
    case 'request':
    case 'second': {
      const before = at(scrapes.before) ?? noneYet(scrapes.before, signal);
      const after = at(scrapes.after) ?? noneYet(scrapes.after, signal);
      const over = signal.per === 'request' ? scrapes.requests : scrapes.seconds;
      // A counter that fell was reset by a restart, so its growth is unknown.
      if (before === undefined || after === undefined || after < before || over <= 0) return undefined;
      return (after - before) / over;
    }
    default:
      return readGauge(signal, scrapes.during);
  }
}

/** The schema refuses a quantile of a gauge, which is read too seldom for one. */
function readGauge({ from, series, per }: SignalConfig, during: readonly Scrape[]): number | undefined {
  const values = during.map((scrape) => sumOf(scrape[from], series)).filter((value) => value !== undefined);
  if (values.length === 0) return undefined;
  return per === 'max' ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value of each signal that is sampled within a block, so that the scrapes need not be kept. */
export function readSampled(
  signals: Readonly<Record<string, SignalConfig>>,
  during: readonly Scrape[],
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(signals).flatMap(([name, signal]) => {
      const isSampled = signal.from !== 'generator' && (signal.per === 'max' || signal.per === 'mean');
      const value = isSampled ? readGauge(signal, during) : undefined;
      return value === undefined || !Number.isFinite(value) ? [] : [[name, value * signal.scale]];
    }),
  );
}

/**
 * 0 for a count that decides, if its metric exists with other labels only. A counter with labels appears with its first
 * event, so before the first conflict there is no series of status 409. Undefined otherwise.
 */
function noneYet(scrape: Scrape, { from, series, gate }: SignalConfig): 0 | undefined {
  const names = new Set(series.map((selector) => parseSelector(selector).name));
  return gate === 'fail' && scrape[from].some(({ name }) => names.has(name)) ? 0 : undefined;
}

/** Sum of all series that match a selector; undefined if none matches. */
export function sumOf(series: readonly MetricSeries[], selectors: readonly string[]): number | undefined {
  const wanted = selectors.map(parseSelector);
  const found = series.filter((one) =>
    wanted.some(
      ({ name, labels }) => one.name === name && labels.every(([key, value]) => one.labels[key] === value),
    ),
  );
  return found.length === 0 ? undefined : found.reduce((sum, one) => sum + one.value, 0);
}

/** Parses `name{label="value",other="value"}` as in Prometheus, with equality only. */
function parseSelector(selector: string): { name: string; labels: readonly (readonly [string, string])[] } {
  const [, name = selector, inner = ''] = /^([^{]+)\{(.*)\}$/.exec(selector) ?? [];
  const labels = [...inner.matchAll(/([A-Za-z_][A-Za-z0-9_]*)="([^"]*)"/g)].map(
    ([, key = '', value = '']) => [key, value] as const,
  );
  return { name: name.trim(), labels };
}
