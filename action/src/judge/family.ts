import { holmAdjust, pAbove, pShareAbove, type ShareContrast, simes } from '../stats/index.ts';
import type { CellContrast, TimeContrast } from './contrast.ts';

/**
 * Chance of a false alarm in each of the two families, times and errors, over all cells of a check together:
 * at most 5% for the check, and far less where a change has to pass its tolerance and floor as well.
 */
export const familyAlpha = 0.025;

/** Adjusted one-sided p values of one metric. */
export interface Adjusted {
  /** Of "head is not worse". */
  readonly worse: number;
  /** Of "head is not better". */
  readonly better: number;
}

/** A cell's adjusted p values. */
export interface AdjustedCell {
  readonly p95: Adjusted;
  readonly tps: Adjusted;
  readonly errors: Adjusted;
}

type Direction = keyof Adjusted;

function timeP({ slowdown }: TimeContrast, direction: Direction): number {
  return pAbove(direction === 'worse' ? slowdown : { ...slowdown, estimate: -slowdown.estimate });
}

function errorP({ unchanged }: ShareContrast, direction: Direction): number {
  const { base, head, df } = unchanged;
  return direction === 'worse' ? pShareAbove(base, head, df) : pShareAbove(head, base, df);
}

/**
 * p95 and TPS of a closed loop are one fact, so that a cell counts once: its p value is Simes' of the two, and
 * Holm's adjustment runs over cells. Within a cell a metric has to be significant itself as well, which for a
 * pair is Hochberg's (1988) procedure.
 */
function adjustTimes(cells: readonly CellContrast[], direction: Direction): { p95: number; tps: number }[] {
  const own = cells.map(({ p95, tps }) => ({ p95: timeP(p95, direction), tps: timeP(tps, direction) }));
  const adjusted = holmAdjust(own.map(({ p95, tps }) => simes([p95, tps])));
  return own.map(({ p95, tps }, index) => {
    const cell = adjusted[index] ?? 1;
    return { p95: Math.max(cell, p95), tps: Math.max(cell, tps) };
  });
}

/** Adjusted p values of all compared cells of a check, in the same order. */
export function adjustFamily(cells: readonly CellContrast[]): readonly AdjustedCell[] {
  const [slower, faster] = [adjustTimes(cells, 'worse'), adjustTimes(cells, 'better')];
  const [more, fewer] = (['worse', 'better'] as const).map((direction) =>
    holmAdjust(cells.map(({ errors }) => errorP(errors, direction))),
  );
  return cells.map((_, index) => ({
    p95: { worse: slower[index]?.p95 ?? 1, better: faster[index]?.p95 ?? 1 },
    tps: { worse: slower[index]?.tps ?? 1, better: faster[index]?.tps ?? 1 },
    errors: { worse: more?.[index] ?? 1, better: fewer?.[index] ?? 1 },
  }));
}
