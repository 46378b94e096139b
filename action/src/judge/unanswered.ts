import { type InvalidCode, isRepeatable } from '../model/invalid-reason.ts';
import { type Block, type Cell, cellName, type Interleaved, type InvalidReason } from '../model/run.ts';
import type { CellVerdict } from '../model/verdict.ts';
import { isOfBase, mostFailures } from './comparable/validity.ts';

const noAnswer: ReadonlySet<string> = new Set<InvalidCode>(['I_ALL_FAILED', 'I_NO_SAMPLES']);
const noGenerator: InvalidCode = 'I_GENERATOR_END';

/** Why a block or a cell got no answer from the service; undefined if it got one, or if its generator did not finish. */
function noAnswerOf(reasons: readonly InvalidReason[]): InvalidReason | undefined {
  if (reasons.some(({ code }) => code === noGenerator)) return undefined;
  return reasons.find(({ code }) => noAnswer.has(code));
}

/** True if head answered nothing in some block, and nothing is wrong with base. One measurement does not prove it. */
export function isSuspectOfSilence({ outcome, invalid }: CellVerdict): boolean {
  return outcome === 'invalid' && !invalid.some(isOfBase) && noAnswerOf(invalid) !== undefined;
}

function isAnswered({ requests, errors, invalid }: Block): boolean {
  return requests > 0 && errors <= mostFailures * requests && invalid.every(isRepeatable);
}

/**
 * Why head answered nothing in a round of an interleaved measurement in which base answered the same load. Undefined if
 * there is no such round.
 */
function silenceOf(base: Cell | undefined, head: Cell | undefined): InvalidReason | undefined {
  const answered = new Set(base?.blocks.filter(isAnswered).map(({ round }) => round));
  return head?.blocks
    .filter(({ round }) => answered.has(round))
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

/** The cells, as regressions where the second measurement shows that head no longer answers what base answers. */
export function withUnanswered(
  cells: readonly CellVerdict[],
  again: Interleaved | undefined,
): readonly CellVerdict[] {
  if (again === undefined) return cells;
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
