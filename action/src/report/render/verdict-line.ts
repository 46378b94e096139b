import type { Verdict } from '../../model/verdict.ts';

/** One line for scripts: the outcome and the number of cells. */
export function renderVerdictLine({ outcome, cells }: Verdict): string {
  return `${outcome} ${cells.length}\n`;
}
