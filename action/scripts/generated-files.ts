import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file that the repository keeps and that is made from others. */
export interface GeneratedFile {
  /** Relative to the top of the repository. */
  readonly path: string;
  readonly wanted: string;
  /** Code of the error that a file which is out of date gives, such as `E_SCHEMA_STALE`. */
  readonly code: string;
  /** The files that it is made from, in words. */
  readonly source: string;
}

/** The text with each part between `<!-- NAME:begin -->` and `<!-- NAME:end -->` replaced. */
export function withParts(text: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((before, [name, part]) => {
    const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
    const [from, to] = [before.indexOf(begin), before.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`the text lacks ${begin} with an end after it`);
    return `${before.slice(0, from + begin.length)}\n\n${part}\n\n${before.slice(to)}`;
  }, text);
}

/** Text of the file; empty if it does not exist, so that a new generated file counts as out of date. */
function textOf(path: string): string {
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

/** Writes the files below `root`. */
export function writeFiles(root: string, files: readonly GeneratedFile[]): void {
  for (const { path, wanted } of files) writeFileSync(join(root, path), wanted);
}

/** An error message for every file below `root` that is out of date. */
export function staleFiles(root: string, files: readonly GeneratedFile[], command: string): string[] {
  return files.flatMap(({ path, wanted, code, source }) => {
    const present = textOf(join(root, path));
    if (present === wanted) return [];
    return `error[${code}] ${path}: it differs from ${source}\n${difference(present, wanted)}\n  next: ${command}\n`;
  });
}
