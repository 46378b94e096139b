import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

/** Static imports, re-exports, dynamic imports and k6's `open()` of a relative path. */
const references = /(?:from|import|import\s*\(|open\s*\()\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/**
 * SHA-256 of the scripts and of every file they import or open, so that a changed load is never compared. Their names
 * count as seen from `root`, which the name of a checkout must not be part of.
 */
export function hashScripts(scripts: readonly string[], root: string, seed: string): string {
  const files = new Set<string>();
  const queue = [...scripts];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file) || !existsSync(file)) continue;
    files.add(file);
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(references)) {
      queue.push(resolve(dirname(file), target));
    }
  }
  const hash = createHash('sha256').update(seed);
  for (const file of [...files].sort()) {
    hash.update('\0').update(relative(root, file)).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex');
}
