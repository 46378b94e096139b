import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { resolveCommit } from '../../src/adapters/git/base-checkout.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { eventBase } from '../../src/entry/action/event-commits.ts';
import { gitIn } from '../../src/entry/checkout-git.ts';
import type { Trigger } from '../../src/entry/github/github-event.ts';
import { git, Remote } from './git-repositories.ts';

let remote: Remote;
/** Commits of main when the pull request was opened, and after other merges. */
let before: string;
let now: string;
let head: string;

const mergeRef = 'refs/pull/7/merge';

/** Checks out one commit without a branch, as actions/checkout does. */
function checkout(ref: string): string {
  const directory = join(remote.home, 'checkout');
  git(remote.home, ['init', '--quiet', directory]);
  git(directory, ['remote', 'add', 'origin', `file://${remote.path}`]);
  git(directory, ['fetch', '--quiet', '--no-tags', '--depth=1', 'origin', ref]);
  git(directory, ['checkout', '--quiet', '--detach', 'FETCH_HEAD']);
  return directory;
}

/** The merge commit that GitHub makes for a pull request, which is on no branch. */
function merge(parents: readonly string[], message = 'Merge'): string {
  const commit = git(
    remote.path,
    ['commit-tree', `${head}^{tree}`, ...parents.flatMap((parent) => ['-p', parent])],
    message,
  );
  git(remote.path, ['update-ref', mergeRef, commit]);
  return commit;
}

const { signal } = new AbortController();
const gitAt = (directory: string) => gitIn(directory, process.env, signal);
const pullRequest = (): Trigger => ({
  kind: 'pull-request',
  pullRequest: { number: 7, headSha: head, headRepository: 'octo/shop', baseBranch: 'main' },
  baseSha: before,
});

beforeEach(async () => {
  remote = await Remote.create();
  before = remote.tip('main');
  git(remote.path, ['branch', 'faster', 'main']);
  remote.writeFile('faster', 'faster.txt', 'faster');
  head = remote.tip('faster');
  remote.writeFile('main', 'theirs.txt', 'slower');
  now = remote.tip('main');
});

describe('the base of a pull request', () => {
  it('is the commit that its merge builds on, whatever the event says', async () => {
    merge([now, head]);
    const directory = checkout(mergeRef);
    const base = await eventBase(gitAt(directory), pullRequest());
    expect(base).toBe(now);
    expect(await resolveCommit(gitAt(directory), now, { clock: createSystemClock(), signal })).toBe(now);
    expect(git(directory, ['ls-tree', '--name-only', now])).toContain('theirs.txt');
  });

  it('comes from the event if the head commit is checked out', async () => {
    expect(await eventBase(gitAt(checkout('faster')), pullRequest())).toBe(before);
  });

  it.each([
    ['that of another commit', () => merge([now, before])],
    ['in the opposite direction', () => merge([head, now])],
    ['that of several branches', () => merge([now, head, before])],
    ['only in its message', () => merge([now], `Merge\n\nparent ${now}\nparent ${head}\n`)],
  ])('comes from the event if the checked out merge is %s', async (_, make) => {
    make();
    expect(await eventBase(gitAt(checkout(mergeRef)), pullRequest())).toBe(before);
  });

  it('comes from the event outside a checkout', async () => {
    expect(await eventBase(gitAt(remote.home), pullRequest())).toBe(before);
  });
});

it('the base of a merge queue entry is the commit it is merged onto', async () => {
  merge([before, head]);
  const queued: Trigger = { kind: 'merge-group', baseSha: now };
  expect(await eventBase(gitAt(checkout(mergeRef)), queued)).toBe(now);
});

it('a push has no base', async () => {
  const push: Trigger = { kind: 'push', ref: 'refs/heads/main', toDefaultBranch: true };
  expect(await eventBase(gitAt(checkout('main')), push)).toBeUndefined();
});
