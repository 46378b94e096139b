import { type Cell, cellName, type InvalidReason, type Run } from '../model/run.ts';

/** The same reason in several blocks is said once. */
function distinct(reasons: readonly InvalidReason[]): InvalidReason[] {
  return [...new Map(reasons.map((reason) => [`${reason.code}\n${reason.cause}`, reason])).values()];
}

/** Why a cell's figures are not to be trusted; empty if they are. */
export function cellInvalidity(name: string, cell: Cell | undefined): InvalidReason[] {
  if (cell === undefined || cell.blocks.length === 0) {
    return [
      {
        code: 'I_CELL_MISSING',
        cause: `${name} was not measured: the run has no block of it.`,
        nextStep: "Look for the phase that failed in the run's log, then measure again.",
      },
    ];
  }
  const silent = cell.blocks
    .filter(({ requests, invalid }) => requests === 0 && invalid.length === 0)
    .map(({ round }) => ({
      code: 'I_NO_REQUESTS',
      cause: `${name}: no request ended within the counted interval of round ${round + 1}.`,
      nextStep: "Look for a stuck service in its log, or lengthen the suite's `counted`.",
    }));
  return distinct([...cell.blocks.flatMap(({ invalid }) => invalid), ...silent]);
}

/** Whether a run may serve as a base: every part of it has to be trusted. */
export function isTrusted(run: Run): boolean {
  return (
    run.invalid.length === 0 && run.cells.every((cell) => cellInvalidity(cellName(cell), cell).length === 0)
  );
}

/** Reasons of the base side, told apart from head's. */
export function ofBase(reasons: readonly InvalidReason[]): InvalidReason[] {
  return reasons.map((reason) => ({ ...reason, cause: `Base: ${reason.cause}` }));
}
