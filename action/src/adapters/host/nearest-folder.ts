import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder itself or the nearest one above it that holds the named file or folder; undefined if none does. */
export function nearestFolderWith(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
