import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { Leftovers, Secrets } from '../host/index.ts';
import { type BuildStep, runBuildSteps } from './build-steps.ts';

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

/** What both kinds of stack do alike: clean up after an earlier check, run build steps and mask secrets. */
export class StackWork {
  readonly secrets = new Secrets();
  readonly leftovers: Leftovers;
  readonly #options: StackOptions<unknown>;

  /** @param leftoversFile name of the file, in the work folder, that lists running processes */
  constructor(options: StackOptions<unknown>, leftoversFile: string) {
    this.#options = options;
    this.leftovers = new Leftovers(join(options.workDirectory, leftoversFile));
    this.secrets.addFrom(options.env);
  }

  readonly masked = (text: string) => this.secrets.masked(text);

  /** Creates the folders and ends what an earlier check left running. */
  begin(): void {
    const { workDirectory, logDirectory, note } = this.#options;
    mkdirSync(workDirectory, { recursive: true });
    mkdirSync(logDirectory, { recursive: true });
    for (const left of this.leftovers.kill()) note(`ended what an earlier check left running: ${left}`);
  }

  build(
    steps: readonly BuildStep[],
    env: Readonly<Record<string, string | undefined>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { root, workDirectory, logDirectory, note } = this.#options;
    const { leftovers, masked } = this;
    const stampDirectory = join(workDirectory, 'built');
    const logFile = join(logDirectory, 'build.log');
    return runBuildSteps(steps, { root, env, note, stampDirectory, logFile, leftovers, masked }, signal);
  }

  /** Masks secrets in the Faults that the work throws: a log may hold what its program was given. */
  async masking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { place, cause, nextStep, logTail } = error.details;
      const masked = {
        place: this.masked(place),
        cause: this.masked(cause),
        nextStep: this.masked(nextStep),
      };
      throw new Fault(
        {
          ...error.details,
          ...masked,
          ...(logTail === undefined ? {} : { logTail: logTail.map(this.masked) }),
        },
        { cause: error },
      );
    }
  }
}
