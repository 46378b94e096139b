import { invalidReason } from '../model/invalid-reason.ts';
import type { Cell, InvalidReason, Run } from '../model/run.ts';

const missingCell = 'I_CELL_MISSING';

/** The same reason in several blocks is said once. */
function distinct(reasons: readonly InvalidReason[]): InvalidReason[] {
  return [...new Map(reasons.map((reason) => [`${reason.code}\n${reason.cause}`, reason])).values()];
}

/** Why a cell's figures are not to be trusted; empty if they are. */
export function cellInvalidity(cell: Cell | undefined): InvalidReason[] {
  if (cell === undefined || cell.blocks.length === 0) return [invalidReason(missingCell)];
  const silent = cell.blocks
    .filter(({ requests, invalid }) => requests === 0 && invalid.length === 0)
    .map(({ round }) => invalidReason('I_NO_REQUESTS', { round }));
  return distinct([...cell.blocks.flatMap(({ invalid }) => invalid), ...silent]);
}

/**
 * A check stops at the first thing that makes it invalid, and whatever was not measured by then is missing for that
 * reason: only without another one is it worth a word that a cell is missing.
 */
export function withoutConsequences(
  cells: readonly (readonly InvalidReason[])[],
  ofRun: readonly InvalidReason[],
): InvalidReason[][] {
  const explained =
    ofRun.length > 0 || cells.some((reasons) => reasons.some(({ code }) => code !== missingCell));
  return cells.map((reasons) => reasons.filter(({ code }) => !explained || code !== missingCell));
}

/** Whether a run may serve as a base: every part of it has to be trusted. */
export function isTrusted(run: Run): boolean {
  return run.invalid.length === 0 && run.cells.every((cell) => cellInvalidity(cell).length === 0);
}

/** Reasons of the base side, told apart from head's. */
export function ofBase(reasons: readonly InvalidReason[]): InvalidReason[] {
  return reasons.map((reason) => ({ ...reason, cause: `Base: ${reason.cause}` }));
}
