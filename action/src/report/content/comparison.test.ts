import { describe, expect, it } from 'vitest';
import { verdicts } from '../../../test/golden/verdicts.ts';
import { comparisonNotes, provenance } from './comparison.ts';

it('the note on re-measured cells says what they looked worse than', () => {
  const verdict = verdicts['interleaved-only'];
  if (verdict?.comparison.kind !== 'side-by-side') throw new Error('expected an interleaved comparison');
  const { stored: _, ...beside } = verdict.comparison;
  const confirmed = {
    baseCommit: 'c0ffee'.repeat(7).slice(0, 40),
    cells: [
      { name: 'browse@peak', outcome: 'regression' as const },
      { name: 'browse@average', outcome: 'pass' as const },
    ],
  };
  expect(comparisonNotes({ ...verdict, comparison: { ...beside, confirmed } })).toEqual([
    '2 cells looked worse than the base commit; re-measured against c0ffeec0: 1 confirmed, 1 cleared',
  ]);
});

it('names the cells that needed no second measurement', () => {
  const { pass: verdict } = verdicts;
  if (verdict?.comparison.kind !== 'stored') throw new Error('expected a comparison with stored runs');
  const confirmed = {
    baseCommit: 'c0ffee'.repeat(7).slice(0, 40),
    cells: [{ name: 'browse@peak', outcome: 'regression' as const }],
    spared: ['edit@peak', 'edit@average'],
  };
  expect(comparisonNotes({ ...verdict, comparison: { ...verdict.comparison, confirmed } })).toEqual([
    '3 cells looked worse than the stored baseline; browse@peak re-measured against c0ffeec0: 1 confirmed',
    'one regression is enough, so edit@peak, edit@average were not re-measured',
  ]);
});

it('counts the newest runs that were left out because of their machine speed', () => {
  const { pass: verdict } = verdicts;
  if (verdict?.comparison.kind !== 'stored') throw new Error('expected a comparison with stored runs');
  const { comparison } = verdict;
  const texts = provenance({ ...verdict, comparison: { ...comparison, otherSpeed: ['a', 'b'] } });
  expect(new Map(texts).get('base')).toMatch(
    /^\d+ stored runs, .*, 2 of the newest left out because the machine had another speed$/,
  );
});

it('says that the stored runs stand against a second measurement', () => {
  const { pass: verdict } = verdicts;
  if (verdict?.comparison.kind !== 'stored') throw new Error('expected a comparison with stored runs');
  expect(comparisonNotes({ ...verdict, comparison: { ...verdict.comparison, unconfirmed: true } })).toEqual([
    'the second measurement did not confirm all of this. It ran in the job of the pull request, so it cannot clear what the stored runs prove',
  ]);
});

describe('the note on the stored baseline, next to an interleaved comparison', () => {
  it.each([
    [
      'the judged outcome',
      { outcome: 'pass', regressed: [] },
      'compared with the stored baseline, the outcome is the same: pass',
    ],
    [
      'a regression that the interleaved base does not show',
      { outcome: 'regression', regressed: ['browse@peak'] },
      'compared with the stored baseline, it would be a regression in browse@peak: this machine or the base commit is slower than those runs. If another run repeats this, find the commit that made base slower',
    ],
    [
      'another outcome',
      { outcome: 'coarse', regressed: [] },
      'compared with the stored baseline, the outcome would be pass, coarse; only an interleaved base commit runs under the same conditions as head',
    ],
  ] as const)('says why it differs: %s', (_, { outcome, regressed }, note) => {
    const verdict = verdicts['interleaved-only'];
    if (verdict?.comparison.kind !== 'side-by-side') throw new Error('expected an interleaved comparison');
    const comparison = { ...verdict.comparison, stored: { outcome, regressed: [...regressed] } };
    expect(comparisonNotes({ ...verdict, comparison })).toEqual([note]);
  });
});
