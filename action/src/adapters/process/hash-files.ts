import type { Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Fault } from '../../model/fault.ts';

/**
 * Hashes names and contents of files and folders. Modification times would differ after every checkout.
 *
 * @param missing returns what to throw if an input does not exist
 */
export function hashFiles(
  hash: Hash,
  inputs: readonly string[],
  root: string,
  missing: (input: string) => Fault,
): void {
  for (const input of inputs) {
    const path = join(root, input);
    if (!existsSync(path)) throw missing(input);
    for (const file of filesBelow(path)) {
      hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
    }
  }
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
