import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { Leftovers, Secrets } from '../host/index.ts';
import { ManagedProcess, type ProcessSpec } from './managed-process.ts';

/** What both kinds of stack are given. */
export interface StackOptions<Config> {
  readonly config: Config;
  /** Folder that commands and build steps run in. */
  readonly root: string;
  /** Per-user cache, which commands know as CACHE_DIR. */
  readonly cacheDirectory: string;
  /** Scratch folder of this checkout, which commands know as WORK_DIR. */
  readonly workDirectory: string;
  readonly logDirectory: string;
  /** Environment that every command inherits. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly note: (text: string) => void;
}

export interface StartOptions extends Pick<ProcessSpec, 'command' | 'env' | 'onLine'> {
  /** What the next check calls the process if it has to end it. */
  readonly role: string;
  /** Name of the log file. */
  readonly log: string;
}

/** What both kinds of stack do alike: clean up after an earlier check, run commands and mask secrets. */
export class StackWork {
  readonly options: StackOptions<unknown>;
  readonly secrets = new Secrets();
  readonly leftovers: Leftovers;

  /** @param leftoversFile name of the file, in the work folder, that lists running processes */
  constructor(options: StackOptions<unknown>, leftoversFile: string) {
    this.options = options;
    this.leftovers = new Leftovers(join(options.workDirectory, leftoversFile));
    this.secrets.addFrom(options.env);
  }

  readonly masked = (text: string) => this.secrets.masked(text);

  /** Creates the folders and ends what an earlier check left running. */
  begin(): void {
    const { workDirectory, logDirectory, note } = this.options;
    mkdirSync(workDirectory, { recursive: true });
    mkdirSync(logDirectory, { recursive: true });
    for (const left of this.leftovers.kill()) note(`ended what an earlier check left running: ${left}`);
  }

  start({ role, log, ...spec }: StartOptions): Promise<ManagedProcess> {
    const { root, logDirectory } = this.options;
    return ManagedProcess.start({
      ...spec,
      cwd: root,
      logFile: join(logDirectory, log),
      onStart: (pid) => this.leftovers.add(role, pid),
      masked: this.masked,
    });
  }

  async stop(process: ManagedProcess | undefined, withinSeconds: number): Promise<void> {
    if (process === undefined) return;
    await process.stop(withinSeconds);
    this.leftovers.remove(process.pid);
  }

  /** Masks secrets in the Faults that the work throws: a log may hold what its program was given. */
  async masking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { masked } = this;
      const { place, cause, nextStep, logTail, ...details } = error.details;
      const texts = { place: masked(place), cause: masked(cause), nextStep: masked(nextStep) };
      const log = logTail === undefined ? {} : { logTail: logTail.map(masked) };
      throw new Fault({ ...details, ...texts, ...log }, { cause: error });
    }
  }
}
