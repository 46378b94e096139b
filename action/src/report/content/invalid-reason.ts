import type { InvalidReason } from '../../model/run.ts';
import type { CellVerdict, Verdict } from '../../model/verdict.ts';

export interface PlacedReason {
  readonly reason: InvalidReason;
  /** True if it concerns the whole run. */
  readonly ofRun: boolean;
  /** The cells that it concerns. */
  readonly cells: readonly CellVerdict[];
}

/** Reasons of the run and of its cells; cells with the same reason together. */
export function invalidReasons(verdict: Verdict): readonly PlacedReason[] {
  const placed = [
    ...verdict.invalid.map((reason) => ({ reason, cell: undefined })),
    ...verdict.cells.flatMap((cell) => cell.invalid.map((reason) => ({ reason, cell }))),
  ];
  const groups = Map.groupBy(placed, ({ reason }) => JSON.stringify(reason));
  return [...groups.values()].flatMap((group) => {
    const cells = new Set(group.flatMap(({ cell }) => cell ?? []));
    const ofRun = group.some(({ cell }) => cell === undefined);
    return group.slice(0, 1).map(({ reason }) => ({ reason, ofRun, cells: [...cells] }));
  });
}

/** `trip-edit@peak, plan-edit@peak, plan-edit@average and 2 more`. */
export function namesText(names: readonly string[], mostNames = 3): string {
  const hidden = names.length - mostNames;
  return hidden > 0 ? `${names.slice(0, mostNames).join(', ')} and ${hidden} more` : names.join(', ');
}
