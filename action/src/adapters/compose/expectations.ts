import type { Container } from './containers.ts';

/** What the compose file says about its services. */
interface ServiceKinds {
  readonly oneShot: ReadonlySet<string>;
  readonly lasting: ReadonlySet<string>;
}

/** Decides which containers must end with exit code 0, which may, and which of them have failed. */
export class Expectations {
  readonly #oneShot: ReadonlySet<string>;
  readonly #servers: ReadonlySet<string>;
  /** Containers that ran when the load began. */
  readonly #loaded = new Set<string>();

  /** @param servers services that must keep running, whatever the file says */
  constructor({ oneShot, lasting }: ServiceKinds, servers: readonly string[]) {
    this.#oneShot = oneShot;
    this.#servers = new Set([...lasting, ...servers]);
  }

  /** True if other services wait for the service's end. */
  mustEnd(service: string): boolean {
    return this.#oneShot.has(service);
  }

  /**
   * True also for a step that no service waits for. Such a step that still runs when the load begins takes part in the
   * measurement, so from then on it counts as a server.
   */
  mayEnd({ service, container }: { readonly service: string; readonly container: string }): boolean {
    return this.mustEnd(service) || !(this.#servers.has(service) || this.#loaded.has(container));
  }

  /** From now on every running container must keep running. */
  loadBegins(containers: readonly Container[]): void {
    for (const { id, status } of containers) if (status === 'running') this.#loaded.add(id);
  }

  /** True once the service has ended as expected, or is healthy, or runs without a health check. */
  isDone(service: string, containers: readonly Container[]): boolean {
    const own = containers.filter((container) => container.service === service);
    return (
      own.length > 0 &&
      own.every(({ id, status, exitCode, health = 'healthy' }) =>
        status === 'exited'
          ? exitCode === 0 && this.mayEnd({ service, container: id })
          : !this.mustEnd(service) && status === 'running' && health === 'healthy',
      )
    );
  }

  /** The failed container that ended first: the others usually ended because of it. */
  firstFailed(containers: readonly Container[]): Container | undefined {
    return containers
      .filter((container) => this.#hasFailed(container))
      .toSorted((a, b) => endOf(a) - endOf(b))
      .at(0);
  }

  #hasFailed(container: Container): boolean {
    const { id, status, exitCode, health, outOfMemory, error, restarts, service } = container;
    if (outOfMemory || restarts > 0 || health === 'unhealthy') return true;
    if (status === 'created') return error !== '';
    if (status === 'exited') {
      // An image may bring a health check of its own, which makes the container a server.
      const served = health !== undefined && !this.mustEnd(service);
      return exitCode !== 0 || served || !this.mayEnd({ service, container: id });
    }
    return status === 'restarting' || status === 'dead';
  }
}

/** A running container comes last: an unhealthy one usually lacks the one that ended. */
function endOf({ status, finishedAt }: Container): number {
  return status === 'running' ? Number.POSITIVE_INFINITY : Date.parse(finishedAt);
}
