import { createHash } from 'node:crypto';
import { constants, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { ProcessStackConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { runCommand } from './build-steps.ts';
import { expandText } from './expand-text.ts';
import { hashFiles } from './hash-files.ts';
import type { StackWork } from './stack-work.ts';

type DataConfig = NonNullable<ProcessStackConfig['data']>;

interface SeededDataOptions {
  readonly config: DataConfig;
  readonly work: StackWork;
  /** What the command and the folders may use. */
  readonly variables: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
}

/** Folders that a command fills once, and that every start of the stack finds as the command left them. */
export class SeededData {
  /** 16 hex digits over the command, the folders and the files that the data depends on. */
  readonly key: string;
  readonly #options: SeededDataOptions;
  readonly #folders: readonly string[];
  /** Keeps the folders under the key; complete if it exists. */
  readonly #snapshot: string;

  constructor(options: SeededDataOptions) {
    const { config, work, variables } = options;
    const { root, cacheDirectory } = work.options;
    this.#options = options;
    this.#folders = config.snapshot.map((text) => ownFolder(text, expandText(text, variables), work));
    // The texts and not their expansion, so that checkouts share a snapshot.
    const hash = createHash('sha256').update(JSON.stringify([config.command, config.snapshot]));
    hashFiles(hash, config.key, root, (input) => missingInput(config, input));
    this.key = hash.digest('hex').slice(0, 16);
    this.#snapshot = join(cacheDirectory, 'snapshots', `data-${this.key}`);
  }

  /** Runs the command if no snapshot has the key. */
  async seed(signal: AbortSignal): Promise<void> {
    if (existsSync(this.#snapshot)) return;
    const { config, work, variables, env } = this.#options;
    work.options.note(`seeding ${config.snapshot.join(', ')}, which later checks restore`);
    await this.#remove();
    for (const folder of this.#folders) mkdirSync(folder, { recursive: true });
    const command = config.command.map((part) => expandText(part, variables));
    const { code, logTail } = await runCommand(
      work,
      { role: 'data command', log: 'data.log', command, env },
      signal,
    );
    const empty = config.snapshot.filter((_, index) => isEmpty(this.#folders[index] as string));
    if (code !== 0 || empty.length > 0) {
      throw new Fault({
        code: 'E_DATA',
        kind: 'usage',
        place: config.command.join(' '),
        cause:
          code === 0
            ? `the command wrote nothing to ${empty.join(', ')}`
            : `the command ended with exit code ${code}`,
        nextStep: `run it by hand in ${work.options.root} and fix it, or correct \`data\` in gate.yml`,
        logTail,
      });
    }
    await this.#keep();
  }

  /** Replaces the folders with the snapshot. */
  async restore(): Promise<void> {
    await this.#remove();
    // The copy creates each folder, because only a new one gets the permissions of the snapshot.
    for (const [index, folder] of this.#folders.entries())
      await copy(join(this.#snapshot, String(index)), folder);
  }

  async #remove(): Promise<void> {
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }

  /** Renames a complete copy, so that a check that is killed meanwhile leaves no half of a snapshot. */
  async #keep(): Promise<void> {
    mkdirSync(dirname(this.#snapshot), { recursive: true });
    const draft = mkdtempSync(`${this.#snapshot}.`);
    try {
      for (const [index, folder] of this.#folders.entries()) await copy(folder, join(draft, String(index)));
      await rename(draft, this.#snapshot);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      // Another checkout has seeded the same data meanwhile.
      if (!existsSync(this.#snapshot)) throw error;
    }
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

function missingInput({ command }: DataConfig, input: string): Fault {
  return new Fault({
    code: 'E_DATA_KEY',
    kind: 'usage',
    place: input,
    cause: `the data of "${command.join(' ')}" depends on a file that does not exist`,
    nextStep: 'correct `data.key` in gate.yml',
  });
}
