import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readRecord } from '../adapters/results/index.ts';
import { Fault } from '../model/fault.ts';
import type { CheckRecord } from '../model/record.ts';
import type { Settings } from './settings.ts';
import { openWorkspace } from './workspace.ts';

export interface KeptResult {
  readonly directory: string;
  readonly record: CheckRecord;
}

/** Folders of finished checks of this checkout, oldest first. A run's id sorts by time. */
function keptFolders({ root }: Settings): readonly string[] {
  const folder = dirname(openWorkspace(root, '-').resultDirectory);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .map((id) => join(folder, id))
    .filter((directory) => existsSync(join(directory, 'verdict.json')));
}

/** The result with that id or in that folder; without a name, the newest one. Undefined if there is none. */
export async function findResult(settings: Settings, name?: string): Promise<KeptResult | undefined> {
  const folders = keptFolders(settings);
  const directory =
    name === undefined ? folders.at(-1) : (folderNamed(settings, name) ?? byId(folders, name));
  return directory === undefined ? undefined : { directory, record: await readRecord(directory) };
}

/** All results, oldest first. */
export async function* keptRecords(settings: Settings): AsyncGenerator<CheckRecord> {
  for (const directory of keptFolders(settings)) yield await readRecord(directory);
}

/** The newest result of a clean checkout of that commit. */
export async function resultOfCommit(settings: Settings, commit: string): Promise<KeptResult | undefined> {
  for (const directory of keptFolders(settings).toReversed()) {
    const record = await readRecord(directory);
    const { code } = record.head.run;
    if (code.commit === commit && !code.dirty) return { directory, record };
  }
  return undefined;
}

function byId(folders: readonly string[], id: string): string | undefined {
  return folders.find((folder) => basename(folder) === id);
}

function folderNamed({ workingDirectory }: Settings, name: string): string | undefined {
  const path = resolve(workingDirectory, name);
  return existsSync(path) && statSync(path).isDirectory() ? path : undefined;
}

export function unknownResult(settings: Settings, name = ''): Fault {
  const newest = keptFolders(settings)
    .slice(-3)
    .toReversed()
    .map((folder) => basename(folder));
  return new Fault({
    code: 'E_RESULT_MISSING',
    kind: 'usage',
    place: name === '' ? dirname(openWorkspace(settings.root, '-').resultDirectory) : name,
    cause:
      name === '' ? 'no check of this checkout has finished yet' : 'nothing that was measured has this name',
    nextStep:
      newest.length === 0 ? 'run ./gate check first' : `name one of the newest checks: ${newest.join(', ')}`,
  });
}
