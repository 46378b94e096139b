import { realpathSync, rmSync, statSync } from 'node:fs';
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

/** Removes a work tree, and also a folder that git does not know as one. */
export async function removeWorkTree(git: Git, tree: string): Promise<void> {
  await git.run(['worktree', 'remove', '--force', '--force', tree]);
  rmSync(tree, { recursive: true, force: true });
}
