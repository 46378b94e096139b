import { createHash } from 'node:crypto';
import { realpathSync, rmSync, statSync } from 'node:fs';
import { Fault } from '../../model/fault.ts';
import { type Git, quoted } from './command.ts';

/** The gate's own folder in a checkout. */
const ownFolder = '.perf-gate';

/** The author of commits that nobody else sees. */
const author = ['user.name=perf-gate', 'user.email=perf-gate@localhost', 'commit.gpgSign=false'].flatMap(
  (setting) => ['-c', setting],
);

/**
 * Makes `tree` a work tree of that commit and nothing else, as a fresh clone would be: no build output of another patch
 * stays. Only what the gate keeps there itself does, so that the base commit is not built again.
 */
export async function freshCheckout(git: Git, commit: string, tree: string): Promise<void> {
  if (!(await isWorkTree(git, tree))) {
    await removeCheckout(git, tree);
    await git.output(['worktree', 'add', '--quiet', '--force', '--force', '--detach', tree, commit]);
    return;
  }
  const within = git.in(tree);
  await within.output(['checkout', '--quiet', '--force', '--detach', commit]);
  await within.output(['clean', '-ffdxq', '-e', `/${ownFolder}/`]);
}

async function isWorkTree(git: Git, tree: string): Promise<boolean> {
  if (statSync(tree, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const top = await git.in(tree).line(['rev-parse', '--show-toplevel']);
  return top !== undefined && realpathSync(top) === realpathSync(tree);
}

/** Applies the patch in git's folder and commits it, so that a check finds a commit as that of a pull request. */
export async function commitPatch(git: Git, patch: string, name: string): Promise<void> {
  const applied = await git.run(['apply', '--index', '--whitespace=nowarn', patch]);
  if (applied.code !== 0) {
    throw new Fault({
      code: 'E_CATALOGUE_PATCH',
      kind: 'usage',
      place: patch,
      cause: `the patch does not apply${quoted(applied.stderr)}`,
      nextStep: 'make the change again in a checkout, and replace the patch by the output of `git diff`',
    });
  }
  await git.output([...author, 'commit', '--quiet', '--no-verify', `--message=${name}`]);
}

/** Removes the work tree and those below it, if they exist. */
export async function removeCheckout(git: Git, tree: string): Promise<void> {
  await git.run(['worktree', 'remove', '--force', '--force', tree]);
  rmSync(tree, { recursive: true, force: true });
  await git.run(['worktree', 'prune']);
}

/** SHA-256 of the files of a commit whose paths are wanted; undefined if git has no such commit. */
export async function hashOfCommit(
  git: Git,
  commit: string,
  isWanted: (path: string) => boolean,
): Promise<string | undefined> {
  const listed = await git.run(['ls-tree', '-r', '-z', '--full-tree', `${commit}^{tree}`]);
  if (listed.code !== 0) return undefined;
  const entries = listed.stdout.split('\0').filter((entry) => isWanted(entry.slice(entry.indexOf('\t') + 1)));
  return createHash('sha256').update(entries.join('\0')).digest('hex');
}
