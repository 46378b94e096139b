import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files below a folder, for a look at a repository that somebody else wrote. */
export interface RepositoryFolder {
  /** Relative, with `/`, sorted. */
  readonly paths: readonly string[];
  /** Undefined for what is not there, no UTF-8 text, or larger than 256 KiB. */
  text(path: string): string | undefined;
}

/** Java's packages are folders. */
const deepest = 14;
const mostPaths = 20_000;
const largestBytes = 256 * 1024;
/** What tools have made or fetched, and what git keeps. */
const passedOver = new Set([
  'node_modules',
  'target',
  'build',
  'dist',
  'out',
  'vendor',
  'venv',
  '__pycache__',
]);
/** Files with a dot that say how a service is built. */
const dotFiles = new Set(['.env', '.nvmrc']);

/** Links are not followed: they could lead out of the repository, or round in circles. */
export function readRepositoryFolder(root: string): RepositoryFolder {
  const paths: string[] = [];
  const folders = [''];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const hidden = entry.name.startsWith('.') && !dotFiles.has(entry.name);
      if (hidden || paths.length >= mostPaths) continue;
      if (entry.isFile()) paths.push(path);
      else if (entry.isDirectory() && !passedOver.has(entry.name) && path.split('/').length < deepest)
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
