import type { CatalogueReport, CatalogueRow, KeptCatalogue } from '../../model/catalogue.ts';

type Found = Pick<CatalogueReport, 'rows' | 'commit' | 'machine'>;

/**
 * The kept results with the newer ones of the report, in the order of `names`, without what is no longer in the catalogue.
 * Rows without a verdict replace nothing.
 */
export function keepRows(
  { results }: KeptCatalogue,
  { rows, commit, machine: { cpuModel, cpuCount, memoryGiB } }: Found,
  names: readonly string[],
): KeptCatalogue {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const kept = names.flatMap((name) => {
    const before = results[name];
    const row = byName.get(name);
    const found = row === undefined ? undefined : resultOf(row);
    if (found === undefined) return before === undefined ? [] : [[name, before] as const];
    // A check that was not repeated is only held against what is expected now.
    const on =
      before?.measuredAt === found.measuredAt
        ? before
        : { commit, machine: { cpuModel, cpuCount, memoryGiB } };
    return [[name, { ...found, commit: on.commit, machine: on.machine }] as const];
  });
  return { schema: 1, results: Object.fromEntries(kept) };
}

function resultOf({ result, outcome, red, spared, cause, why, minutes, measuredAt }: CatalogueRow) {
  if (outcome === undefined || minutes === undefined || measuredAt === undefined) return undefined;
  return {
    result,
    outcome,
    red: [...red],
    ...(spared !== undefined && { spared: [...spared] }),
    ...(cause !== undefined && { cause }),
    ...(why !== undefined && { why }),
    minutes: Math.round(10 * minutes) / 10,
    measuredAt,
  };
}
