import { describe, expect, it } from 'vitest';
import { buildRun } from '../../../test/contract/run-builder.ts';
import { recordedConfig, recordedRun, slowedBy, withBlocks } from '../../../test/recorded/recorded-runs.ts';
import type { Run } from '../../model/run.ts';
import { historyOf } from './history.ts';

const limits = { tolerances: { p95: 0.25, tps: 0.1, errorRate: 0.01 }, floors: {}, signals: {} };

/** A run whose only cell has that p95. */
function runAt(number: number, p95Ms: number, more: Partial<Run> = {}): Run {
  const run = buildRun(number, more);
  return {
    ...run,
    cells: run.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({ ...block, latency: { ...block.latency, p95Ms } })),
    })),
  };
}

const otherMachine = { fingerprint: { ...buildRun(0).fingerprint, cpuModel: 'other' } };

function seriesOf(runs: readonly Run[], metric: string) {
  const [group] = historyOf(runs, [], limits).groups;
  return group?.cells[0]?.series.find((series) => series.metric === metric);
}

describe('the history', () => {
  it('has no group without a run, and no limit for the first run', () => {
    expect(historyOf([], [], limits)).toEqual({ groups: [] });
    expect(seriesOf([runAt(1, 100)], 'p95')).toEqual({
      metric: 'p95',
      points: [{ run: 0, value: expect.closeTo(100) }],
      changes: [],
    });
  });

  it('holds each run to the ten runs before it', () => {
    const runs = [100, 400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 400].map((p95, n) => runAt(n, p95));
    const points = seriesOf(runs, 'p95')?.points;
    expect(points?.[1]?.tolerated).toEqual({ usual: expect.closeTo(100), limit: expect.closeTo(125) });
    expect(points?.[11]?.tolerated).toEqual({ usual: expect.closeTo(400), limit: expect.closeTo(500) });
    expect(seriesOf(runs, 'tps')?.points[1]?.tolerated?.limit).toBeCloseTo(90);
  });

  it('has a limit of TPS where any loss is tolerated', () => {
    const runs = [runAt(1, 100), runAt(2, 100)];
    const [group] = historyOf(runs, [], { ...limits, tolerances: { tps: 1.5 } }).groups;
    const tps = group?.cells[0]?.series.find(({ metric }) => metric === 'tps');
    expect(tps?.points[1]?.tolerated?.limit).toBeCloseTo(0);
  });

  it('finds the run at which a level changed', () => {
    const noise = [0.99, 1.02, 1, 0.98, 1.01, 1.03, 0.97];
    const runs = Array.from({ length: 24 }, (_, n) => runAt(n, (n < 13 ? 100 : 115) * (noise[n % 7] ?? 1)));
    expect(seriesOf(runs, 'p95')?.changes).toEqual([
      { run: 13, before: expect.closeTo(100, 0), after: expect.closeTo(115, 0) },
    ]);
    expect(seriesOf(runs, 'tps')?.changes).toEqual([]);
  });

  it('takes no slower machine of the same kind for a change', () => {
    const runs = Array.from({ length: 16 }, (_, n) => {
      const run = recordedRun(n % 2 === 0 ? '01-unchanged' : '02-unchanged');
      return n < 8 ? run : slowedBy(1.5, run);
    });
    const found = historyOf(runs, [], { ...limits, signals: recordedConfig.signals }).groups;
    const changesOf = (metric: string) =>
      found.flatMap(({ cells }) =>
        cells.flatMap(({ series }) =>
          series.filter((one) => one.metric === metric).flatMap((one) => one.changes),
        ),
      );
    expect(changesOf('tps')).toEqual([]);
    expect(changesOf('p95')).toEqual([]);
  });

  it('takes nothing for a change that dividing out a slower machine may have left', () => {
    const slowerTail = (run: Run) =>
      withBlocks(run, (block) => ({
        ...block,
        latency: { ...block.latency, p95Ms: 1.15 * block.latency.p95Ms },
      }));
    const p95Changes = (change: (run: Run) => Run) => {
      const runs = Array.from({ length: 16 }, (_, n) => {
        const run = recordedRun(n % 2 === 0 ? '01-unchanged' : '02-unchanged');
        return n < 8 ? run : slowerTail(change(run));
      });
      const [group] = historyOf(runs, [], { ...limits, signals: recordedConfig.signals }).groups;
      return group?.cells[0]?.series.find(({ metric }) => metric === 'p95')?.changes;
    };
    expect(p95Changes((run) => run)).toMatchObject([{ run: 8 }]);
    expect(p95Changes((run) => slowedBy(2, run))).toEqual([]);
  });

  it('never takes another machine for a change, and puts the group that was measured last first', () => {
    const runs = Array.from({ length: 24 }, (_, n) =>
      runAt(n, n < 12 ? 100 : 200, n < 12 ? {} : otherMachine),
    );
    const { groups } = historyOf(runs, [], limits);
    expect(groups.map(({ fingerprint, runs: own }) => [fingerprint.cpuModel, own.length])).toEqual([
      ['other', 12],
      ['AMD EPYC 9R14', 12],
    ]);
    expect(
      groups.flatMap(({ cells }) => cells.flatMap(({ series }) => series.flatMap((one) => one.changes))),
    ).toEqual([]);
  });

  it('goes on where a cell is missing, and keeps a cell that the newest run lacks', () => {
    const runs = [
      runAt(1, 100),
      { ...runAt(2, 100), cells: [] },
      runAt(3, 100),
      { ...runAt(4, 1), cells: [] },
    ];
    expect(seriesOf(runs, 'p95')?.points.map(({ run }) => run)).toEqual([0, 2]);
  });

  it('leaves out runs that cannot be trusted, and names releases', () => {
    const reason = { code: 'I_WARM_UP', cause: 'c', nextStep: 'n' };
    const runs = [runAt(1, 100), runAt(2, 900, { invalid: [reason] })];
    const pin = { schema: 1 as const, name: 'v1', pinnedAt: '2026-01-01T00:00:00.000Z', run: runAt(1, 100) };
    const [group] = historyOf(runs, [pin], limits).groups;
    expect(group?.runs.map(({ id, marks }) => [id, marks])).toEqual([
      ['run-1', [{ kind: 'release', name: 'v1' }]],
    ]);
  });
});
