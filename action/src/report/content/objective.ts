import type { CellVerdict, ObjectiveResult } from '../../model/verdict.ts';
import { formatMs, formatShare, formatTps } from '../format/number.ts';

/** The measured value in the unit of the objective: `612 ms`. */
export function formatObjectiveValue({ objective, value }: ObjectiveResult): string {
  const format = objective.endsWith('ms') ? formatMs : objective.endsWith('%') ? formatShare : formatTps;
  return format(value);
}

/** Missed objectives with a text such as `mean < 500 ms, measured 612 ms`. */
export function missedObjectives(
  cells: readonly CellVerdict[],
): readonly { readonly cell: CellVerdict; readonly text: string }[] {
  return cells.flatMap((cell) =>
    cell.objectives
      .filter(({ met }) => !met)
      .map((result) => ({
        cell,
        text: `${result.objective}, measured ${formatObjectiveValue(result)}`,
      })),
  );
}
