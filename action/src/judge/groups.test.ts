import { describe, expect, it } from 'vitest';
import { simulatedBlock, simulatedOptions } from '../../test/simulation/simulated-run.ts';
import type { CellContrast, RatioContrast } from './contrast/contrast.ts';
import { judgeGroups } from './groups.ts';
import type { MeasuredCell } from './second-measurement.ts';

/** So much worse, and known with so small an error. */
function contrast(metric: RatioContrast['metric'], base: number, worsening: number): RatioContrast {
  const nothing = { variance: 0, df: 100 };
  return {
    metric,
    base,
    head: base,
    worsening: {
      estimate: worsening,
      error: { blocks: { variance: 1e-6, df: 100 }, boots: nothing, runs: nothing },
      scattered: { variance: 1e-6, df: 100 },
    },
    yardstick: [],
    alone: {},
    objection: { cheaper: [], open: false },
  };
}

/** A cell of one scenario whose own verdicts found nothing. */
function cell(load: string, vus: number, first: CellContrast, second?: CellContrast): MeasuredCell {
  const head = { scenario: 'browse', load, vus, blocks: [simulatedBlock(0, 500, 200)] };
  const metrics = first.map(({ metric }) => ({ metric, suspect: false })) as MeasuredCell['metrics'];
  return {
    match: { head, base: [head], history: [] },
    measured: { first, ...(second && { second }), spoiled: false },
    metrics,
    costs: { first: new Map(), spoiled: false },
    speedChange: { forCounts: 0, forFigures: 0 },
  };
}

describe('a group', () => {
  it('takes users and throughput at the same middle for the floor', () => {
    // Half a millisecond per request, and ten: 2.24 ms in the geometric middle, of which the floor of 0.1 ms is 4.5%.
    const cells = [1, 20].map((vus) => cell(`of-${vus}`, vus, [contrast('tps', 2000, 0.035)]));
    const [group] = judgeGroups(cells, simulatedOptions);
    expect(group?.metrics).toMatchObject([{ metric: 'tps', limitFrom: 'floor', outcome: 'pass' }]);
    expect(group?.metrics[0]?.limit).toBeCloseTo(1 / (1 + 0.1 / Math.sqrt(5)) ** 2 - 1, 9);
  });

  it('names only the cells that its rows have', () => {
    const cells = ['average', 'peak'].map((load) => cell(load, 10, [contrast('tps', 500, 0.2)]));
    const fixedRate = cell('rate', 10, [contrast('p95', 5, 0)]);
    expect(judgeGroups([fixedRate, ...cells], simulatedOptions)).toMatchObject([
      { cells: ['browse@average', 'browse@peak'], metrics: [{ metric: 'tps' }] },
    ]);
  });

  it('ends where its figures make one of its cells suspect, and not where they hide that it waits', () => {
    const [average, peak] = [
      cell('average', 10, [contrast('tps', 500, 0.2)]),
      cell('peak', 100, [contrast('tps', 500, 0.002)]),
    ];
    const suspect = (one: MeasuredCell) => ({
      ...one,
      metrics: one.metrics.map((row) => ({ ...row, suspect: true })),
    });
    expect(judgeGroups([suspect(average), peak], simulatedOptions)).toEqual([]);
    expect(judgeGroups([average, suspect(peak)], simulatedOptions)).toMatchObject([
      { outcome: 'regression' },
    ]);
  });

  it('is undecided where the second measurement lacks a figure of one of its cells', () => {
    const first = [contrast('tps', 500, 0.2)];
    const cells = [cell('average', 10, first, [contrast('tps', 500, 0)]), cell('peak', 100, first, [])];
    expect(judgeGroups(cells, simulatedOptions).map(({ outcome }) => outcome)).toEqual(['undecided']);
  });
});
