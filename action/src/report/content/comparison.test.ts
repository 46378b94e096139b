import { expect, it } from 'vitest';
import { verdicts } from '../../../test/golden/verdicts.ts';
import type { Verdict } from '../../model/verdict.ts';
import { comparisonNotes } from './comparison.ts';
import { withShortNames } from './short-names.ts';

it('says why a regression stands, however long its names are', () => {
  const text = JSON.stringify(verdicts['remeasured-not-cleared']);
  const [scenario, load] = ['s'.repeat(60), 'l'.repeat(60)];
  const long = text
    .replaceAll(/"([a-z-]+)@([a-z-]+)"/g, (_, first, second) => `"${first}${scenario}@${second}${load}"`)
    .replaceAll(/"scenario":"([^"]+)"/g, (_, name) => `"scenario":"${name}${scenario}"`)
    .replaceAll(/"load":"([^"]+)"/g, (_, name) => `"load":"${name}${load}"`);
  const notes = comparisonNotes(withShortNames(JSON.parse(long) as Verdict));
  expect(notes.join('\n')).toContain('so the regression stands');
});
