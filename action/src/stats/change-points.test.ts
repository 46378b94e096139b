import { readFileSync } from 'node:fs';
import { array, assert, double, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changePointDefaults, changePoints } from './change-points.ts';

interface Answers {
  readonly otava: string;
  readonly series: Readonly<Record<string, readonly number[]>>;
  readonly answers: readonly {
    readonly series: string;
    readonly window: number;
    readonly mostP: number;
    readonly leastChange: number;
    /** Positions that Otava answers. */
    readonly published: readonly number[];
    /** What its parts answer if every test is repeated after a point is dropped. */
    readonly points: readonly { index: number; before: number; after: number; p: number }[];
  }[];
}

/**
 * Series of Otava's own tests and simulated ones, with what Otava answers. When Otava drops a point, it repeats the test
 * of the two points after it, and keeps that of the point before it, though its right side has grown.
 */
const { otava, series, answers }: Answers = JSON.parse(
  readFileSync(new URL('../../test/otava/answers.json', import.meta.url), 'utf8'),
);

describe(`Apache Otava ${otava} finds the same`, () => {
  it.each(
    answers.map((answer) => ({
      ...answer,
      title: `${answer.series}, window ${answer.window}, p ${answer.mostP}, change ${answer.leastChange}`,
    })),
  )('$title', ({ series: name, points, ...options }) => {
    const found = changePoints(series[name] ?? [], options);
    expect(found.map(({ index }) => index)).toEqual(points.map(({ index }) => index));
    for (const [at, { before, after, p }] of points.entries()) {
      expect(found[at]?.before).toBeCloseTo(before, 4);
      expect(found[at]?.after).toBeCloseTo(after, 4);
      // Six digits of p are kept.
      expect(Math.abs((found[at]?.p ?? 1) - p)).toBeLessThanOrEqual(1e-5 * p + 1e-15);
    }
  });
});

it('differs from Otava as published only where that keeps a test of a shorter side', () => {
  const different = answers.filter(
    ({ published, points }) => String(published) !== String(points.map(({ index }) => index)),
  );
  expect([different.length, answers.length]).toEqual([8, 58]);
  const strict = answers.filter(({ mostP, leastChange }) => mostP === 0.001 && leastChange < 0.05);
  expect(different.filter((answer) => strict.includes(answer))).toEqual([]);
});

describe('change points', () => {
  it('are none in nothing, and in what does not move', () => {
    expect(changePoints([])).toEqual([]);
    expect(changePoints([3])).toEqual([]);
    expect(changePoints([0, 0, 0, 0])).toEqual([]);
  });

  it('are places between values, in order, whose means are those of the values between them', () => {
    assert(
      property(array(double({ min: 0, max: 1000, noNaN: true }), { maxLength: 60 }), (values) => {
        const found = changePoints(values, { ...changePointDefaults, mostP: 0.2 });
        const places = [0, ...found.map(({ index }) => index), values.length];
        expect(found.every(({ index }, at) => index > (places[at] ?? 0) && index < values.length)).toBe(true);
        for (const [at, { before, after }] of found.entries()) {
          const mean = (from = 0, to = 0) =>
            values.slice(from, to).reduce((sum, value) => sum + value, 0) / (to - from);
          expect(before).toBeCloseTo(mean(places[at], places[at + 1]), 6);
          expect(after).toBeCloseTo(mean(places[at + 1], places[at + 2]), 6);
        }
      }),
      { seed: 2026 },
    );
  });

  it('do not depend on the unit', () => {
    const values = series['ten steps'] ?? [];
    const places = (factor: number) =>
      changePoints(values.map((value) => value * factor)).map(({ index }) => index);
    expect(places(1000)).toEqual(places(1));
  });

  it('are no smaller than what dividing may have left', () => {
    const noisy = (level: number) => [1, 1.01, 0.99, 1.02, 0.98, 1, 1.01, 0.99].map((noise) => level * noise);
    const times = (count: number, log: number) => Array<number>(count).fill(log);
    const values = [...noisy(100), ...noisy(110), ...noisy(130)];
    const logs = [...times(8, 0), ...times(16, Math.log(2))];
    const found = (mostLeft: number) =>
      changePoints(values, changePointDefaults, { logs, mostLeft }).map(({ index }) => index);
    expect(found(0)).toEqual([8, 16]);
    // A tenth of twice the time is 7%.
    expect(found(0.1)).toEqual([8, 16]);
    expect(found(0.2)).toEqual([16]);
    const steady = { logs: times(24, Math.log(2)), mostLeft: 1 };
    expect(changePoints(values, changePointDefaults, steady)).toEqual(changePoints(values));
  });

  it('are no smaller than what a mixture of speeds may have left, whatever its mean', () => {
    const values = [100, 101, 99, 102, 98, 100, 101, 99, 110, 111, 109, 112, 108, 110, 111, 109];
    const [slow, fast] = [Math.log(2), -Math.log(2)];
    const steady = Array<number>(8).fill(0);
    const mixed = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? slow : fast));
    const found = (...logs: readonly number[]) =>
      changePoints(values, changePointDefaults, { logs, mostLeft: 0.2 }).map(({ index }) => index);
    expect(found(...steady, ...mixed)).toEqual([]);
    expect(found(...mixed, ...mixed)).toEqual([8]);
    expect(found(...mixed.toSorted((a, b) => a - b), ...mixed)).toEqual([8]);
  });
});
