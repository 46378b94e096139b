import { cellName, type Run } from '../model/run.ts';
import type { RecordedRun } from './data/recorded-run.ts';
import type { Judging } from './rules/own.ts';

interface Timed {
  readonly recorded: readonly RecordedRun[];
  readonly judging: Judging;
}

/**
 * The suite's runs, and the plan that judges them, with those cells only whose times are judged and that all of the runs have.
 * Else a check would be invalid because a cell is missing. A run without one of these cells that others of the same load have
 * is left out: it broke off, and would take the cell from all checks.
 */
export function timedCells(given: readonly RecordedRun[], { config, plan }: Judging): Timed {
  const timed = plan.cells.filter(({ costsAlone }) => !costsAlone).map(cellName);
  const timedIn = (run: Run) => namesIn(run).filter((name) => timed.includes(name));
  const ofSuite = given.filter(({ run }) => run.suite === plan.suite && timedIn(run).length > 0);
  const ofLoad = Map.groupBy(ofSuite, ({ run }) => run.fingerprint.loadHash);
  const recorded = [...ofLoad.values()].flatMap((runs) => {
    const most = Math.max(...runs.map(({ run }) => timedIn(run).length));
    return runs.filter(({ run }) => timedIn(run).length === most);
  });
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
