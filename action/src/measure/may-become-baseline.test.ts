import { expect, it } from 'vitest';
import { buildRun } from '../../test/contract/run-builder.ts';
import { mayBecomeBaseline } from './may-become-baseline.ts';

const main = { commit: 'c0ffee', branch: 'main', dirty: false };
const stored = [buildRun(1, { code: { ...main, branch: 'old' } }), buildRun(2, { code: main })];

it.each([
  ['the first run of all', { ...main, branch: 'feature', dirty: true }, [], true],
  ["a commit of the baseline's branch", main, stored, true],
  ['changes not committed', { ...main, dirty: true }, stored, false],
  ['another branch', { ...main, branch: 'feature' }, stored, false],
  ['a checkout of no branch', { ...main, branch: '' }, stored, false],
  ['the branch of an older run', { ...main, branch: 'old' }, stored, false],
])('%s', (_, code, runs, may) => {
  expect(mayBecomeBaseline(code, runs)).toBe(may);
});

it('takes what is in no repository for one branch', () => {
  const outside = { commit: '', branch: '', dirty: false };
  expect(mayBecomeBaseline(outside, [buildRun(1, { code: outside })])).toBe(true);
});
