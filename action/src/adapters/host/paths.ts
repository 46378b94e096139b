import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The path relative to the working directory if it is below that, else unchanged. */
export function shownPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere === '' || fromHere.startsWith('..') ? path : fromHere;
}

/** The nearest folder, from `from` upwards, that contains the named file or folder; undefined if none does. */
export function nearestFolderWith(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
