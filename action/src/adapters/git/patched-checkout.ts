import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Fault } from '../../model/fault.ts';
import { type Git, quoted } from './command.ts';
import { addWorkTree, forgetWorkTrees, isWorkTree } from './work-tree.ts';

/** The gate's own folder in a checkout. */
const ownFolder = '.perf-gate';

/** The author of commits that nobody else sees. */
const author = ['user.name=perf-gate', 'user.email=perf-gate@localhost', 'commit.gpgSign=false'].flatMap(
  (setting) => ['-c', setting],
);

/**
 * Makes `tree` a clean work tree of that commit. It removes all build output except the gate's own folder, so the base
 * commit is not built again.
 */
export async function freshCheckout(git: Git, commit: string, tree: string): Promise<void> {
  if (!(await isWorkTree(git, tree))) {
    await removeCheckout(git, tree);
    await git.output(addWorkTree(tree, commit));
    return;
  }
  const within = git.in(tree);
  await within.output(['checkout', '--quiet', '--force', '--detach', commit]);
  await within.output(['clean', '-ffdxq', '-e', `/${ownFolder}/`]);
}

/** Applies the patch in git's folder and commits it, so that a check finds a commit as that of a pull request. */
export async function commitPatch(git: Git, patch: string, name: string): Promise<void> {
  const applied = await git.run(['apply', '--index', '--whitespace=nowarn', patch]);
  if (applied.code !== 0) {
    throw new Fault({
      code: 'E_CATALOGUE_APPLY',
      kind: 'measurement',
      place: patch,
      cause: `the patch does not apply${quoted(applied.stderr)}`,
      nextStep:
        'make the change again in a checkout, and replace the patch by `git diff` of all but the patches',
    });
  }
  await git.output([...author, 'commit', '--quiet', '--no-verify', `--message=${name}`]);
}

/** Removes the work tree and those below it, if they exist. */
export async function removeCheckout(git: Git, tree: string): Promise<void> {
  rmSync(tree, { recursive: true, force: true });
  await forgetWorkTrees(git, tree);
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
