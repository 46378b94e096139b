import { cellName, type Run } from '../model/run.ts';
import type { RecordedRun } from './data/recorded-run.ts';
import type { Judging } from './rules/own.ts';

interface Timed {
  readonly recorded: readonly RecordedRun[];
  readonly judging: Judging;
}

/**
 * The runs, and the plan that judges them, with those cells only whose times are judged and that all of the runs have. Else
 * a check would be invalid because a cell is missing. Runs of other cells are left out.
 */
export function timedCells(given: readonly RecordedRun[], { config, plan }: Judging): Timed {
  const timed = plan.cells.filter(({ costsAlone }) => !costsAlone).map(cellName);
  const recorded = given.filter(({ run }) => namesIn(run).some((name) => timed.includes(name)));
  const common = timed.filter((name) => recorded.every(({ run }) => namesIn(run).includes(name)));
  const isCommon = (cell: Parameters<typeof cellName>[0]) => common.includes(cellName(cell));
  return {
    recorded: recorded.map((one) => ({ ...one, run: { ...one.run, cells: one.run.cells.filter(isCommon) } })),
    judging: { config, plan: { ...plan, cells: plan.cells.filter(isCommon) } },
  };
}

function namesIn({ cells }: Run): readonly string[] {
  return cells.map(cellName);
}
