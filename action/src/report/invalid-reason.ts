import { cellName, type InvalidReason } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';

export interface PlacedReason {
  readonly reason: InvalidReason;
  /** `the run`, and the names of the cells that it concerns. */
  readonly where: readonly string[];
}

/** Reasons of the run and of its cells; cells with the same reason together. */
export function invalidReasons(verdict: Verdict): readonly PlacedReason[] {
  const reasons = new Map<string, { readonly reason: InvalidReason; readonly where: string[] }>();
  const add = (where: string, reason: InvalidReason) => {
    const key = JSON.stringify(reason);
    const known = reasons.get(key);
    if (known === undefined) reasons.set(key, { reason, where: [where] });
    else if (!known.where.includes(where)) known.where.push(where);
  };
  for (const reason of verdict.invalid) add('the run', reason);
  for (const cell of verdict.cells) for (const reason of cell.invalid) add(cellName(cell), reason);
  return [...reasons.values()];
}

const mostNames = 3;

/** `trip-edit@peak, plan-edit@peak, plan-edit@average and 2 more`. */
export function namesText(names: readonly string[]): string {
  const hidden = names.length - mostNames;
  return hidden > 0 ? `${names.slice(0, mostNames).join(', ')} and ${hidden} more` : names.join(', ');
}
