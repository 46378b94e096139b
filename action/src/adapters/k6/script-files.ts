import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

/** Static imports, re-exports, dynamic imports and require() of a path: any other name is a module of k6's own. */
const imports = /\b(?:from|import|import\s*\(|require\s*\()\s*(['"`])(\.{0,2}\/.+?)\1/g;
/**
 * k6's `open()` takes any name: as seen from the folder of the file that it stands in or, within a function that another
 * file calls, from that of the script.
 */
const opens = /\bopen\s*\(\s*(['"`])(.+?)\1/g;

/**
 * SHA-256 of the scripts and of every file that they import or open by a literal name, so that a changed load is not
 * compared. Their names count as seen from `root`, which the name of a checkout must not be part of.
 */
export function hashScripts(scripts: readonly string[], root: string, seed: string): string {
  const files = new Set<string>();
  const queue = [...scripts];
  const scriptFolders = scripts.map((script) => dirname(script));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file) || !isFile(file)) continue;
    files.add(file);
    const text = readFileSync(file, 'utf8');
    const folder = dirname(file);
    for (const name of namedBy(imports, text)) queue.push(resolve(folder, name));
    for (const name of namedBy(opens, text)) {
      queue.push(...[folder, ...scriptFolders].map((from) => resolve(from, name)));
    }
  }
  const hash = createHash('sha256').update(seed);
  for (const file of [...files].sort()) {
    hash.update('\0').update(relative(root, file)).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex');
}

function namedBy(references: RegExp, text: string): string[] {
  return [...text.matchAll(references)]
    .map(([, , name = '']) => name)
    .filter((name) => !name.includes('://'));
}

/** A name in a comment or of some other open() may be that of anything. */
function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
