import { expect, it } from 'vitest';
import { readAncestry } from '../../src/adapters/baseline/ancestry.ts';
import { commitsSince } from '../../src/adapters/git/changes.ts';
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

function gitOf(directory: string): Git {
  const { signal } = new AbortController();
  return new Git({ directory, env: process.env, secrets: new Secrets(), signal, withinMs: 30_000 });
}

/** The commits in the order that the checkout reports, without those that it does not know. */
async function order(directory: string, commits: readonly string[]): Promise<readonly string[]> {
  const ancestry = await readAncestry(gitOf(directory), commits);
  return [...ancestry].toSorted(([, a], [, b]) => a - b).map(([commit]) => commit);
}

const completeClones = [
  ['a whole clone', []],
  // perf-baseline.yml checks out like this.
  ['a clone of all commits without their files', ['--filter=blob:none']],
] as const;

it.each(completeClones)(
  '%s knows the order of commits, whatever order the question has',
  async (_, options) => {
    const { remote, commits } = await threeCommits();
    expect(await order(remote.clone(...options), commits.toReversed())).toEqual(commits);
  },
);

it('a shallow clone knows only the newest commit, and downloads no others', async () => {
  const { remote, commits } = await threeCommits();
  expect(await order(remote.clone('--depth=1'), commits)).toEqual(commits.slice(-1));
});

it.each(completeClones)('%s knows the commits of its own line since others', async (_, options) => {
  const { remote, commits } = await threeCommits();
  const [one = '', two = '', three = ''] = commits;
  const tree = git(remote.path, ['rev-parse', `${three}^{tree}`]);
  const topic = remote.commitOn('topic', tree, [three]);
  const merge = remote.commitOn('main', tree, [three, topic]);
  const clone = gitOf(remote.clone(...options));
  const since = (...known: readonly string[]) => commitsSince(clone, known, merge, 3);
  expect(await since(one)).toEqual([merge, three, two]);
  // What was rewritten, or was measured without a repository, is no commit here.
  expect(await since('f'.repeat(40), '', one, two)).toEqual([merge, three]);
  expect(await since(topic)).toEqual([merge]);
  expect(await since(merge)).toEqual([]);
  // No more than asked for.
  expect(await since()).toEqual([merge, three, two]);
});

it('a shallow clone knows only the newest commit since any other', async () => {
  const { remote, commits } = await threeCommits();
  const [one = '', , three = ''] = commits;
  expect(await commitsSince(gitOf(remote.clone('--depth=1')), [one], three, 9)).toEqual([three]);
});
