import { describe, expect, it } from 'vitest';
import { faultOf } from '../../../test/contract/fault-of.ts';
import { recordedConfig, recordedPlan, recordedRun } from '../../../test/recorded/recorded-runs.ts';
import { judgeSuite } from '../../check/index.ts';
import { cellName, runSchema } from '../../model/run.ts';
import { type BlockRows, readBlockRows, writeBlockRows } from './block-rows.ts';
import type { RecordedRun } from './recorded-run.ts';

const files = { runs: 'runs.csv', blocks: 'blocks.csv' };

function recorded(name: Parameters<typeof recordedRun>[0], more: Partial<RecordedRun> = {}): RecordedRun {
  return { regime: 'quiet', placement: 'stored', pair: '', change: '', run: recordedRun(name), ...more };
}

const some = [
  recorded('01-unchanged'),
  recorded('06-n-plus-1-interleaved-base', { placement: 'base', pair: 'one' }),
  recorded('06-n-plus-1-interleaved-head', { placement: 'head', pair: 'one', change: 'n-plus-1' }),
  recorded('10-synchronized-lookup', { regime: 'stolen', change: 'lock' }),
];
const rows = writeBlockRows(some);

describe('rows of blocks', () => {
  it('come back as they were written', () => {
    const read = readBlockRows(rows, files);
    expect(writeBlockRows(read)).toEqual(rows);
    expect(read.map(({ run }) => [run.suite, run.fingerprint])).toEqual(
      some.map(({ run }) => [run.suite, run.fingerprint]),
    );
    expect(read.map(({ regime, placement, pair, change }) => [regime, placement, pair, change])).toEqual(
      some.map(({ regime, placement, pair, change }) => [regime, placement, pair, change]),
    );
    for (const { run } of read) expect(() => runSchema.parse(run)).not.toThrow();
  });

  it('hold all that a check judges by', () => {
    const judged = (runs: readonly RecordedRun[]) => {
      const [stored, base, head] = runs.map(({ run }) => run);
      if (stored === undefined || base === undefined || head === undefined)
        throw new Error('a run is missing');
      const when = { createdAt: new Date(0), seconds: 0 };
      return [
        judgeSuite(recordedConfig, recordedPlan, { run: head, base }, when),
        judgeSuite(recordedConfig, recordedPlan, { run: base, stored: [stored] }, when),
      ].map(({ outcome, cells }) => [
        outcome,
        ...cells.map((cell) => [
          cellName(cell),
          cell.outcome,
          cell.invalid.map(({ code }) => code),
          cell.metrics.map(({ metric, score, yardstick }) => [metric, score.toFixed(2), yardstick]),
          cell.signals.map(({ name, failed }) => [name, failed]),
        ]),
      ]);
    };
    expect(judged(readBlockRows(rows, files))).toEqual(judged(some));
  });

  it('keep the rate of a cell that has one, and older rows have none', () => {
    const { run } = recorded('01-unchanged');
    const cells = run.cells.map((cell, index) => (index === 0 ? { ...cell, arrival: 12.5 } : cell));
    const atRate = recorded('01-unchanged', { run: { ...run, cells } });
    const written = writeBlockRows([atRate]);
    const arrivals = (read: BlockRows) =>
      readBlockRows(read, files)[0]?.run.cells.map(({ arrival }) => arrival);
    expect(arrivals(written)).toEqual(run.cells.map((_, index) => (index === 0 ? 12.5 : undefined)));
    const older = (text: string) => text.split('\n').map((line) => line.split(',').toSpliced(3, 1).join(','));
    const blocks = older(written.blocks).join('\n');
    expect(arrivals({ ...written, blocks })).toEqual(run.cells.map(() => undefined));
  });

  it('lose what separates fields from names', () => {
    const renamed = { ...recordedRun('01-unchanged'), id: 'one,"two"\nthree' };
    const [read] = readBlockRows(writeBlockRows([{ ...recorded('01-unchanged'), run: renamed }]), files);
    expect(read?.run.id).toBe('one  two  three');
  });

  it.each([
    [
      'a number',
      { blocks: rows.blocks.replace(/,5,7288,/, ',five,7288,') },
      'blocks.csv:2',
      '`counted_s` is `five`',
    ],
    [
      'a number that is absent',
      { blocks: rows.blocks.replace(/,5,7288,/, ',,7288,') },
      'blocks.csv:2',
      '`counted_s` is ``',
    ],
    [
      'a regime',
      { runs: rows.runs.replace('stolen', 'loud') },
      'runs.csv:5',
      'not one of quiet, stolen, neighbour',
    ],
    ['a time', { runs: rows.runs.replace('2026-11-22T01:52:05.680Z', 'noon') }, 'runs.csv:2', 'not a time'],
    [
      'fields',
      { runs: rows.runs.replace('AMD EPYC', 'AMD, EPYC') },
      'runs.csv:2',
      '23 fields, and the header 22',
    ],
    ['a column', { runs: rows.runs.replace('warm_up_s', 'warm') }, 'runs.csv:2', 'no column `warm_up_s`'],
    [
      'an endpoint',
      { blocks: rows.blocks.replace('login:1047:0', 'login:many:0') },
      'blocks.csv:2',
      'not an endpoint',
    ],
    [
      'a run without blocks',
      { blocks: rows.blocks.replaceAll(recordedRun('01-unchanged').id, 'other') },
      'runs.csv:2',
      'has no block',
    ],
    [
      'blocks without a run',
      { runs: rows.runs.split('\n').toSpliced(1, 1).join('\n') },
      'blocks.csv:2',
      'is not in runs.csv',
    ],
  ])('are refused with %s wrong', async (_, broken, place, cause) => {
    const fault = await faultOf((async () => readBlockRows({ ...rows, ...broken }, files))());
    expect(fault).toMatchObject({ code: 'E_BLOCK_ROWS', place });
    expect(fault.cause).toContain(cause);
  });
});
