import { type InvalidCode, invalidReason, isRepeatable } from '../../model/invalid-reason.ts';
import { type Cell, cellName, cleanBlocks, type InvalidReason, type Run } from '../../model/run.ts';
import { mostDropped, shareDropped } from './dropped.ts';

const missingCell: InvalidCode = 'I_CELL_MISSING';

/** A single block does not show how much blocks differ. */
const fewestCleanBlocks = 2;

/**
 * Why a cell's figures cannot be trusted; empty if they can. A reason that several blocks share appears once. Disturbed
 * blocks do not matter if enough others are clean.
 */
export function cellInvalidity(cell: Cell | undefined): InvalidReason[] {
  if (cell === undefined || cell.blocks.length === 0) return [invalidReason(missingCell)];
  const silent = cell.blocks
    .filter(({ requests, invalid }) => requests === 0 && invalid.length === 0)
    .map(({ round }) => invalidReason('I_NO_REQUESTS', { round }));
  const isEnough = cleanBlocks(cell).length >= fewestCleanBlocks;
  const reasons = [...cell.blocks.flatMap(({ invalid }) => invalid), ...silent].filter(
    (reason) => !isEnough || !isRepeatable(reason),
  );
  return [...new Map(reasons.map((reason) => [`${reason.code}\n${reason.cause}`, reason])).values()];
}

/** The cell as it is judged: without disturbed blocks if the others suffice. A cell that cannot be trusted stays as it is. */
export function judgedCell(cell: Cell): Cell {
  return cellInvalidity(cell).length > 0 ? cell : { ...cell, blocks: cleanBlocks(cell) };
}

export type CellsByName = ReadonlyMap<string, Cell>;

/** A run's cells as they are judged. Of two cells with one name the first counts. */
export function cellsByName({ cells }: Run): CellsByName {
  return new Map(cells.toReversed().map((cell) => [cellName(cell), judgedCell(cell)]));
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

/** Why a cell cannot be judged: the run's reasons and its own. Without any, those of the other cells ended the run. */
export function reasonsBehind(
  index: number,
  cells: readonly (readonly InvalidReason[])[],
  runReasons: readonly InvalidReason[],
): readonly InvalidReason[] {
  const own = cells[index] ?? [];
  const behind = [...runReasons, ...own];
  return behind.length > 0 ? behind : cells.flat();
}

/** Whether a run may serve as a base, which requires that every part of it can be trusted, and was served. */
export function isTrusted(run: Run): boolean {
  const isServed = (cell: Cell) => cellInvalidity(cell).length === 0 && shareDropped(cell) <= mostDropped;
  return run.invalid.length === 0 && run.cells.every(isServed);
}

const baseMark = 'Base: ';

/** The reasons, marked as those of the base side. */
export function inBase(reasons: readonly InvalidReason[]): InvalidReason[] {
  return reasons.map((reason) => ({ ...reason, cause: `${baseMark}${reason.cause}` }));
}

export function isOfBase({ cause }: InvalidReason): boolean {
  return cause.startsWith(baseMark);
}

/** A side does not really have an endpoint that fails more often than this. */
const mostFailures = 0.5;

function failureShares({ blocks }: Cell): ReadonlyMap<string, number> {
  const parts = Map.groupBy(
    blocks.flatMap(({ endpoints }) => endpoints),
    ({ name }) => name,
  );
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return new Map(
    [...parts].map(([name, all]) => [
      name,
      sum(all.map(({ errors }) => errors)) / sum(all.map(({ requests }) => requests)),
    ]),
  );
}

/**
 * Endpoints that head answers and base fails, for example because the change adds them. Head's scripts load both
 * sides, and a base that refuses part of the journey is fast at the rest of it, so its figures are no measure for head.
 */
export function endpointsFailingInBase(base: Cell, head: Cell): readonly string[] {
  const baseShares = failureShares(base);
  return [...failureShares(head)]
    .filter(([name, failed]) => failed <= mostFailures && (baseShares.get(name) ?? 0) > mostFailures)
    .map(([name]) => name);
}
