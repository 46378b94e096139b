import type { Container } from './containers.ts';

/** What the compose file says of its services. */
interface ServiceKinds {
  readonly oneShot: ReadonlySet<string>;
  readonly lasting: ReadonlySet<string>;
}

/** Which containers of a stack are to end, and which may: with exit code 0, and not to be started again. */
export class Endings {
  readonly #oneShot: ReadonlySet<string>;
  readonly #servers: ReadonlySet<string>;
  /** Containers that ran when load began. */
  readonly #loaded = new Set<string>();

  /** @param servers services that have to run whatever the file says of them */
  constructor({ oneShot, lasting }: ServiceKinds, servers: readonly string[]) {
    this.#oneShot = oneShot;
    this.#servers = new Set([...lasting, ...servers]);
  }

  /** True if others wait for the service's end. */
  mustEnd(service: string): boolean {
    return this.#oneShot.has(service);
  }

  /**
   * True also for a step that nobody waits for. One that still runs when load begins takes part in what is measured,
   * and nothing tells it from a server.
   */
  mayEnd({ service, container }: { readonly service: string; readonly container: string }): boolean {
    return this.mustEnd(service) || !(this.#servers.has(service) || this.#loaded.has(container));
  }

  /** What runs now is to run on. */
  loadBegins(containers: readonly Container[]): void {
    for (const { id, status } of containers) if (status === 'running') this.#loaded.add(id);
  }
}
