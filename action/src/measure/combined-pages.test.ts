import { describe, expect, it } from 'vitest';
import { combinedPages } from './combined-pages.ts';
import type { MetricSeries } from './ports.ts';

const series = (name: string, value: number, labels: MetricSeries['labels'] = {}): MetricSeries => ({
  name,
  labels,
  value,
});

describe('the pages of several instances', () => {
  it.each([
    ['http_server_requests_seconds_count', 30],
    ['hikaricp_connections_pending', 30],
    ['hikaricp_connections_max', 30],
    ['tomcat_threads_config_max_threads', 30],
    ['jvm_memory_max_bytes', 30],
    ['process_cpu_usage', 30],
    ['system_cpu_usage', 20],
    ['http_server_requests_seconds_max', 20],
    ['tomcat_global_request_max_seconds', 20],
    ['kafka_consumer_fetch_manager_records_lag_max', 20],
    ['jvm_memory_usage_after_gc_percent', 20],
    ['nodejs_eventloop_lag_seconds', 20],
    ['nodejs_eventloop_lag_p99_seconds', 20],
    ['process_uptime_seconds', 20],
    ['jvm_info', 20],
  ])('have %s of %i together', (name, together) => {
    expect(combinedPages([[series(name, 10)], [series(name, 20)]])).toEqual([series(name, together)]);
  });

  it('keep series with other labels apart, in whatever order the labels come', () => {
    const one = [series('requests', 1, { path: '/a', status: '200' }), series('requests', 2, { path: '/b' })];
    const two = [series('requests', 4, { status: '200', path: '/a' }), series('only', 8)];
    expect(combinedPages([one, two]).map(({ value }) => value)).toEqual([5, 2, 8]);
    const quantile = [series('latency', 3, { quantile: '0.95' })];
    expect(combinedPages([quantile, quantile])).toEqual(quantile);
  });

  it('count as none if one of them could not be read', () => {
    expect(combinedPages([[series('requests', 1)], []])).toEqual([]);
  });

  it.each([
    { sizes: [0], known: [] },
    { sizes: [60], known: [60] },
    { sizes: [60, 0], known: [] },
    { sizes: [60, 5], known: [65] },
  ])(
    'know the heap that survives collection once all have collected: of $sizes, $known',
    ({ sizes, known }) => {
      const live = (value: number) => series('jvm_gc_live_data_size_bytes', value);
      const pages = sizes.map((size) => [live(size), series('requests', 0)]);
      expect(combinedPages(pages)).toEqual([...known.map(live), series('requests', 0)]);
    },
  );

  it('are left as they are if there is only one', () => {
    const page = [series('requests', 1), series('requests', 2)];
    expect(combinedPages([page])).toBe(page);
    expect(combinedPages([])).toEqual([]);
  });
});
