import { type InvalidCode, invalidReason } from '../model/invalid-reason.ts';
import type { Cell, InvalidReason, Run } from '../model/run.ts';

const missingCell: InvalidCode = 'I_CELL_MISSING';

/** Why a cell's figures cannot be trusted; empty if they can. A reason that several blocks share appears once. */
export function cellInvalidity(cell: Cell | undefined): InvalidReason[] {
  if (cell === undefined || cell.blocks.length === 0) return [invalidReason(missingCell)];
  const silent = cell.blocks
    .filter(({ requests, invalid }) => requests === 0 && invalid.length === 0)
    .map(({ round }) => invalidReason('I_NO_REQUESTS', { round }));
  const reasons = [...cell.blocks.flatMap(({ invalid }) => invalid), ...silent];
  return [...new Map(reasons.map((reason) => [`${reason.code}\n${reason.cause}`, reason])).values()];
}

/**
 * A check stops at the first thing that makes it invalid, and the cells after it are missing for that reason. A
 * missing cell is therefore only mentioned if nothing else explains it.
 */
export function withoutConsequences(
  cells: readonly (readonly InvalidReason[])[],
  runReasons: readonly InvalidReason[],
): InvalidReason[][] {
  const explained =
    runReasons.length > 0 || cells.some((reasons) => reasons.some(({ code }) => code !== missingCell));
  return cells.map((reasons) => reasons.filter(({ code }) => !explained || code !== missingCell));
}

/** Whether a run may serve as a base, which requires that every part of it can be trusted. */
export function isTrusted(run: Run): boolean {
  return run.invalid.length === 0 && run.cells.every((cell) => cellInvalidity(cell).length === 0);
}

/** The reasons, marked as those of the base side. */
export function inBase(reasons: readonly InvalidReason[]): InvalidReason[] {
  return reasons.map((reason) => ({ ...reason, cause: `Base: ${reason.cause}` }));
}
