import type { CatalogueRow, KeptCatalogue } from '../../model/catalogue.ts';

/**
 * The kept results with the newer ones of these rows, in the order of `names`, without what is no longer in the catalogue.
 * Rows without a verdict replace nothing.
 */
export function keepRows(
  { results }: KeptCatalogue,
  rows: readonly CatalogueRow[],
  names: readonly string[],
): KeptCatalogue {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const kept = names.flatMap((name) => {
    const row = byName.get(name);
    const found = (row && resultOf(row)) ?? results[name];
    return found === undefined ? [] : [[name, found] as const];
  });
  return { schema: 1, results: Object.fromEntries(kept) };
}

function resultOf(row: CatalogueRow): KeptCatalogue['results'][string] | undefined {
  const { result, outcome, red, spared, cause, why, minutes, measuredAt, commit, machine } = row;
  if (!outcome || minutes === undefined || !measuredAt || !commit || !machine) return undefined;
  return {
    result,
    outcome,
    red: [...red],
    ...(spared !== undefined && { spared: [...spared] }),
    ...(cause !== undefined && { cause }),
    ...(why !== undefined && { why }),
    minutes: Math.round(10 * minutes) / 10,
    measuredAt,
    commit,
    machine,
  };
}
