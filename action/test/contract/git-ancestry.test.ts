import { expect, it } from 'vitest';
import { readAncestry } from '../../src/adapters/baseline/ancestry.ts';
import { Git } from '../../src/adapters/git/command.ts';
import { Secrets } from '../../src/adapters/host/secrets.ts';
import { git, Remote } from './git-repositories.ts';

/** A remote with three commits on main, oldest first. */
async function threeCommits(): Promise<{ remote: Remote; commits: readonly string[] }> {
  const remote = await Remote.create();
  git(remote.path, ['config', 'uploadpack.allowFilter', 'true']);
  const commits = [remote.tip('main')];
  for (const name of ['two', 'three']) {
    remote.writeFile('main', `${name}.txt`, name);
    commits.push(remote.tip('main'));
  }
  return { remote, commits };
}

/** The commits in the order that the checkout reports, without those that it does not know. */
async function order(directory: string, commits: readonly string[]): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const own = new Git({ directory, env: process.env, secrets: new Secrets(), signal, withinMs: 30_000 });
  const ancestry = await readAncestry(own, commits);
  return [...ancestry].toSorted(([, a], [, b]) => a - b).map(([commit]) => commit);
}

it.each([
  ['a whole clone', []],
  // perf-baseline.yml checks out like this.
  ['a clone of all commits without their files', ['--filter=blob:none']],
])('%s knows the order of commits, whatever order the question has', async (_, options) => {
  const { remote, commits } = await threeCommits();
  expect(await order(remote.clone(...options), commits.toReversed())).toEqual(commits);
});

it('a shallow clone knows only the newest commit, and downloads no others', async () => {
  const { remote, commits } = await threeCommits();
  expect(await order(remote.clone('--depth=1'), commits)).toEqual(commits.slice(-1));
});
