import { describe, expect, it } from 'vitest';
import {
  dearer,
  recordedConfig,
  recordedRun,
  slowedBy,
  withBlocks,
} from '../../../test/recorded/recorded-runs.ts';
import type { MetricName } from '../../model/metric.ts';
import { type Block, cellName, type Run } from '../../model/run.ts';
import { figuresByCell } from '../../model/run-figures.ts';
import { atOneSpeed, compareRuns } from './one-speed.ts';

const newest = recordedRun('02-unchanged');
const [cell = ''] = newest.cells.map(cellName);
const all = newest.cells.map(cellName);

const everyPart = ['generator', 'backing', 'service'];

/** The run with other counts, and so with other work for every part. */
function counted(run: Run, cells?: readonly string[]): Run {
  const change = (block: Block) => ({
    ...block,
    signals: Object.fromEntries(
      Object.entries(block.signals).map(([name, value]) => [name, 3 * value + 100]),
    ),
  });
  return withBlocks(run, change, cells);
}

/** The figure of the first cell in each run, in multiples of the newest run's. */
function multiples(metric: MetricName, ...runs: readonly Run[]): readonly number[] {
  const values = atOneSpeed(runs, compareRuns(recordedConfig.signals)).map(
    (cells) => cells.get(cell)?.figures[metric] ?? Number.NaN,
  );
  return values.map((value) => value / (values.at(-1) ?? Number.NaN));
}

const about = (...values: readonly number[]) => values.map((value) => expect.closeTo(value, 6));

describe('figures at one speed', () => {
  it('are those of the newest run there', () => {
    const levels = atOneSpeed([slowedBy(2, newest), newest], compareRuns(recordedConfig.signals)).at(-1);
    expect(new Map([...(levels ?? [])].map(([name, { figures }]) => [name, figures]))).toEqual(
      figuresByCell(newest),
    );
  });

  it.each(['tps', 'p95', 'serviceCpu', 'backingCpu'] as const)(
    'do not show in %s that the machine was slower',
    (metric) => {
      expect(multiples(metric, slowedBy(1.4, newest), slowedBy(0.8, newest), newest)).toEqual(about(1, 1, 1));
    },
  );

  it('show what changed in one cell, as large as it was', () => {
    // Fewer requests, each of which needs as much of the other parts as before.
    const fewer = withBlocks(newest, (block) => ({ ...block, tps: 0.8 * block.tps }), [cell]);
    const slow = dearer(0.8, ['generator', 'backing'], fewer, [cell]);
    expect(multiples('tps', slow, newest)).toEqual(about(0.8, 1));
    expect(multiples('tps', slowedBy(1.4, slow), newest)).toEqual(about(0.8, 1));
  });

  it('follow the other cells where the parts of one cell had other work', () => {
    expect(multiples('tps', counted(slowedBy(1.4, newest), [cell]), newest)).toEqual(about(1, 1));
  });

  it('take what the service needs for no other machine', () => {
    expect(multiples('serviceCpu', dearer(1.3, ['service'], newest), newest)).toEqual(about(1.3, 1));
  });

  it('follow the generator where backing services became dearer, because counts may hide more work', () => {
    const before = dearer(1 / 1.3, ['backing'], newest);
    expect(multiples('backingCpu', before, newest)).toEqual(about(1 / 1.3, 1));
    expect(multiples('tps', slowedBy(1.4, before), newest)).toEqual(about(1, 1));
  });

  it('stay as measured where only the generator became dearer, because nobody knows why', () => {
    // Without connections that are kept open, the generator and the service take longer.
    const faster = dearer(1.3, ['generator', 'backing'], slowedBy(1 / 1.3, newest));
    const before = dearer(1 / 1.4, ['generator'], faster);
    expect(multiples('tps', before, newest)).toEqual(about(1.3, 1));
  });

  it('follow the backing services where other responses give the generator other work', () => {
    const larger = withBlocks(dearer(1.3, ['generator'], newest), (block) => ({
      ...block,
      signals: { ...block.signals, bytesReceived: 2 * (block.signals.bytesReceived ?? 1000) },
    }));
    expect(multiples('tps', larger, newest)).toEqual(about(1, 1));
    expect(multiples('tps', slowedBy(1.4, larger), newest)).toEqual(about(1, 1));
  });

  it('allow for CPU time that other guests took from requests', () => {
    const stolen = withBlocks(dearer(0.7, everyPart, slowedBy(1 / 0.7, newest)), (block) => ({
      ...block,
      stealShare: 0.3 + 0.7 * (block.stealShare + block.othersCpuShare) - block.othersCpuShare,
    }));
    expect(multiples('tps', stolen, newest)).toEqual(about(1, 1));
    expect(multiples('serviceCpu', stolen, newest)).toEqual(about(1, 1));
  });

  it('stay as measured in a cell whose requests do not follow the machine', () => {
    // A slower machine, on which the users of one cell pause for so long that they send as many requests as ever.
    const slower = slowedBy(1.4, newest);
    const pausing = withBlocks(
      dearer(1.4, everyPart, slower, [cell]),
      (block) => ({ ...block, tps: 1.4 * block.tps }),
      [cell],
    );
    const runs = [pausing, newest];
    expect(multiples('tps', ...runs)).toEqual(about(1, 1));
    const others = atOneSpeed(runs, compareRuns(recordedConfig.signals)).map(
      (cells) => cells.get(all[1] ?? '')?.figures.tps,
    );
    expect(others[0]).toBeCloseTo(others[1] ?? Number.NaN, 6);
  });

  it('stay as measured where nobody measured the parts', () => {
    const blind = withBlocks(slowedBy(1.4, newest), (block) => ({ ...block, usage: {} }));
    expect(multiples('tps', blind, newest)).toEqual(about(1 / 1.4, 1));
  });

  it('pass over a run that shares no work with the others', () => {
    expect(multiples('tps', slowedBy(1.4, newest), counted(newest), newest)).toEqual(about(1, 1, 1));
  });

  it('go on from the next run where no part had the work of the newest one', () => {
    // The speed at the change of the counts is unknown; before it, runs are compared with each other.
    const tps = multiples(
      'tps',
      counted(slowedBy(1.4, newest)),
      counted(newest),
      slowedBy(1.2, newest),
      newest,
    );
    expect(tps).toEqual(about(1.2, 1.2, 1, 1));
  });
});
