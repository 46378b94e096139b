import { cellsToConfirm, judgeMeasurements } from '../../src/judge/measurements.ts';
import type { JudgeOptions } from '../../src/judge/options.ts';
import { cellName, type Run } from '../../src/model/run.ts';
import type { Verdict } from '../../src/model/verdict.ts';

/** What a check with `--compare auto` came to. */
export interface AutoCheck {
  /** Against the stored runs alone. */
  readonly screened: Verdict;
  /** Names of the cells that were measured again. */
  readonly suspects: readonly string[];
  /** In the end. */
  readonly verdict: Verdict;
}

/** A check as `--compare auto` makes it: against stored runs, with suspects measured again next to the base commit. */
export function autoCheck(
  run: Run,
  stored: readonly Run[],
  options: JudgeOptions,
  measureAgain: () => { readonly base: Run; readonly head: Run },
): AutoCheck {
  const context = { options, createdAt: '2026-11-22T00:00:00.000Z', seconds: 0 };
  const screened = judgeMeasurements({ run, stored }, context);
  const suspects = cellsToConfirm(screened);
  if (suspects.length === 0) return { screened, suspects, verdict: screened };
  const { base, head } = measureAgain();
  const only = (one: Run): Run => ({
    ...one,
    cells: one.cells.filter((cell) => suspects.includes(cellName(cell))),
  });
  const interleaved = { base: only(base), head: only(head) };
  return { screened, suspects, verdict: judgeMeasurements({ run, stored, interleaved }, context) };
}

/** Share of the checks that something holds for. */
export function rate<One>(checks: readonly One[], holds: (check: One) => boolean): number {
  return checks.filter(holds).length / checks.length;
}
