import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfig } from '../../adapters/config/index.ts';
import { writeFault } from '../../adapters/host/index.ts';

/** Edits the text of a configuration and says which lines are new. `what` is what they set, in the plural. */
export function editConfig(
  { workingDirectory, config }: { readonly workingDirectory: string; readonly config: string },
  what: string,
  edit: (text: string) => string,
): string {
  const path = resolve(workingDirectory, config);
  // A broken file gives its own message, and stays as it is.
  loadConfig(path);
  const before = readFileSync(path, 'utf8');
  const after = edit(before);
  if (after === before) return `\n${config} has ${what} already\n`;
  try {
    writeFileSync(path, after);
  } catch (error) {
    throw writeFault(error, config, 'E_RESULTS_WRITE');
  }
  const known = new Set(before.split('\n'));
  const added = after.split('\n').filter((line) => !known.has(line));
  return `\nwrote into ${config}:\n${added.join('\n')}\n`;
}
