import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { Git } from './command.ts';

/** True if the folder exists and is the top of a work tree. */
export async function isWorkTree(git: Git, tree: string): Promise<boolean> {
  if (statSync(tree, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const top = await git.in(tree).line(['rev-parse', '--show-toplevel']);
  return top !== undefined && realpathSync(top) === realpathSync(tree);
}

/** The arguments with which git adds a work tree of that commit, even where it remembers a former one. */
export function addWorkTree(tree: string, commit: string): readonly string[] {
  return ['worktree', 'add', '--quiet', '--force', '--force', '--detach', tree, commit];
}

/**
 * Makes git forget the work trees at or below this folder of the gate that are gone. `git worktree prune` would also
 * forget those of the user whose folder is not there just now, such as all others inside a container.
 */
export async function forgetWorkTrees(git: Git, folder: string): Promise<void> {
  const parent = dirname(folder);
  if (!existsSync(parent)) return;
  // Git lists paths without symbolic links.
  const own = join(realpathSync(parent), basename(folder));
  const listed = (await git.line(['worktree', 'list', '--porcelain'])) ?? '';
  const trees = [...listed.matchAll(/^worktree (.+)$/gm)].map(([, tree = '']) => tree);
  for (const tree of trees) {
    if ((tree !== own && !tree.startsWith(`${own}${sep}`)) || existsSync(tree)) continue;
    await git.run(['worktree', 'remove', '--force', '--force', tree]);
  }
}
