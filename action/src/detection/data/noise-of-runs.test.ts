import { describe, expect, it } from 'vitest';
import { recordedRun } from '../../../test/recorded/recorded-runs.ts';
import { asExpected, simulatedRun } from '../../../test/simulation/simulated-run.ts';
import type { SplitNoise } from '../../model/calibration.ts';
import type { Run } from '../../model/run.ts';
import { createRandom, drawNormal } from '../../stats/index.ts';
import { noiseByLoad, noiseOfRuns } from './noise-of-runs.ts';
import type { RecordedRun } from './recorded-run.ts';

const unchanged = (
  [
    '01-unchanged',
    '02-unchanged',
    '07-unchanged',
    '08-unchanged-faster-hour',
    '09-unchanged-speed-changed-midway',
    '12-unchanged',
  ] as const
).map(recordedRun);

function partsOf(parts: readonly SplitNoise[], metric: SplitNoise['metric'], kind: SplitNoise['kind']) {
  const found = parts.find((one) => one.metric === metric && one.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind} ${metric}`);
  return found;
}

describe('the noise of runs', () => {
  it('is that which was published of the recorded runs', () => {
    const { runs, cells, parts } = noiseOfRuns(unchanged);
    expect([runs, cells]).toEqual([6, 6]);
    expect(partsOf(parts, 'tps', 'raw').block).toBeCloseTo(0.126, 3);
    expect(partsOf(parts, 'tps', 'divided').block).toBeCloseTo(0.031, 3);
    expect(partsOf(parts, 'p95', 'raw').block).toBeCloseTo(0.15, 2);
    expect(partsOf(parts, 'serviceCpu', 'raw').block).toBeCloseTo(0.108, 3);
  });

  it('is what runs of a known truth were drawn with', () => {
    const random = createRandom(2026);
    const truth = {
      ...asExpected,
      blocks: 9,
      blockSd: { tps: 0.05, p95: 0.09 },
      bootSd: { tps: 0.06, p95: 0.1 },
      machineSd: { block: 0, run: 0.2 },
      runSd: { tps: 0, p95: 0 },
    };
    const runs = Array.from({ length: 60 }, (_, at) => simulatedRun(`run-${at}`, random, truth));
    const { block, boot, run } = partsOf(noiseOfRuns(runs).parts, 'tps', 'raw');
    expect(block).toBeCloseTo(0.05, 2);
    expect(boot).toBeCloseTo(0.06, 2);
    expect(Math.abs(run - 0.2)).toBeLessThan(0.04);
  });

  it('is split into hours and hosts with runs of several hosts', () => {
    const random = createRandom(7);
    const truth = {
      ...asExpected,
      blocks: 4,
      blockSd: { tps: 0.01, p95: 0.02 },
      bootSd: { tps: 0.01, p95: 0.02 },
      machineSd: { block: 0, run: 0.05 },
      runSd: { tps: 0, p95: 0 },
    };
    // Hosts of four runs each, whose TPS differ by 20%.
    const runs = Array.from({ length: 40 }, () => 0.2 * drawNormal(random)).flatMap((level, host) =>
      Array.from({ length: 4 }, (_, at): Run => {
        const run = simulatedRun(`run-${host}-${at}`, random, truth);
        const faster = (block: Run['cells'][number]['blocks'][number]) => ({
          ...block,
          tps: block.tps * Math.exp(level),
        });
        return {
          ...run,
          fingerprint: { ...run.fingerprint, host: `host-${host}` },
          cells: run.cells.map((cell) => ({ ...cell, blocks: cell.blocks.map(faster) })),
        };
      }),
    );
    const { split, run } = partsOf(noiseOfRuns(runs).parts, 'tps', 'raw');
    expect(Math.abs((split?.hour ?? 0) - 0.05)).toBeLessThan(0.01);
    expect(Math.abs((split?.host ?? 0) - 0.2)).toBeLessThan(0.05);
    expect(run).toBeGreaterThan(split?.host ?? 1);
    const [, ...others] = runs.map((one, at) => ({
      ...one,
      fingerprint: { ...one.fingerprint, host: `${at}` },
    }));
    expect(partsOf(noiseOfRuns(others).parts, 'tps', 'raw').split).toBeUndefined();
    expect(partsOf(noiseOfRuns(runs.slice(0, 4)).parts, 'tps', 'raw').split).toBeUndefined();
  });

  it('leaves out a cell of too few blocks', () => {
    const short = unchanged.map((run) => {
      const [one, ...others] = run.cells;
      if (one === undefined) throw new Error('there is no cell');
      return { ...run, cells: [...others, { ...one, blocks: one.blocks.slice(0, 2) }] };
    });
    const without = unchanged.map((run) => ({ ...run, cells: run.cells.slice(1) }));
    expect(noiseOfRuns(short).parts).toEqual(noiseOfRuns(without).parts);
    expect(noiseOfRuns(short).parts).not.toEqual([]);
  });

  it('is unknown from one run, from one cell, and without the same cells in all runs', () => {
    const [run] = unchanged;
    if (run === undefined) throw new Error('there is no run');
    const [one, ...others] = run.cells;
    if (one === undefined) throw new Error('there is no cell');
    expect(noiseOfRuns([]).parts).toEqual([]);
    expect(noiseOfRuns([run]).parts).toEqual([]);
    expect(noiseOfRuns([run, { ...run, cells: [one] }])).toMatchObject({ cells: 1, parts: [] });
    expect(
      noiseOfRuns([
        { ...run, cells: others },
        { ...run, cells: [one] },
      ]),
    ).toMatchObject({ cells: 0, parts: [] });
  });
});

describe('the noise of recorded runs', () => {
  const recorded = unchanged.map((run) => ({
    ...{ regime: 'quiet', placement: 'stored', pair: '', change: '' },
    run,
  })) as RecordedRun[];
  const having = (more: Partial<Run['fingerprint']>) =>
    recorded.map(({ run, ...rest }) => ({
      ...rest,
      run: { ...run, fingerprint: { ...run.fingerprint, ...more } },
    }));

  it('is shown for each load on its own, and for all machines together', () => {
    const found = noiseByLoad([
      ...recorded,
      ...having({ loadHash: 'another' }),
      ...having({ cpuModel: 'another' }),
    ]);
    expect(found.map(({ noise }) => noise.runs)).toEqual([12, 6]);
    expect(found[1]).toEqual({ from: unchanged[0]?.startedAt, noise: noiseOfRuns(unchanged) });
  });
});
