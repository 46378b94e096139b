import { expect, it } from 'vitest';
import { type HostEvent, mayWriteBaseline } from './may-write-baseline.ts';

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
  ['with another name', { defaultBranch: 'release/1', ref: 'refs/heads/release/1' }, true],
  ['a push to another branch', { ref: 'refs/heads/feature' }, false],
  ['to a branch that ends like it', { ref: 'refs/heads/x/main' }, false],
  ['to a tag of its name', { ref: 'refs/tags/main' }, false],
  ['to a short name', { ref: 'main' }, false],
  ['of a pull request', { name: 'pull_request' }, false],
  ['of a pull request with write access', { name: 'pull_request_target' }, false],
  ['of a finished workflow', { name: 'workflow_run' }, false],
  ['by hand', { name: 'workflow_dispatch' }, false],
  ['on a schedule', { name: 'schedule' }, false],
  ['of a merge queue', { name: 'merge_group', ref: 'refs/heads/gh-readonly-queue/main/pr-1' }, false],
  ['from a fork', { fromFork: true }, false],
  ['from another repository', { headRepository: 'other/service' }, false],
  ['from a repository of another case', { headRepository: 'Owner/service' }, false],
  ['without a default branch', { defaultBranch: '', ref: 'refs/heads/' }, false],
  ['without repositories', { repository: '', headRepository: '' }, false],
  ['without an event', { name: '' }, false],
])('%s', (_, facts, may) => {
  expect(mayWriteBaseline({ ...push, ...facts })).toBe(may);
});
