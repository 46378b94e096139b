import { realpathSync } from 'node:fs';
import { createFixture } from 'fs-fixture';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GitCheckout } from '../../src/adapters/git/checkout.ts';
import { git, Remote } from './git-repositories.ts';

const checkout = (directory: string) => new GitCheckout(directory, process.env, new AbortController().signal);

async function emptyFolder(): Promise<string> {
  const fixture = await createFixture();
  onTestFinished(() => fixture.rm());
  return realpathSync(fixture.path);
}

describe('GitCheckout', () => {
  it('knows nothing outside a checkout', async () => {
    const outside = checkout(await emptyFolder());
    expect([await outside.top(), await outside.defaultBranch(), await outside.commit()]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("knows the top folder and the remote's default branch, whatever is checked out", async () => {
    const clone = (await Remote.create()).clone();
    git(clone, ['switch', '--quiet', '-c', 'feature']);
    expect(await checkout(clone).top()).toBe(realpathSync(clone));
    expect(await checkout(clone).defaultBranch()).toBe('main');
    expect(await checkout(clone).commit()).toBe(git(clone, ['rev-parse', 'HEAD']));
    git(clone, ['remote', 'set-head', 'origin', '--delete']);
    expect(await checkout(clone).defaultBranch()).toBeUndefined();
  });

  it('takes the current branch if no remote exists, even before the first commit', async () => {
    const folder = await emptyFolder();
    git(folder, ['init', '--quiet', '-b', 'trunk']);
    expect(await checkout(folder).defaultBranch()).toBe('trunk');
    expect(await checkout(folder).commit()).toBeUndefined();
  });

  it('finds the newest release in its history, and ignores other tags', async () => {
    const clone = (await Remote.create()).clone();
    const first = git(clone, ['rev-parse', 'HEAD']);
    expect(await checkout(clone).release()).toBeUndefined();
    git(clone, ['tag', 'v1.2.3']);
    git(clone, ['commit', '--quiet', '--allow-empty', '-m', 'more']);
    git(clone, ['tag', 'v1']);
    expect(await checkout(clone).release()).toEqual({ version: 'v1.2.3', commit: first });
  });

  it.each([
    ['https://github.com/octo/perf-gate.git', 'octo/perf-gate'],
    ['https://x:token@github.com/octo/perf-gate', 'octo/perf-gate'],
    ['git@github.com:octo/perf-gate.git', 'octo/perf-gate'],
    ['ssh://git@github.com/octo/perf-gate', 'octo/perf-gate'],
    ['https://github.com.example.org/octo/perf-gate', undefined],
    ['https://github.com/octo/perf-gate/more', undefined],
    ['/src/perf-gate', undefined],
  ])('reads the name on GitHub from %s', async (address, name) => {
    const folder = await emptyFolder();
    git(folder, ['init', '--quiet']);
    git(folder, ['remote', 'add', 'origin', address]);
    expect(await checkout(folder).gitHubName()).toBe(name);
  });
});
