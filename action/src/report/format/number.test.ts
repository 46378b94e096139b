import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as number from './number.ts';

const cases: readonly (readonly [string, string])[] = [
  [number.formatMs(0), '0 ms'],
  [number.formatMs(0.004), '<0.01 ms'],
  [number.formatMs(0.84), '0.84 ms'],
  [number.formatMs(9.996), '10.0 ms'],
  [number.formatMs(12.34), '12.3 ms'],
  [number.formatMs(99.96), '100 ms'],
  [number.formatMs(1234), '1,234 ms'],
  [number.formatMsChange(312.4), '+312 ms'],
  [number.formatMsChange(-0.001), '0.00 ms'],
  [number.formatTps(1020.4), '1,020'],
  [number.formatTps(42.13), '42.1'],
  [number.formatCount(1_000_000), '1,000,000'],
  [number.formatChange(0.123), '+12.3%'],
  [number.formatChange(0.48), '+48%'],
  [number.formatChange(-0.0098), '-1.0%'],
  [number.formatChange(0.1), '+10%'],
  [number.formatChange(-0.0001), '0.0%'],
  [number.formatChange(646.1), '+64,610%'],
  [number.formatInterval(-0.21, -0.163), '[-21, -16]'],
  [number.formatInterval(-0.021, 0.011), '[-2.1, +1.1]'],
  [number.formatInterval(-0.0001, 0.0005), '[-0.01, +0.05]'],
  [number.withInterval({ value: 430, low: 413, high: 447 }, number.formatTps), '430 [413, 447]'],
  [number.withInterval({ value: 430, low: 0, high: Number.POSITIVE_INFINITY }, number.formatTps), '430 [?]'],
  [number.formatShare(0), '0%'],
  [number.formatShare(0.71), '71%'],
  [number.formatShare(0.004), '0.4%'],
  [number.formatShare(0.0002), '0.02%'],
  [number.formatShare(0.000_001), '<0.01%'],
  [number.formatShare(1), '100%'],
  [number.formatPoints(0.004), '+0.4 pp'],
  [number.formatPoints(-0.0212), '-2.1 pp'],
  [number.formatPoints(0), '0 pp'],
  [number.formatBytes(512), '512 B'],
  [number.formatBytes(1023.9), '1 KiB'],
  [number.formatBytes(1536), '1.5 KiB'],
  [number.formatBytes(24_536_678), '23.4 MiB'],
  [number.formatSeconds(4.23), '4.2 s'],
  [number.formatSeconds(59.7), '1 min'],
  [number.formatSeconds(312), '5 min 12 s'],
  [number.formatSeconds(3599.6), '1 h'],
  [number.formatSeconds(3900), '1 h 5 min'],
  [number.formatAmount(20_031, ''), '20,031'],
  [number.formatAmount(31, ''), '31'],
  [number.formatAmount(0.0042, ''), '0.0042'],
  [number.formatAmount(1.25, 'ms'), '1.25 ms'],
  [number.formatAmount(0.42, 'cores'), '0.42 cores'],
];

describe('numbers as text', () => {
  it.each(cases)('%s', (shown, wanted) => {
    expect(shown).toBe(wanted);
  });

  it('shows a missing figure as n/a', () => {
    for (const format of [number.formatMs, number.formatTps, number.formatChange, number.formatShare]) {
      expect(format(Number.NaN)).toBe('n/a');
      expect(format(Number.POSITIVE_INFINITY)).toBe('n/a');
    }
  });

  it('is within half a percent of the value, and never -0', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e9, noNaN: true }), (value) => {
        const shown = Number(number.formatMsFigure(value).replaceAll(',', ''));
        expect(Math.abs(shown - value) / value).toBeLessThanOrEqual(0.0051);
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), (value) => {
        expect(number.formatChange(value)).not.toMatch(/^[-+]0(\.0+)?%/);
      }),
    );
  });
});
