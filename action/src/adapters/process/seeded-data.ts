import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DataConfig } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { runCommand } from './build-steps.ts';
import { expandText } from './expand-text.ts';
import { hashFiles } from './hash-files.ts';
import type { StackWork } from './stack-work.ts';

/** Where the data lies: folders of this machine, or volumes of containers. */
export interface DataPlace {
  /** What the data depends on besides command and files, such as the images that write it. */
  readonly key: readonly string[];
  /** Gets ready for the command, and returns variables for it. */
  open(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Names of parts to which the command wrote nothing. */
  empty(): readonly string[];
  /** Copies the data into the folder. Nothing uses the data any more. */
  save(folder: string, signal: AbortSignal): Promise<void>;
  /** Replaces the data with what `save` has copied there. */
  restore(folder: string, signal: AbortSignal): Promise<void>;
}

interface SeededDataOptions {
  readonly config: DataConfig;
  readonly work: StackWork;
  readonly place: DataPlace;
  /** What the command may use. */
  readonly variables: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
}

/** Data that a command makes once, and that every start of the stack finds as the command left it. */
export class SeededData {
  /** 16 hex digits over the command, the place and the files that the data depends on. */
  readonly key: string;
  readonly #options: SeededDataOptions;
  /** Keeps the data under the key; complete if it exists. */
  readonly #snapshot: string;

  constructor(options: SeededDataOptions) {
    const { config, work, place } = options;
    const { root, cacheDirectory } = work.options;
    this.#options = options;
    // The texts and not their expansion, so that checkouts share a snapshot.
    const hash = createHash('sha256').update(JSON.stringify([config.command, config.snapshot, ...place.key]));
    hashFiles(hash, config.key, root, (input) => missingInput(config, input));
    this.key = hash.digest('hex').slice(0, 16);
    this.#snapshot = join(cacheDirectory, 'snapshots', `data-${this.key}`);
  }

  /** Runs the command if no snapshot has the key. Returns whether it did. */
  async seed(signal: AbortSignal): Promise<boolean> {
    if (existsSync(this.#snapshot)) return false;
    const { config, work, place, variables, env } = this.#options;
    work.options.note(`seeding ${config.snapshot.join(', ')}, which later checks restore`);
    const command = config.command.map((part) => expandText(part, variables));
    const { code, logTail } = await runCommand(
      work,
      { role: 'data command', log: 'data.log', command, env: { ...env, ...(await place.open(signal)) } },
      signal,
    );
    const empty = place.empty();
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
    await this.#keep(signal);
    return true;
  }

  restore(signal: AbortSignal): Promise<void> {
    return this.#options.place.restore(this.#snapshot, signal);
  }

  /** Renames a complete copy, so that a check that is killed meanwhile leaves no half of a snapshot. */
  async #keep(signal: AbortSignal): Promise<void> {
    mkdirSync(dirname(this.#snapshot), { recursive: true });
    const draft = mkdtempSync(`${this.#snapshot}.`);
    try {
      await this.#options.place.save(draft, signal);
      await rename(draft, this.#snapshot);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      // Another checkout has seeded the same data meanwhile.
      if (!existsSync(this.#snapshot)) throw error;
    }
  }
}

/** Data that a stack's own parts name, and data of `data`, differ if either does. */
export function joinedKey(ofBacking: string, own: string | undefined): string {
  if (own === undefined) return ofBacking;
  if (ofBacking === '') return own;
  return createHash('sha256').update(`${ofBacking}\0${own}`).digest('hex').slice(0, 16);
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
