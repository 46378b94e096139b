import { describe, expect, it } from 'vitest';
import type { SignalConfig } from '../model/config.ts';
import { MetricValues } from './metric-values.ts';
import type { MetricSeries } from './ports.ts';
import { readSignals, type Scrape, sumOf } from './signals.ts';

const series = (name: string, value: number, labels: Record<string, string> = {}): MetricSeries => ({
  name,
  labels,
  value,
});
const scrape = (...ofService: MetricSeries[]): Scrape => ({ service: ofService, generator: [], backing: [] });
const signal = (
  per: SignalConfig['per'],
  selector: string,
  scale = 1,
  gate: SignalConfig['gate'] = 'report',
): SignalConfig => ({
  title: 'x',
  from: 'service',
  series: [selector],
  per,
  scale,
  unit: '',
  gate,
  tolerance: 0.1,
  floor: 0,
  hint: '',
});

describe('readSignals', () => {
  const scrapes = {
    before: scrape(series('statements', 100), series('gc', 5)),
    after: scrape(series('statements', 700), series('gc', 2)),
    during: [scrape(series('pending', 1)), scrape(series('pending', 5)), scrape()],
    requests: 300,
    seconds: 20,
    counted: { requests: 100, seconds: 10, metrics: new Map() },
  };

  it('divides growth by requests or seconds and scales it', () => {
    expect(
      readSignals({ a: signal('request', 'statements'), b: signal('second', 'statements', 10) }, scrapes),
    ).toEqual({ a: 2, b: 300 });
  });

  it('takes the largest and the mean of a gauge', () => {
    expect(readSignals({ a: signal('max', 'pending'), b: signal('mean', 'pending') }, scrapes)).toEqual({
      a: 5,
      b: 3,
    });
  });

  it('leaves out what is not there and a counter that was reset', () => {
    expect(readSignals({ a: signal('request', 'nothing'), b: signal('request', 'gc') }, scrapes)).toEqual({});
  });

  it('leaves out a counter that began again, even if it decides the verdict', () => {
    expect(readSignals({ a: signal('request', 'gc', 1, 'fail') }, scrapes)).toEqual({});
  });

  describe('a count that decides, whose metric has other labels only', () => {
    const answers = (value: number, status: string) => series('answers', value, { status });
    const first = {
      ...scrapes,
      before: scrape(answers(100, '200')),
      after: scrape(answers(390, '200'), answers(30, '409')),
    };
    const conflicts = (gate: SignalConfig['gate']) => ({
      a: signal('request', 'answers{status="409"}', 1, gate),
    });

    it('is 0 until its first event', () => {
      expect(readSignals(conflicts('fail'), first)).toEqual({ a: 0.1 });
      expect(readSignals(conflicts('fail'), { ...first, after: first.before })).toEqual({ a: 0 });
    });

    it('is unknown if the metric is missing, or if the signal only explains', () => {
      expect(readSignals(conflicts('fail'), { ...first, after: scrape() })).toEqual({});
      expect(readSignals(conflicts('report'), first)).toEqual({});
    });
  });

  it('divides by no request at all into nothing, not into infinity', () => {
    expect(readSignals({ a: signal('request', 'statements') }, { ...scrapes, requests: 0 })).toEqual({});
  });
});

describe('sumOf', () => {
  const all = [
    series('rows', 1, { operation: 'read', db: 'a' }),
    series('rows', 2, { operation: 'read', db: 'b' }),
    series('rows', 4, { operation: 'inserted', db: 'a' }),
  ];

  it('adds the series that carry all the labels', () => {
    expect(sumOf(all, ['rows{operation="read"}'])).toBe(3);
    expect(sumOf(all, ['rows{operation="read",db="b"}'])).toBe(2);
    expect(sumOf(all, ['rows'])).toBe(7);
    expect(sumOf(all, ['rows{operation="read"}', 'rows{operation="inserted"}'])).toBe(7);
  });

  it('distinguishes absence from zero', () => {
    expect(sumOf(all, ['rows{operation="deleted"}'])).toBeUndefined();
  });
});

describe('metrics of the script', () => {
  const values = new MetricValues();
  for (const value of [4, -2, 10, 8]) values.add(value);
  const scrapes = {
    before: scrape(),
    after: scrape(),
    during: [],
    requests: 999,
    seconds: 999,
    counted: { requests: 10, seconds: 5, metrics: new Map([['queue', values]]) },
  };
  const read = (per: SignalConfig['per'], name = 'queue') =>
    readSignals({ it: { ...signal(per, name), from: 'generator' } }, scrapes).it;

  it.each([
    ['request', 2],
    ['second', 4],
    ['mean', 5],
    ['max', 10],
    ['p50', 6],
    ['p99', 9.94],
  ] as const)('per %s: %d', (per, expected) => {
    expect(read(per)).toBeCloseTo(expected, 9);
  });

  it('count 0 if there is no value, and have no distribution then', () => {
    expect(read('request', 'none')).toBe(0);
    expect(read('p95', 'none')).toBeUndefined();
  });

  it('keep their quantiles when there are too many to keep', () => {
    const many = new MetricValues();
    for (let value = 0; value < 1_000_000; value++) many.add(value);
    expect(many.count).toBe(1_000_000);
    expect(many.quantile(0.95) / 950_000).toBeCloseTo(1, 3);
  });
});
