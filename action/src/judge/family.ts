import { type MetricFamily, type MetricName, metricFamilies, metrics } from '../model/metric.ts';
import { holmAdjust, pAbove, pShareAbove, simes } from '../stats/index.ts';
import type { CellContrast } from './contrast.ts';

/**
 * Chance of a false alarm in each family of metrics, over all cells of a check together. Two families give at most 5%,
 * and far less where a change has to exceed its tolerance and floor as well.
 */
export const familyAlpha = 0.025;

/** What is left of one metric's evidence after many comparisons. */
export interface Adjusted {
  /** Adjusted one-sided p value of "head is not worse". */
  readonly worse: number;
  /** Adjusted one-sided p value of "head is not better". */
  readonly better: number;
  /** The level at which the smallest p value of the family is tested if this metric alone shows a change. */
  readonly alpha: number;
}

/** A cell's adjusted values by metric. */
export type AdjustedCell = ReadonlyMap<MetricName, Adjusted>;

type Direction = 'worse' | 'better';

function pValue(contrast: CellContrast[number], direction: Direction): number {
  if ('worsening' in contrast) {
    const { worsening } = contrast;
    return pAbove(direction === 'worse' ? worsening : { ...worsening, estimate: -worsening.estimate });
  }
  const { base, head, df } = contrast.shares.unchanged;
  return direction === 'worse' ? pShareAbove(base, head, df) : pShareAbove(head, base, df);
}

/**
 * The metrics of a family are one fact, so a cell counts once: its p value is Simes' of its metrics, and Holm's
 * adjustment runs over cells. Within a cell a metric has to be significant itself as well, which for a pair is
 * Hochberg's (1988) procedure.
 */
function adjustOne(cells: readonly CellContrast[], direction: Direction): readonly (readonly number[])[] {
  const own = cells.map((cell) => cell.map((contrast) => pValue(contrast, direction)));
  const adjusted = holmAdjust(own.map(simes));
  return own.map((pValues, index) => pValues.map((p) => Math.max(adjusted[index] ?? 1, p)));
}

function adjustFamily(
  cells: readonly CellContrast[],
  family: MetricFamily,
): readonly (readonly [MetricName, Adjusted])[][] {
  const members = cells.map((cell) => cell.filter(({ metric }) => metrics[metric].family === family));
  const compared = members.filter((cell) => cell.length > 0);
  const [worse, better] = [adjustOne(compared, 'worse'), adjustOne(compared, 'better')];
  return members.map((cell) => {
    const row = compared.indexOf(cell);
    const alpha = familyAlpha / (compared.length * cell.length);
    return cell.map(({ metric }, column) => [
      metric,
      { worse: worse[row]?.[column] ?? 1, better: better[row]?.[column] ?? 1, alpha },
    ]);
  });
}

/** Adjusted values of all compared cells of a check, in the same order. */
export function adjustFamilies(cells: readonly CellContrast[]): readonly AdjustedCell[] {
  const families = metricFamilies.map((family) => adjustFamily(cells, family));
  return cells.map((_, index) => new Map(families.flatMap((family) => family[index] ?? [])));
}
