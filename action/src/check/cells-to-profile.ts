import { byExcess, costWorsening } from '../model/excess.ts';
import { cellName } from '../model/run.ts';
import type { CellVerdict } from '../model/verdict.ts';

export interface CellsToProfile {
  readonly names: readonly string[];
  /** Left out, because the same costs grew at least as much in a scenario that is profiled. */
  readonly spared: readonly string[];
}

/**
 * The regressed cells, the worst first. A scenario is left out if only costs grew in it, and all of them at least as much in one
 * worse scenario. Most likely one change made both dearer, and the profile of a scenario takes most of a minute.
 */
export function cellsToProfile(regressed: readonly CellVerdict[]): CellsToProfile {
  const [names, spared]: [string[], string[]] = [[], []];
  const profiled: ReadonlyMap<string, number>[] = [];
  for (const cells of Map.groupBy(regressed.toSorted(byExcess), ({ scenario }) => scenario).values()) {
    const growths = [...growthOfCosts(cells)];
    const isByCosts = growths.length > 0 && !cells.some(hasWorseMetric);
    const isExplainedBy = (worse: ReadonlyMap<string, number>) =>
      growths.every(([cost, growth]) => (worse.get(cost) ?? Number.NEGATIVE_INFINITY) >= growth);
    if (isByCosts && profiled.some(isExplainedBy)) {
      spared.push(...cells.map(cellName));
    } else {
      names.push(...cells.map(cellName));
      profiled.push(new Map(growths));
    }
  }
  return { names, spared };
}

/** By how much each failed cost grew in the cell in which it grew most. In its unit, because one query adds as much everywhere. */
function growthOfCosts(cells: readonly CellVerdict[]): ReadonlyMap<string, number> {
  const failed = cells.flatMap(({ signals }) => signals.filter((signal) => signal.failed));
  const most = Map.groupBy(failed, ({ name }) => name);
  return new Map([...most].map(([name, all]) => [name, Math.max(...all.map(costWorsening))]));
}

function hasWorseMetric({ metrics }: CellVerdict): boolean {
  return metrics.some(({ outcome }) => outcome === 'regression');
}

/** Says which cells are not profiled and why, if there are any. */
export function noteSpared(note: (text: string) => void, { spared }: CellsToProfile): void {
  if (spared.length === 0) return;
  note(`not profiled, because the same costs grew in a worse scenario: ${spared.join(', ')}`);
}
