import { constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { Fault } from '../../model/fault.ts';
import { expandText } from './expand-text.ts';
import type { DataPlace } from './seeded-data.ts';
import type { StackWork } from './stack-work.ts';

/** Data in folders of this machine. */
export class DataFolders implements DataPlace {
  readonly key = [];
  readonly #texts: readonly string[];
  readonly #folders: readonly string[];

  /** @param texts paths, which may use these variables */
  constructor(texts: readonly string[], variables: Readonly<Record<string, string>>, work: StackWork) {
    this.#texts = texts;
    this.#folders = texts.map((text) => ownFolder(text, expandText(text, variables), work));
  }

  async open(): Promise<Record<string, string>> {
    await this.#remove();
    for (const folder of this.#folders) mkdirSync(folder, { recursive: true });
    return {};
  }

  empty(): readonly string[] {
    return this.#texts.filter((_, index) => isEmpty(this.#folders[index] as string));
  }

  async save(snapshot: string): Promise<void> {
    for (const [index, folder] of this.#folders.entries()) await copy(folder, join(snapshot, String(index)));
  }

  async restore(snapshot: string): Promise<void> {
    await this.#remove();
    // The copy creates each folder, because only a new one gets the permissions of the snapshot.
    for (const [index, folder] of this.#folders.entries()) await copy(join(snapshot, String(index)), folder);
  }

  async #remove(): Promise<void> {
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }
}

function isEmpty(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

async function copy(from: string, to: string): Promise<void> {
  const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
  try {
    await cp(from, to, { ...options, mode: constants.COPYFILE_FICLONE });
  } catch (error) {
    throw new Fault(
      {
        code: 'E_DATA_COPY',
        kind: 'measurement',
        place: to,
        cause: `the data could not be copied: ${error instanceof Error ? error.message : String(error)}`,
        nextStep: 'make room on the disk, and end what still writes to the folder or keeps a socket in it',
      },
      { cause: error },
    );
  }
}

/** The gate empties the folder, so it may only be one that belongs to the gate. */
function ownFolder(text: string, path: string, { options: { root, workDirectory } }: StackWork): string {
  const folder = resolve(root, path);
  const within = relative(resolve(workDirectory), folder);
  if (within !== '' && within !== '..' && !within.startsWith(`..${sep}`)) return folder;
  throw new Fault({
    code: 'E_DATA_FOLDER',
    kind: 'usage',
    place: text,
    cause: 'the gate empties the folders of a snapshot, and this one is not below ${WORK_DIR}',
    nextStep: 'let `data.snapshot` in gate.yml, and the service, use a folder such as ${WORK_DIR}/data',
  });
}
