import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { resolveCommit } from '../../src/adapters/git/base-checkout.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { eventBase } from '../../src/entry/action/event-commits.ts';
import { gitIn } from '../../src/entry/checkout-git.ts';
import type { Trigger } from '../../src/entry/github/github-event.ts';
import { git, Remote } from './git-repositories.ts';

let remote: Remote;
/** Of main when the pull request was opened, and after others have merged theirs. */
let before: string;
let now: string;
let head: string;

const mergeRef = 'refs/pull/7/merge';

/** As actions/checkout does it: one commit, without a branch. */
function checkout(ref: string): string {
  const directory = join(remote.home, 'checkout');
  git(remote.home, ['init', '--quiet', directory]);
  git(directory, ['remote', 'add', 'origin', `file://${remote.path}`]);
  git(directory, ['fetch', '--quiet', '--no-tags', '--depth=1', 'origin', ref]);
  git(directory, ['checkout', '--quiet', '--detach', 'FETCH_HEAD']);
  return directory;
}

/** What GitHub makes of a pull request: a commit that no branch holds. */
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
  pullRequest: { number: 7, headSha: head, headRepository: 'octo/shop' },
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
  it('is what its merge was made onto, whatever the event remembers', async () => {
    merge([now, head]);
    const directory = checkout(mergeRef);
    const base = await eventBase(gitAt(directory), pullRequest());
    expect(base).toBe(now);
    expect(await resolveCommit(gitAt(directory), now, { clock: createSystemClock(), signal })).toBe(now);
    expect(git(directory, ['ls-tree', '--name-only', now])).toContain('theirs.txt');
  });

  it('is what the event names where its own commit is checked out', async () => {
    expect(await eventBase(gitAt(checkout('faster')), pullRequest())).toBe(before);
  });

  it.each([
    ['of another commit', () => merge([now, before])],
    ['the other way around', () => merge([head, now])],
    ['of more than it', () => merge([now, head, before])],
    ['in its message only', () => merge([now], `Merge\n\nparent ${now}\nparent ${head}\n`)],
  ])('is what the event names where a merge is checked out %s', async (_, make) => {
    make();
    expect(await eventBase(gitAt(checkout(mergeRef)), pullRequest())).toBe(before);
  });

  it('is what the event names outside of a checkout', async () => {
    expect(await eventBase(gitAt(remote.home), pullRequest())).toBe(before);
  });
});

it('is for an entry of a merge queue what it is merged onto', async () => {
  merge([before, head]);
  const queued: Trigger = { kind: 'merge-group', baseSha: now };
  expect(await eventBase(gitAt(checkout(mergeRef)), queued)).toBe(now);
});

it('is not named by a push', async () => {
  const push: Trigger = { kind: 'push', ref: 'refs/heads/main', toDefaultBranch: true };
  expect(await eventBase(gitAt(checkout('main')), push)).toBeUndefined();
});
