import { describe, expect, it } from 'vitest';
import { simulatedOptions } from '../../test/simulation/simulated-run.ts';
import type { RatioContrast } from './contrast/contrast.ts';
import { judgeContrasts } from './metric-verdict.ts';

/** A worsening as a log, with a standard error of 0.05. */
function ratio(estimate: number): RatioContrast['worsening'] {
  const nothing = { variance: 0, df: 1000 };
  const blocks = { variance: 0.0025, df: 1000 };
  return { estimate, error: { blocks, boots: nothing, runs: nothing }, scattered: blocks };
}

function tps(estimate: number, hidden?: number): RatioContrast {
  return {
    metric: 'tps',
    base: 500,
    head: 500,
    worsening: ratio(estimate),
    yardstick: [],
    alone: {},
    ...(hidden !== undefined && { hidden: { worsening: ratio(hidden), yardstick: ['generator'] } }),
    objection: { cheaper: [], open: false },
  };
}

const judged = (first: RatioContrast, second?: RatioContrast) =>
  judgeContrasts(
    { first: [first], ...(second && { second: [second] }), spoiled: false },
    { vus: 10, blocks: 4, ofGroup: false, speedChange: 0 },
    simulatedOptions,
  )[0];

describe('what a head that waits may hide', () => {
  it('makes a time suspect, and proves nothing alone', () => {
    expect(judged(tps(0, 1))).toMatchObject({
      outcome: 'undecided',
      suspect: true,
      provedWorse: false,
      yardstick: ['generator'],
    });
  });

  it('counts with a second measurement only if that one is suspect too', () => {
    expect(judged(tps(0, 0.25), tps(0.11))?.outcome).not.toBe('regression');
    expect(judged(tps(0, 0.25), tps(0.14))).toMatchObject({ outcome: 'regression', yardstick: [] });
  });

  it.each([
    [
      'the figures as measured are suspect already',
      tps(0.5, 1),
      { outcome: 'regression', change: Math.expm1(-0.5) },
    ],
    [
      'it is too little to matter',
      tps(0.01, 0.04),
      { suspect: false, change: Math.expm1(-0.01), yardstick: [] },
    ],
  ])('is left out where %s', (_, first, expected) => {
    expect(judged(first)).toMatchObject(expected);
  });
});
