import type { Clock } from '../../measure/index.ts';
import { type Container, readContainers } from './containers.ts';
import type { DockerCli } from './docker.ts';
import { engineDown } from './engine.ts';
import { type ContainerEvent, ContainerEvents } from './events.ts';
import type { Expectations } from './expectations.ts';

/**
 * An event may arrive this much later than its cause. The kernel reports that memory ran out after the killed process has
 * ended, and the engine reports an end after it has restarted the container.
 */
const eventGraceMs = 500;
const killedExitCode = 137;

/** Watches the containers of a stack from its first start until it is taken down. */
export class ComposeWatch {
  readonly #docker: DockerCli;
  readonly #project: string;
  readonly #expectations: Expectations;
  readonly #clock: Clock;
  readonly #events: ContainerEvents;
  readonly #listeners = new Set<(event: ContainerEvent) => void>();
  readonly #lost = Promise.withResolvers<never>();
  readonly #closed = new AbortController();
  /** Containers whose process the kernel killed for memory; the engine forgets that when they restart. */
  readonly #outOfMemory = new Set<string>();
  /** The first end of each container, which the engine forgets too. */
  readonly #ends = new Map<string, ContainerEvent>();
  /** Containers that are about to be replaced. */
  readonly #replaced = new Set<string>();

  constructor(docker: DockerCli, project: string, expectations: Expectations, clock: Clock) {
    this.#docker = docker;
    this.#project = project;
    this.#expectations = expectations;
    this.#clock = clock;
    this.#lost.promise.catch(() => undefined);
    this.#events = new ContainerEvents(docker, project, clock.now().getTime(), {
      onEvent: (event) => {
        if (event.kind === 'out-of-memory') this.#outOfMemory.add(event.container);
        if (event.kind === 'end' && !this.#ends.has(event.container)) this.#ends.set(event.container, event);
        for (const listener of [...this.#listeners]) listener(event);
      },
      onLost: (stderr) => this.#lost.reject(engineDown({ code: null, stdout: '', stderr, timedOut: false })),
    });
  }

  /** Rejects with a Fault once the engine is gone. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  close(): void {
    this.#closed.abort();
    this.#events.close();
  }

  /** Call before the container is replaced: its end is then no failure. */
  expectEnd(container: string): void {
    this.#replaced.add(container);
  }

  /** Reads every container. One that was restarted is shown as it first ended. */
  async containers(): Promise<Container[]> {
    const containers = await readContainers(this.#docker, this.#project);
    if (containers.some((container) => this.#lacksEvent(container))) {
      await this.next(eventGraceMs, this.#closed.signal);
    }
    return containers.map((container) => this.#asItEnded(container));
  }

  /** Calls `onFailure` for every event that breaks the stack, until the returned function is called. */
  onFailure(onFailure: (event: ContainerEvent) => void): () => void {
    const listener = (event: ContainerEvent) => {
      if (this.#isFailure(event)) onFailure(event);
    };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves with the next event, or after `ms` without one; rejects once the engine is gone. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    const event = Promise.withResolvers<void>();
    const listener = () => event.resolve();
    const done = new AbortController();
    this.#listeners.add(listener);
    try {
      const elapsed = this.#clock.wait(ms, AbortSignal.any([signal, done.signal]));
      elapsed.catch(() => undefined);
      await Promise.race([event.promise, elapsed, this.lost]);
    } finally {
      this.#listeners.delete(listener);
      done.abort();
    }
  }

  #isFailure(event: ContainerEvent): boolean {
    if (this.#closed.signal.aborted || this.#replaced.has(event.container)) return false;
    if (event.kind === 'health') return event.health === 'unhealthy';
    if (event.kind === 'end') return event.exitCode !== 0 || !this.#expectations.mayEnd(event);
    return event.kind === 'out-of-memory';
  }

  /** True if the event that explains the container's end has not arrived yet. */
  #lacksEvent({ id, restarts, outOfMemory }: Container): boolean {
    const end = this.#ends.get(id);
    if (end === undefined) return restarts > 0;
    return end.exitCode === killedExitCode && !outOfMemory && !this.#outOfMemory.has(id);
  }

  #asItEnded(container: Container): Container {
    const { id, status, restarts } = container;
    const outOfMemory = container.outOfMemory || this.#outOfMemory.has(id);
    const end = this.#ends.get(id);
    if (end === undefined || (restarts === 0 && status !== 'restarting'))
      return { ...container, outOfMemory };
    const exitCode = end.exitCode ?? container.exitCode;
    const finishedAt = new Date(end.atSeconds * 1000).toISOString();
    return { ...container, outOfMemory, status: 'exited', exitCode, finishedAt };
  }
}
