import { describe, expect, it } from 'vitest';
import { buildRun } from '../../test/contract/run-builder.ts';
import { verdicts } from '../../test/golden/verdicts.ts';
import type { Outcome } from '../model/verdict.ts';
import { type HostEvent, isToBeStored, mayBecomeBaseline, mayWriteBaseline } from './baseline-policy.ts';

describe('the baseline may be written by', () => {
  const push: HostEvent = {
    name: 'push',
    ref: 'refs/heads/main',
    defaultBranch: 'main',
    repository: 'owner/service',
    headRepository: 'owner/service',
    fromFork: false,
  };

  it.each<[string, Partial<HostEvent>, boolean]>([
    ['a push to the default branch', {}, true],
    [
      'a push to a default branch of another name',
      { defaultBranch: 'release/1', ref: 'refs/heads/release/1' },
      true,
    ],
    ['no push to another branch', { ref: 'refs/heads/feature' }, false],
    ['no push to a branch whose name ends alike', { ref: 'refs/heads/x/main' }, false],
    ['no push to a tag of that name', { ref: 'refs/tags/main' }, false],
    ['no push to a short name', { ref: 'main' }, false],
    ['no pull request', { name: 'pull_request' }, false],
    ['no pull request with write access', { name: 'pull_request_target' }, false],
    ['no finished workflow', { name: 'workflow_run' }, false],
    ['no manual start', { name: 'workflow_dispatch' }, false],
    ['no schedule', { name: 'schedule' }, false],
    ['no merge queue', { name: 'merge_group', ref: 'refs/heads/gh-readonly-queue/main/pr-1' }, false],
    ['no fork', { fromFork: true }, false],
    ['no other repository', { headRepository: 'other/service' }, false],
    ['no repository that differs in case', { headRepository: 'Owner/service' }, false],
    ['no event without a default branch', { defaultBranch: '', ref: 'refs/heads/' }, false],
    ['no event without a repository', { repository: '', headRepository: '' }, false],
    ['no event without a name', { name: '' }, false],
  ])('%s', (_, facts, may) => {
    expect(mayWriteBaseline({ ...push, ...facts })).toBe(may);
  });
});

describe('a run that nobody asked to record may become the baseline', () => {
  const main = { commit: 'c0ffee', branch: 'main', dirty: false };
  const stored = [buildRun(1, { code: { ...main, branch: 'old' } }), buildRun(2, { code: main })];
  const outside = { commit: '', branch: '', dirty: false };

  it.each([
    ['as the very first run', { ...main, branch: 'feature', dirty: true }, [], true],
    ["with a commit of the baseline's branch", main, stored, true],
    ['outside any repository, if the baseline is too', outside, [buildRun(1, { code: outside })], true],
    ['but not with uncommitted changes', { ...main, dirty: true }, stored, false],
    ['but not on another branch', { ...main, branch: 'feature' }, stored, false],
    ['but not from a detached HEAD', { ...main, branch: '' }, stored, false],
    ['but not on the branch of an older run', { ...main, branch: 'old' }, stored, false],
  ])('%s', (_, code, runs, may) => {
    expect(mayBecomeBaseline(code, runs)).toBe(may);
  });
});

it.each<[Outcome, boolean]>([
  ['pass', true],
  ['coarse', true],
  ['undecided', true],
  ['noise', false],
  ['regression', false],
  ['invalid', false],
])('the first run of its kind that ends as %s is stored unasked: %s', (outcome, stored) => {
  const incomparable = verdicts['not-comparable-data'];
  if (incomparable === undefined) throw new Error('the fixture is missing');
  const main = { commit: 'c0ffee', branch: 'main', dirty: false };
  const measured = { run: buildRun(2, { code: main }), stored: [buildRun(1, { code: main })] };
  const verdict = { ...incomparable, outcome };
  expect(isToBeStored('auto', true, measured, verdict)).toBe(stored);
  expect(isToBeStored('auto', false, measured, verdict)).toBe(false);
});
