import { relative, sep } from 'node:path';
import { changedSince, type Git, newFiles } from '../adapters/git/index.ts';
import { resultFolders } from './config-folders.ts';

/** As git writes the path. */
export function pathIn(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}

/**
 * A file in which the checkout differs from HEAD, except in what is known about checks and in files that git ignores. `folders`
 * are those that hold what is known, next to the usual ones.
 */
export async function uncommittedFile(
  git: Git,
  root: string,
  configDirectory: string,
  folders: readonly string[] = [],
): Promise<string | undefined> {
  const results = [...resultFolders(configDirectory), ...folders].map((folder) => `${pathIn(root, folder)}/`);
  const changed = (await changedSince(git, 'HEAD')).map(({ path }) => path);
  const different = [...changed, ...(await newFiles(git))];
  return different.find((path) => !results.some((folder) => path.startsWith(folder)));
}
