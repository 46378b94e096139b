import { isConfirmed, partsToConfirm, suspectCells } from '../../src/judge/confirm.ts';
import { judgeMeasurements, type Measurements } from '../../src/judge/measurements.ts';
import type { JudgeOptions } from '../../src/judge/options.ts';
import { cellName, type Interleaved, type Run } from '../../src/model/run.ts';
import type { Verdict } from '../../src/model/verdict.ts';

/** What a check with `--compare auto` came to. */
export interface AutoCheck {
  /** By the first measurement alone. */
  readonly screened: Verdict;
  /** Names of the cells that looked worse. */
  readonly suspects: readonly string[];
  /** In the end. */
  readonly verdict: Verdict;
}

/**
 * A check as `--compare auto` makes it: the clearest suspect of the first measurement is measured again next to base, and
 * the others if it is not enough.
 */
export function autoCheck(
  first: Measurements,
  options: JudgeOptions,
  measureAgain: () => Interleaved,
): AutoCheck {
  const context = { options, createdAt: '2026-11-22T00:00:00.000Z', seconds: 0 };
  const screened = judgeMeasurements(first, context);
  const suspects = suspectCells(screened);
  if (suspects.length === 0) return { screened, suspects, verdict: screened };
  const { base, head } = measureAgain();
  const judgeWith = (names: readonly string[]): Verdict => {
    const only = (one: Run): Run => ({
      ...one,
      cells: one.cells.filter((cell) => names.includes(cellName(cell))),
    });
    return judgeMeasurements({ ...first, again: { base: only(base), head: only(head) } }, context);
  };
  const [clearest, ...others] = partsToConfirm(screened);
  const alone = others.length > 0 && clearest !== undefined ? judgeWith(clearest) : undefined;
  const isEnough = alone !== undefined && isConfirmed(alone);
  return { screened, suspects, verdict: isEnough ? alone : judgeWith(suspects) };
}

/** Share of the checks that something holds for. */
export function rate<One>(checks: readonly One[], holds: (check: One) => boolean): number {
  return checks.filter(holds).length / checks.length;
}
