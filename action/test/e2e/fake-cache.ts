import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * How the service fares: it knows nothing yet and takes nothing; answers with errors; takes requests and never answers;
 * or accepts connections and never answers.
 */
export type CacheState = 'empty' | 'errors' | 'silence' | 'stalled';

/** The runner's cache service, as far as a client gets with it that finds nothing. */
export class FakeCache {
  state: CacheState;
  /** Methods that were called, such as `GetCacheEntryDownloadURL`. */
  readonly calls: string[] = [];
  readonly #server: Server;

  private constructor(state: CacheState) {
    this.state = state;
    this.#server = createServer((request, response) => {
      const method = /\/twirp\/.*\/(\w+)$/.exec(request.url ?? '')?.[1];
      if (method !== undefined) this.calls.push(method);
      request.resume();
      if (this.state === 'silence' || (this.state === 'stalled' && method !== undefined)) return;
      const status = this.state === 'errors' ? 503 : method === undefined ? 404 : 200;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end('{"ok":false,"message":"not available"}');
    });
  }

  static async start(state: CacheState): Promise<FakeCache> {
    const fake = new FakeCache(state);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  /** The runner's variables that lead a step to the service. */
  get env(): Record<string, string> {
    return {
      ACTIONS_RESULTS_URL: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`,
      ACTIONS_RUNTIME_TOKEN: 'of-the-runner',
      ACTIONS_CACHE_SERVICE_V2: 'true',
    };
  }

  /** From now on nothing listens there. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
