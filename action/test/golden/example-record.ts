import type { CheckRecord, MeasuredSide } from '../../src/model/record.ts';
import type { LoadSeries } from '../../src/model/series.ts';
import { baseRun, type ExampleCell, exampleRun, exampleSignals, judged } from './example-run.ts';
import { blockSeries } from './example-series.ts';

export const recordedCell: ExampleCell = {
  scenario: 'trip-edit',
  load: 'peak',
  vus: 10,
  tps: 400,
  p95Ms: 40,
  signals: { statements: 3, rowsRead: 20 },
};

/** One window of the warm-up: the seconds of a block without its cell. */
export function warmUpSeries(): LoadSeries {
  const { scenario, load, round, guardSeconds, countedSeconds, phase, ...seconds } = blockSeries({
    startedAt: '2026-10-05T09:59:00.000Z',
  });
  return { ...seconds, phase: 'warm-up' };
}

/** A side-by-side check of one cell, which a block of each side and a window of the warm-up were kept of. */
export function exampleRecord(
  more: {
    readonly cells?: readonly ExampleCell[];
    readonly head?: readonly LoadSeries[];
    readonly base?: readonly LoadSeries[];
    /** True to compare with nothing. */
    readonly alone?: boolean;
  } = {},
): CheckRecord {
  const { cells = [recordedCell], alone = false } = more;
  const head: MeasuredSide = {
    run: exampleRun(cells),
    series: more.head ?? [warmUpSeries(), blockSeries({})],
    profiles: [],
  };
  const base: MeasuredSide = {
    run: baseRun(cells),
    series: more.base ?? [blockSeries({ side: 'base', startedAt: '2026-10-05T10:00:10.000Z' })],
    profiles: [],
  };
  const measured = { run: head.run, ...(alone ? {} : { base: base.run }) };
  const verdict = judged(cells, measured, { signals: exampleSignals });
  return { verdict, head, ...(alone ? {} : { base }), stored: [] };
}
