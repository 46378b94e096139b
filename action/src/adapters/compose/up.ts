import type { DockerCli } from './cli.ts';
import type { ComposeFaults } from './faults.ts';
import type { ComposeWatch } from './watch.ts';

export interface ComposeUpOptions {
  readonly docker: DockerCli;
  readonly project: string;
  /** Absolute paths of the compose file and of what is merged into it; relative paths are those of the first. */
  readonly files: readonly string[];
  readonly watch: ComposeWatch;
  readonly faults: ComposeFaults;
  /** Seconds to make networks, volumes and containers within. */
  readonly createWithin: number;
}

/** Starts services of a stack: first all that they need is made, then it is started. */
export class ComposeUp {
  readonly #options: ComposeUpOptions;

  constructor(options: ComposeUpOptions) {
    this.#options = options;
  }

  /**
   * Makes networks, volumes and containers. Not given up half-way, since it takes a second or two: the engine goes on
   * with what it was asked for though nobody waits for it, and what is there only after the clean-up would stay.
   */
  async create(services: readonly string[], flags: readonly string[], signal: AbortSignal): Promise<void> {
    const { docker, faults, watch, createWithin } = this.#options;
    const answer = await docker.run(
      this.#command('create', '--no-build', '--pull', 'never', ...flags, ...services),
      { within: createWithin, role: 'docker compose create' },
    );
    signal.throwIfAborted();
    if (answer.code !== 0) throw await faults.ofUp(answer, await watch.containers(), services, createWithin);
  }

  /** Starts what was made; given up as soon as one of the containers fails, since Compose may wait for it on. */
  async start(
    services: readonly string[],
    flags: readonly string[],
    within: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { docker, faults, watch } = this.#options;
    const broken = new AbortController();
    const off = watch.onFailure(() => broken.abort());
    try {
      const answer = await docker.run(
        this.#command('up', '-d', '--no-build', '--pull', 'never', '--no-recreate', ...flags, ...services),
        { within, signal: AbortSignal.any([signal, broken.signal]), role: 'docker compose up' },
      );
      if (answer.code !== 0) throw await faults.ofUp(answer, await watch.containers(), services, within);
    } catch (error) {
      signal.throwIfAborted();
      if (!broken.signal.aborted || error !== broken.signal.reason) throw error;
      throw await faults.ofUp(undefined, await watch.containers(), services, within);
    } finally {
      off();
    }
  }

  #command(...args: readonly string[]): string[] {
    const { project, files } = this.#options;
    const from = files.flatMap((file) => ['-f', file]);
    return ['compose', '--ansi', 'never', '--progress', 'plain', '-p', project, ...from, ...args];
  }
}
