import type { Clock } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import type { DockerCli } from './cli.ts';
import { type Container, readContainers } from './containers.ts';
import type { Endings } from './endings.ts';
import { engineDown } from './engine.ts';
import { type ContainerEvent, ContainerEvents } from './events.ts';
import { failedContainer } from './failure.ts';
import type { ComposeFaults } from './faults.ts';

/**
 * An event may come this much later than what it tells of: the kernel's word that memory ran out after the end of the
 * process it killed, an end after the engine started the container again.
 */
const eventGraceMs = 500;
const killed = 137;

export interface ComposeWatchOptions {
  readonly docker: DockerCli;
  readonly project: string;
  readonly endings: Endings;
  readonly faults: ComposeFaults;
  readonly clock: Clock;
}

/** Sees what happens to the containers of a stack from its first start until it is taken down. */
export class ComposeWatch {
  readonly #options: ComposeWatchOptions;
  readonly #events: ContainerEvents;
  readonly #listeners = new Set<(event: ContainerEvent) => void>();
  readonly #lost = Promise.withResolvers<never>();
  readonly #closed = new AbortController();
  /** Containers that the kernel took a process from for want of memory; the engine forgets it when they restart. */
  readonly #outOfMemory = new Set<string>();
  /** First end of each container; the engine forgets that too. */
  readonly #ends = new Map<string, ContainerEvent>();
  /** Ends that were asked for. */
  readonly #expected = new Set<string>();

  constructor(options: ComposeWatchOptions) {
    this.#options = options;
    this.#lost.promise.catch(() => undefined);
    this.#events = new ContainerEvents(options.docker, options.project, options.clock.now().getTime(), {
      onEvent: (event) => {
        if (event.kind === 'out-of-memory') this.#outOfMemory.add(event.container);
        if (event.kind === 'end' && !this.#ends.has(event.container)) this.#ends.set(event.container, event);
        for (const listener of [...this.#listeners]) listener(event);
      },
      onLost: (said) =>
        this.#lost.reject(engineDown({ code: null, stdout: '', stderr: said, timedOut: false })),
    });
  }

  close(): void {
    this.#closed.abort();
    this.#events.close();
  }

  /** The container is about to be replaced: its end is no failure. */
  expectEnd(container: string): void {
    this.#expected.add(container);
  }

  /** Every container of the project; one that was started again is as it was when it first ended. */
  async containers(): Promise<Container[]> {
    const { docker, project } = this.#options;
    const containers = await readContainers(docker, project);
    if (containers.some((container) => this.#isUntold(container))) {
      await this.next(eventGraceMs, this.#closed.signal);
    }
    return containers.map((container) => this.#asItEnded(container));
  }

  /** Calls `onFailure` for every event that means the stack is broken, until the answer is called. */
  onFailure(onFailure: (event: ContainerEvent) => void): () => void {
    const listener = (event: ContainerEvent) => {
      if (this.#isFailure(event)) onFailure(event);
    };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves with the next event, or after `ms` if there is none; rejects if the engine is gone. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    const happened = Promise.withResolvers<void>();
    const done = new AbortController();
    const listener = () => happened.resolve();
    this.#listeners.add(listener);
    try {
      const elapsed = this.#options.clock.wait(ms, AbortSignal.any([signal, done.signal]));
      elapsed.catch(() => undefined);
      await Promise.race([happened.promise, elapsed, this.#lost.promise]);
    } finally {
      this.#listeners.delete(listener);
      done.abort();
    }
  }

  /** Rejects with a Fault once a container ends or runs out of memory that was not asked to. Never resolves. */
  failure(): Promise<never> {
    const failure = Promise.withResolvers<never>();
    const off = this.onFailure((event) => {
      if (event.kind === 'health') return;
      off();
      void this.#explain(event).then(failure.reject, failure.reject);
    });
    this.#lost.promise.catch(failure.reject);
    // Whoever waits for it gets the rejection; until somebody does, it is not an unhandled one.
    failure.promise.catch(() => undefined);
    return failure.promise;
  }

  /** Throws a Fault unless the same containers live the same life as when `booted` was read. */
  async verify(booted: readonly Container[]): Promise<void> {
    const { endings, faults } = this.#options;
    const now = await this.containers();
    const failed = failedContainer(now, endings);
    if (failed !== undefined && failed.health !== 'unhealthy') throw await faults.ofContainer(failed, 'load');
    for (const container of booted) {
      const same = now.find(({ id }) => id === container.id);
      if (same?.startedAt !== container.startedAt) {
        throw new Fault({
          code: 'E_SERVICE_DIED',
          kind: 'measurement',
          place: `service ${container.service}`,
          cause: `${container.service} was ${same === undefined ? 'removed' : 'restarted'} while it was measured`,
          nextStep: 'find out who did that; the figures are from two lives of it',
        });
      }
    }
  }

  #isFailure(event: ContainerEvent): boolean {
    if (this.#closed.signal.aborted || this.#expected.has(event.container)) return false;
    switch (event.kind) {
      case 'out-of-memory':
        return true;
      case 'health':
        return event.health === 'unhealthy';
      case 'end':
        return event.exitCode !== 0 || !this.#options.endings.mayEnd(event);
      case 'start':
        return false;
    }
  }

  async #explain(event: ContainerEvent): Promise<Fault> {
    const { faults } = this.#options;
    const container = (await this.containers()).find(({ id }) => id === event.container);
    if (container === undefined) {
      return new Fault({
        code: 'E_SERVICE_DIED',
        kind: 'measurement',
        place: `service ${event.service}`,
        cause: `the container of ${event.service} was removed under load`,
        nextStep: 'find out who did that, and run it again',
      });
    }
    return faults.ofContainer({ ...container, exitCode: event.exitCode ?? container.exitCode }, 'load');
  }

  /** True if an event is still to come that tells how it ended. */
  #isUntold({ id, restarts, outOfMemory }: Container): boolean {
    const end = this.#ends.get(id);
    if (end === undefined) return restarts > 0;
    return end.exitCode === killed && !outOfMemory && !this.#outOfMemory.has(id);
  }

  #asItEnded(container: Container): Container {
    const { id, status, restarts } = container;
    const outOfMemory = container.outOfMemory || this.#outOfMemory.has(id);
    const end = this.#ends.get(id);
    if (end === undefined || (restarts === 0 && status !== 'restarting'))
      return { ...container, outOfMemory };
    return {
      ...container,
      outOfMemory,
      status: 'exited',
      exitCode: end.exitCode ?? container.exitCode,
      finishedAt: new Date(end.atSeconds * 1000).toISOString(),
    };
  }
}
