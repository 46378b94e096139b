import { describe, expect, it } from 'vitest';
import type { Series } from '../trial.ts';
import { bencher, boundaries } from './bencher.ts';
import {
  changedThreshold,
  clickHouse,
  compareMedians,
  medianExact,
  medianRanks,
  relabeledThreshold,
} from './clickhouse.ts';
import { kayenta, shiftBetween, shiftScore } from './kayenta.ts';
import { peerScore, peersLearnedFrom } from './peers.ts';
import { baseThenHead, codSpeed, githubActionBenchmark, k6Thresholds } from './ratios.ts';

/*
 * Each rule against examples that its own project publishes: its tests, its documentation or a report of it. The doc comment of
 * each rule has the link.
 */

function seriesOf(history: readonly number[], head: number, worse: Series['worse'] = 'higher'): Series {
  return { name: 'one', worse, history, head, beside: { base: [], head: [] } };
}

const beside = (
  base: readonly number[],
  head: readonly number[],
  worse: Series['worse'] = 'higher',
): Series => ({
  name: 'one',
  worse,
  history: [],
  head: 0,
  beside: { base, head },
});

describe('github-action-benchmark', () => {
  // test/write.spec.ts: "raises an alert when exceeding threshold 2.0" and "with tool whose result value is bigger-is-better".
  it.each([
    [seriesOf([100], 210), 2.1],
    [seriesOf([10_000], 25_000), 2.5],
    [seriesOf([100], 20, 'lower'), 5],
  ])('reports the ratio of its tests', (series, ratio) => {
    const score = githubActionBenchmark(2).score(series) ?? 0;
    expect(score).toBeCloseTo(ratio - 1, 10);
    expect(score).toBeGreaterThan(1);
  });

  it('compares with the run before only, and raises no alert at the threshold itself', () => {
    expect(githubActionBenchmark(1.5).score(seriesOf([1, 100], 150))).toBe(1);
    expect(githubActionBenchmark(1.5).score(seriesOf([1, 100], 151))).toBeGreaterThan(1);
    expect(githubActionBenchmark(2).score(seriesOf([0], 0))).toBeLessThan(1);
    expect(githubActionBenchmark(2).score(seriesOf([], 5))).toBeUndefined();
  });
});

describe('base, then head', () => {
  it("is pytest-benchmark's percentage of its stored runs 1 and 30", () => {
    // tests/test_storage.py: "23.331641765 > 5.000000000".
    const score = baseThenHead(5).score(seriesOf([2.140441942118885e-7], 2.639842188231226e-7));
    expect(5 * (score ?? 0)).toBeCloseTo(23.331641765, 8);
  });

  it('takes a loss of throughput for the time it adds per request', () => {
    expect(baseThenHead(25).score(seriesOf([100], 80, 'lower'))).toBeCloseTo(1, 10);
  });
});

describe('k6 thresholds', () => {
  // metrics/thresholds_test.go, TestThreshold_runNoTaint: `<` fails at and above its value.
  it('fail at the limit and beyond', () => {
    const rule = k6Thresholds(2);
    expect(rule.score(seriesOf([0.005, 1], 0.00001))).toBeLessThan(1);
    expect(rule.score(seriesOf([0.005], 0.01))).toBeGreaterThan(1);
    expect(rule.score(seriesOf([0.005], 1))).toBeGreaterThan(1);
    expect(rule.score(seriesOf([100], 51, 'lower'))).toBeLessThan(1);
    expect(rule.score(seriesOf([100], 50, 'lower'))).toBeGreaterThan(1);
  });
});

describe("CodSpeed's threshold", () => {
  // A published report, python-grimp/grimp#256: two regressions and an improvement by 29 times, at the default threshold.
  const scoreOf = (base: number, head: number) => codSpeed(10).score(seriesOf([base], head)) ?? 0;

  it('fails and passes what its report does', () => {
    expect(scoreOf(27.4, 88.9)).toBeGreaterThan(1);
    expect(scoreOf(4436.2, 151.3)).toBe(0);
  });

  it('puts 15.3 to 17, which its report fails at -10%, at the limit as far as such rounded figures tell', () => {
    expect(scoreOf(15.25, 17.05)).toBeGreaterThan(1);
    expect(scoreOf(15.35, 16.95)).toBeLessThan(1);
  });

  it('takes the change relative to head', () => {
    expect(scoreOf(100, 110)).toBeLessThan(1);
    expect(scoreOf(100, 112)).toBeGreaterThan(1);
  });

  it('shows the change of its report', () => {
    expect(scoreOf(27.4, 88.9) / 10).toBeCloseTo(0.6913, 2);
  });
});

describe('Bencher', () => {
  const five = [1, 2, 3, 4, 5];
  // lib/bencher_boundary/src/limits/mod.rs, quartiles.rs and ln.rs.
  it('percentage_upper: 0.1 of a mean of 1', () => {
    expect(boundaries.percentage([1], 0.1)).toEqual({ baseline: 1, distance: 0.1 });
  });

  it('z at 0.85', () => {
    // Mean 0 and deviation 1.
    const values = [-Math.SQRT1_2, Math.SQRT1_2];
    expect(boundaries.zScore(values, 0.85)?.distance).toBeCloseTo(1.0364333894937896, 5);
  });

  it('t at 0.85 of six values', () => {
    const spread = Math.sqrt(5 / 2);
    const boundary = boundaries.tTest([-spread, spread, 0, 0, 0, 0], 0.85);
    expect(boundary?.distance).toBeCloseTo(1.2483714094976244, 9);
  });

  it('t at 0.977 of 25 values, as its documentation has it', () => {
    const off = 10 * Math.sqrt(24 / 2);
    const values = [100 - off, 100 + off, ...Array.from({ length: 23 }, () => 100)];
    const { baseline = 0, distance = 0 } = boundaries.tTest(values, 0.977) ?? {};
    expect(baseline + distance).toBeCloseTo(121.46090347152598, 8);
    expect(baseline - distance).toBeCloseTo(78.53909652847402, 8);
  });

  it('log normal at 0.85', () => {
    const values = Array.from({ length: 30 }, (_, index) => five[index % 5] ?? 0);
    const { baseline = 0, distance = 0 } = boundaries.logNormal(values, 0.85) ?? {};
    expect(baseline).toBeCloseTo(2.6051710846973517, 12);
    expect(baseline + distance).toBeCloseTo(4.743123524143551, 4);
    expect(baseline - distance).toBeCloseTo(0.467218645251152, 4);
  });

  it.each([
    [[1, 2], 1.5, 0.5],
    [five, 3, 2],
    [[-6, -6, 1, 1, 9, 9], 1, 11.25],
  ])('interquartile range of %j', (values, median, range) => {
    expect(boundaries.interquartile(values, 1)).toEqual({ baseline: median, distance: range });
  });

  it.each([
    [[1, 2, 3], 2, 0.25],
    [five, 3, 0.3125],
    [five.toReversed(), 3, 0.1375],
  ])('interquartile range of the steps of %j', (values, median, range) => {
    const boundary = boundaries.deltaInterquartile(values, 1);
    expect(boundary?.baseline).toBe(median);
    expect(boundary?.distance).toBeCloseTo(median * range, 12);
  });

  it('says nothing without two different values, where it needs a deviation', () => {
    const says = (history: readonly number[]) =>
      bencher.map(({ score }) => score(seriesOf(history, 3)) !== undefined);
    expect(says([])).toEqual(bencher.map(() => false));
    expect(says([2, 2])).toEqual([true, true, false, false, false, true, true]);
    expect(says([2, 2.1])).toEqual(bencher.map(() => true));
  });
});

describe("ClickHouse's permutation test", () => {
  it('has only 16 differences of medians with seven runs each, as its comments say', () => {
    const ranks = medianRanks(7);
    expect(ranks.length).toBe(16);
    // All choices of 7 of 14 that hold the first run.
    expect(ranks.reduce((sum, { relabelings }) => sum + relabelings, 0)).toBe(1716);
    expect(Math.min(...ranks.flatMap(({ lower, upper }) => [lower, upper]))).toBe(3);
    expect(Math.max(...ranks.flatMap(({ lower, upper }) => [lower, upper]))).toBe(10);
  });

  it('reaches the greatest difference where seven runs are apart from seven, so that equality counts', () => {
    const [left, right] = [
      [1, 2, 3, 4, 5, 6, 7],
      [11, 12, 13, 14, 15, 16, 17],
    ];
    expect(relabeledThreshold(left, right)).toBeLessThanOrEqual(medianExact(right) - medianExact(left));
    expect(compareMedians(left, right).difference).toBe(2.5);
    expect(clickHouse().score(beside(left, right))).toBeGreaterThan(1);
    expect(clickHouse().score(beside(right, left))).toBe(0);
    expect(clickHouse().score(beside(right, left, 'lower'))).toBeGreaterThan(1);
  });

  it('fails nothing that relabeling explains, and nothing within a tenth', () => {
    const noisy = [10, 30, 10, 30, 10, 30, 30];
    expect(clickHouse().score(beside(noisy, [10, 30, 10, 30, 30, 30, 10]))).toBe(0);
    // Relabeling explains it, whatever the limit.
    expect(clickHouse().score(beside([100, 90, 110, 95], [105, 94, 116, 99]))).toBe(0);
    expect(clickHouse().score(beside([100, 100, 100, 101], [108, 108, 109, 109]))).toBeLessThanOrEqual(1);
    expect(clickHouse().score(beside([1], [2]))).toBeUndefined();
    expect(clickHouse().score(beside([0, 0, 10, 10, 0], [10, 10], 'lower'))).toBe(0);
  });

  it('takes the upper of two medians, as quantileExact does', () => {
    expect(medianExact([4, 1, 3, 2])).toBe(3);
  });

  it('learns its floor from unchanged code, times 1.5 and never below a tenth', () => {
    expect(changedThreshold()).toBe(0.1);
    expect(changedThreshold(0.123)).toBe(0.13);
    const unchanged = [beside([100, 100, 100, 100], [120, 120, 120, 120])];
    const change = beside([100, 101, 102, 103], [125, 126, 127, 128]);
    expect(clickHouse().score(change)).toBeGreaterThan(1);
    expect(clickHouse(unchanged).score(change)).toBeLessThan(1);
    // Of a cell without blocks, nothing can be learned.
    expect(clickHouse([...unchanged, beside([], [])]).score(change)).toBe(
      clickHouse(unchanged).score(change),
    );
    expect(clickHouse([beside([], [])]).score(change)).toBe(clickHouse().score(change));
    // Each query has a floor of its own.
    expect(clickHouse(unchanged).score({ ...change, name: 'another' })).toBeGreaterThan(1);
  });
});

describe("Kayenta's Mann-Whitney classifier", () => {
  const settings = { tolerance: 0.1, confidence: 0.95 };
  const high = [20, 22, 21, 25, 30];
  const low = [1, 2.2, 1.1, 2.5, 3];

  // kayenta-judge's ClassifierSuite.scala: mean ratio "High" and "Pass", and "Critical Low".
  it('classifies as its tests do', () => {
    const ratios = [0.8, 1.2] as const;
    expect(shiftScore(high, low, 'higher', { ...settings, ratios })).toBeGreaterThan(1);
    const pass = [10, 12.2, 10.1, 12.5, 23];
    const passing = { ...settings, ratios: [0.5, 1] as const };
    expect(shiftScore(pass, high, 'lower', passing)).toBeLessThanOrEqual(1);
    expect(shiftScore(pass, high, 'higher', passing)).toBeLessThanOrEqual(1);
    const critical = { ...settings, ratios: [1, 1] as const };
    expect(shiftScore([2, 2, 2, 2, 3], [10, 20.2, 10.1, 20.5, 30], 'lower', critical)).toBeGreaterThan(1);
  });

  it('estimates a shift by the median of all differences, with an interval around it', () => {
    const { estimate, low: least, high: most } = shiftBetween(high, low, 0.95);
    const differences = high.flatMap((a) => low.map((b) => a - b)).toSorted((a, b) => a - b);
    expect(estimate).toBeGreaterThanOrEqual(differences[11] ?? 0);
    expect(estimate).toBeLessThanOrEqual(differences[13] ?? 0);
    expect(least).toBeLessThan(estimate);
    expect(most).toBeGreaterThan(estimate);
    expect(least).toBeGreaterThanOrEqual(differences[0] ?? 0);
  });

  it('finds nothing in equal values, and ends its interval at the least difference of few blocks', () => {
    expect(shiftScore([5, 5, 5], [5, 5, 5], 'higher')).toBe(0);
    expect(shiftBetween([11, 12, 13, 14], [1, 2, 3, 4], 0.98)).toMatchObject({ low: 7, high: 13 });
    expect(kayenta.score(beside([1, 2, 3, 4], [11, 12, 13, 14]))).toBeCloseTo(7 / (0.25 * 10), 10);
    expect(kayenta.score(beside([1, 2, 3, 4], [3.5, 4.5, 5.5, 2.5]))).toBeLessThanOrEqual(1);
    expect(kayenta.score(beside([], [1]))).toBeUndefined();
  });
});

describe('all peers', () => {
  it('have names of their own and a source', () => {
    const peers = peersLearnedFrom([]);
    expect(new Set(peers.map(({ name }) => name)).size).toBe(peers.length);
    for (const { source } of peers) expect(source).toMatch(/^https:\/\//);
  });

  it('fail a check if any figure of any cell fails', () => {
    const worst = peerScore(githubActionBenchmark(2), [seriesOf([1], 1), seriesOf([1], 3), seriesOf([], 1)]);
    expect(worst).toBe(2);
    expect(peerScore(githubActionBenchmark(2), [seriesOf([], 1)])).toBeUndefined();
  });

  it('do not fail what got better by a half, nor what is the same', () => {
    const base = [100, 101, 99, 100.5, 99.5, 100.2, 99.8];
    for (const { score } of peersLearnedFrom([])) {
      const better = { ...seriesOf(base, 50), beside: { base, head: base.map((value) => value / 2) } };
      expect(score(better)).toBeLessThanOrEqual(0);
      expect(score({ ...seriesOf(base, 100), beside: { base, head: base } })).toBeLessThanOrEqual(1);
    }
  });
});
