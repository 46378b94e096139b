import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

/** Static imports, re-exports, dynamic imports and require() of a path. Other names are k6's own modules. */
const imports = /\b(?:from|import|import\s*\(|require\s*\()\s*(['"`])(\.{0,2}\/.+?)\1/g;
/** k6's `open()`, which takes any name. */
const opens = /\bopen\s*\(\s*(['"`])(.+?)\1/g;

/**
 * SHA-256 of the scripts and of every file that they import or open by a literal name. A changed load then never
 * counts as comparable. File names are taken relative to `root`, so the checkout's own path does not matter.
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
    queue.push(...referencesIn(text, imports).map((name) => resolve(folder, name)));
    // k6 resolves the name against the folder of its file, or against the script's if another file calls open().
    for (const name of referencesIn(text, opens)) {
      queue.push(...[folder, ...scriptFolders].map((from) => resolve(from, name)));
    }
  }
  const hash = createHash('sha256').update(seed);
  for (const file of [...files].sort()) {
    hash.update('\0').update(relative(root, file)).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex');
}

function referencesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, , name = '']) => name).filter((name) => !name.includes('://'));
}

/** False for whatever a name in a comment, or in an unrelated open(), may refer to. */
function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
