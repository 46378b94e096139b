import { describe, expect, it } from 'vitest';
import type { WarmUpWindow } from '../model/run.ts';
import { hasSettled } from './warm-up.ts';

const rule = { settledWindows: 3, latencyTolerance: 0.1, compileMsPerSecond: 100 };
const windows = (means: number[], compile?: number): WarmUpWindow[] =>
  means.map((meanMs) => ({
    seconds: 5,
    requests: 100,
    errors: 0,
    meanMs,
    ...(compile === undefined ? {} : { compileMsPerSecond: compile }),
  }));

describe('hasSettled', () => {
  it('wants as many windows as are to agree', () => {
    expect(hasSettled(windows([10, 10]), rule)).toBe(false);
    expect(hasSettled(windows([10, 10, 10]), rule)).toBe(true);
  });

  it('looks at the newest windows alone', () => {
    expect(hasSettled(windows([90, 40, 10, 10.5, 10.2]), rule)).toBe(true);
    expect(hasSettled(windows([10, 10, 10, 14]), rule)).toBe(false);
  });

  it('waits for the compiler, where it is known', () => {
    expect(hasSettled(windows([10, 10, 10], 400), rule)).toBe(false);
    expect(hasSettled(windows([10, 10, 10], 20), rule)).toBe(true);
  });

  it('does not take silence for a steady state', () => {
    expect(hasSettled(windows([0, 0, 0]), rule)).toBe(false);
  });
});
