import { byExcess } from '../model/excess.ts';
import { cellName } from '../model/run.ts';
import type { CellVerdict } from '../model/verdict.ts';

export interface CellsToProfile {
  readonly names: readonly string[];
  /** Left out, because a worse scenario has the same costs. */
  readonly spared: readonly string[];
}

/**
 * The regressed cells, the worst first, without scenarios in which nothing grew but costs that grew in a worse scenario too: one
 * change most likely made both dearer, and the profile of a scenario takes most of a minute.
 */
export function cellsToProfile(regressed: readonly CellVerdict[]): CellsToProfile {
  const [names, spared]: [string[], string[]] = [[], []];
  const explained = new Set<string>();
  for (const cells of Map.groupBy(regressed.toSorted(byExcess), ({ scenario }) => scenario).values()) {
    const costs = cells.flatMap(({ signals }) => signals.filter(({ failed }) => failed));
    const isByCosts = costs.length > 0 && !cells.some(hasWorseMetric);
    const isExplained = isByCosts && costs.every(({ name }) => explained.has(name));
    (isExplained ? spared : names).push(...cells.map(cellName));
    for (const { name } of costs) explained.add(name);
  }
  return { names, spared };
}

/** Says which cells are not profiled and why, if there are any. */
export function noteSpared(note: (text: string) => void, { spared }: CellsToProfile): void {
  if (spared.length === 0) return;
  note(`not profiled, because the same costs grew in a worse scenario: ${spared.join(', ')}`);
}

function hasWorseMetric({ metrics }: CellVerdict): boolean {
  return metrics.some(({ outcome }) => outcome === 'regression');
}
