import type { CellVerdict, ObjectiveResult } from '../../model/verdict.ts';
import { formatMs, formatShare, formatTps } from '../format/number.ts';

/** What was measured, in the unit of the objective: `612 ms`. */
export function formatObjectiveValue({ objective, value }: ObjectiveResult): string {
  const format = objective.endsWith('ms') ? formatMs : objective.endsWith('%') ? formatShare : formatTps;
  return format(value);
}

/** `mean < 500 ms, measured 612 ms`. */
function objectiveText(result: ObjectiveResult): string {
  return `${result.objective}, measured ${formatObjectiveValue(result)}`;
}

export interface MissedObjective {
  readonly cell: CellVerdict;
  readonly text: string;
}

export function missedObjectives(cells: readonly CellVerdict[]): readonly MissedObjective[] {
  return cells.flatMap((cell) =>
    cell.objectives.filter(({ met }) => !met).map((result) => ({ cell, text: objectiveText(result) })),
  );
}
