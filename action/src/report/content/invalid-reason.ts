import type { InvalidReason } from '../../model/run.ts';
import type { CellVerdict, Verdict } from '../../model/verdict.ts';

export interface PlacedReason {
  readonly reason: InvalidReason;
  /** True if it concerns the whole run. */
  readonly ofRun: boolean;
  /** The cells that it concerns. */
  readonly cells: readonly CellVerdict[];
}

/** Reasons of the run and of its cells; cells with the same reason share an entry. */
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
