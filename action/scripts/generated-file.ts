import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file that is made from another one, and kept. */
export interface GeneratedFile {
  /** Of the repository. */
  readonly path: string;
  readonly wanted: string;
  /** Such as `E_SCHEMA_STALE`. */
  readonly code: string;
  /** What it is made from. */
  readonly source: string;
  /** What makes it anew. */
  readonly command: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Empty if the file is not there. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The first lines that differ, as `- on disk` and `+ wanted`. */
function difference(present: string, wanted: string): string {
  const have = present.split('\n');
  const want = wanted.split('\n');
  const start = want.findIndex((line, index) => line !== have[index]);
  const from = start === -1 ? want.length : start;
  return [
    `@@ line ${from + 1} @@`,
    ...have.slice(from, from + 5).map((line) => `- ${line}`),
    ...want.slice(from, from + 5).map((line) => `+ ${line}`),
  ].join('\n');
}

/** Writes the file; with --check nothing is written, and what is there is compared. */
export function keepGenerated({ path, wanted, code, source, command }: GeneratedFile): void {
  if (!process.argv.includes('--check')) {
    writeFileSync(path, wanted);
    return;
  }
  const present = readIfThere(path);
  if (present === wanted) return;
  process.stderr.write(
    `error[${code}] ${relative(root, path)}: not what ${source} says\n${difference(present, wanted)}\n  next: ${command}\n`,
  );
  process.exitCode = 1;
}
