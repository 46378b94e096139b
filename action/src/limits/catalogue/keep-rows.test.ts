import { expect, it } from 'vitest';
import { type CatalogueRow, type KeptCatalogue, keptCatalogueSchema } from '../../model/catalogue.ts';
import { keepRows } from './keep-rows.ts';

const [before, now] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
const machine = { cpuModel: 'A processor', cpuCount: 2, memoryGiB: 4 };
const found = { outcome: 'coarse' as const, red: [], minutes: 5.3, machine };
const kept: KeptCatalogue = {
  schema: 1,
  results: {
    gone: { ...found, result: 'missed', measuredAt: before, commit: 'a' },
    late: { ...found, result: 'missed', measuredAt: before, commit: 'a' },
    early: { ...found, result: 'missed', measuredAt: before, commit: 'a' },
  },
};
const names = ['early', 'middle', 'late'];

function row(name: string, more: Partial<CatalogueRow>): CatalogueRow {
  return {
    name,
    title: name,
    suite: 'pr',
    expect: 'regression',
    result: 'caught',
    wanted: ['*'],
    red: [],
    ...more,
  };
}

const keep = (...rows: CatalogueRow[]) => keptCatalogueSchema.parse(keepRows(kept, rows, names)).results;

it('keeps the newest verdict on each regression, in the order of the catalogue', () => {
  const measured = {
    outcome: 'regression',
    red: ['*'],
    cause: 'locks',
    minutes: 8.04,
    measuredAt: now,
    ...{ commit: 'b', machine },
  } as const;
  const results = keep(row('late', measured), row('middle', measured));
  expect(Object.keys(results)).toEqual(names);
  expect(results.early).toEqual(kept.results.early);
  expect(results.late).toEqual({
    ...{ result: 'caught', outcome: 'regression', red: ['*'], cause: 'locks', minutes: 8 },
    ...{ measuredAt: now, commit: 'b', machine },
  });
});

it('lets nothing without a verdict replace one', () => {
  const failed = row('late', { result: 'failed', why: 'the patch does not apply' });
  expect(keep(failed, { ...failed, name: 'middle' })).toEqual({
    early: kept.results.early,
    late: kept.results.late,
  });
});
