import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a repository, which may contain anything. */
interface RepositoryFolder {
  /** Relative paths with `/`, sorted. */
  readonly paths: readonly string[];
  /** Undefined if the file does not exist, is not UTF-8 text, or has more than 256 KiB. */
  text(path: string): string | undefined;
}

/** Deep enough for Java, where each part of a package name is a folder. */
const deepest = 14;
const mostPaths = 20_000;
const largestBytes = 256 * 1024;
/** Tools write or download these folders. */
const skippedFolders = new Set([
  'node_modules',
  'target',
  'build',
  'dist',
  'out',
  'vendor',
  'venv',
  '__pycache__',
]);
/** These hidden files describe how a service is built. */
const dotFiles = new Set(['.env', '.nvmrc']);

/** Links are not followed, because they may lead out of the repository or form a loop. */
export function readRepositoryFolder(root: string): RepositoryFolder {
  const paths: string[] = [];
  const folders = [''];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const hidden = entry.name.startsWith('.') && !dotFiles.has(entry.name);
      if (hidden || paths.length >= mostPaths) continue;
      if (entry.isFile()) paths.push(path);
      else if (entry.isDirectory() && !skippedFolders.has(entry.name) && path.split('/').length < deepest)
        folders.push(path);
    }
  }
  const known = new Set(paths);
  return {
    paths: paths.toSorted(),
    text: (path) => (known.has(path) ? textOf(join(root, path)) : undefined),
  };
}

function textOf(file: string): string | undefined {
  const stat = lstatSync(file);
  if (!stat.isFile() || stat.size > largestBytes) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
