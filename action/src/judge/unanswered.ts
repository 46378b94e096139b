import { type InvalidCode, isRepeatable } from '../model/invalid-reason.ts';
import { type Block, type Cell, cellName, type Interleaved, type InvalidReason } from '../model/run.ts';
import type { CellVerdict } from '../model/verdict.ts';
import { isOfBase } from './comparable/validity.ts';

const noAnswer: ReadonlySet<string> = new Set<InvalidCode>(['I_ALL_FAILED', 'I_NO_SAMPLES']);
const noGenerator: InvalidCode = 'I_GENERATOR_END';

/** Why no request of a block or a cell succeeded; undefined if some did, or if the generator did not finish. */
function noAnswerOf(reasons: readonly InvalidReason[]): InvalidReason | undefined {
  if (reasons.some(({ code }) => code === noGenerator)) return undefined;
  return reasons.find(({ code }) => noAnswer.has(code));
}

/** True if no request to head succeeded in some block, and base is not broken. One measurement does not prove more. */
export function isUnanswered({ outcome, invalid }: CellVerdict): boolean {
  const isBaseBroken = invalid.some((reason) => isOfBase(reason) && !isRepeatable(reason));
  return outcome === 'invalid' && !isBaseBroken && noAnswerOf(invalid) !== undefined;
}

/** Where this many requests are expected to succeed, none does once in 20,000 blocks (Poisson). */
const fewestSuccesses = 10;

function isAnswered({ requests, errors, invalid }: Block): boolean {
  return requests - errors >= fewestSuccesses && invalid.every(isRepeatable);
}

/**
 * Why no request to head succeeded in a round of an interleaved measurement in which base answered the same load. Undefined
 * if there is no such round, or if something else disturbed head's block.
 */
function silenceOf(base: Cell | undefined, head: Cell): InvalidReason | undefined {
  const answered = new Set(base?.blocks.filter(isAnswered).map(({ round }) => round));
  return head.blocks
    .filter(({ round, invalid }) => answered.has(round) && !invalid.some(isRepeatable))
    .map(({ invalid }) => noAnswerOf(invalid))
    .find((reason) => reason !== undefined);
}

function silentCells({ base, head }: Interleaved): ReadonlyMap<string, InvalidReason> {
  const before = new Map(base.cells.map((cell) => [cellName(cell), cell]));
  return new Map(
    head.cells.flatMap((cell): [string, InvalidReason][] => {
      const reason = silenceOf(before.get(cellName(cell)), cell);
      return reason === undefined ? [] : [[cellName(cell), reason]];
    }),
  );
}

/**
 * The cells, as regressions where both measurements show that head no longer answers. A leak may reach another cell in the
 * second one, so the cell need not be the same.
 */
export function withUnanswered(
  cells: readonly CellVerdict[],
  again: Interleaved | undefined,
): readonly CellVerdict[] {
  if (again === undefined || !cells.some(isUnanswered)) return cells;
  const silent = silentCells(again);
  return cells.map((cell) => {
    const unanswered = silent.get(cellName(cell));
    return unanswered === undefined ? cell : { ...cell, outcome: 'regression', invalid: [], unanswered };
  });
}

/** A service that does not answer is a regression of its cell, whatever else is known about it. */
export function answerOutcome({ unanswered }: CellVerdict): 'pass' | 'regression' {
  return unanswered === undefined ? 'pass' : 'regression';
}
