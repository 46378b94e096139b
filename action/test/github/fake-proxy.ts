import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy behind which one server answers for every name: a request that does not come by it finds none of them. */
export class FakeProxy {
  /** Where connections were asked for, such as `api.example.invalid:80`. */
  readonly connections: string[] = [];
  /** What they were asked for with; empty where that was nothing. */
  readonly credentials: string[] = [];
  readonly #server: Server;
  readonly #tunnels = new Set<Duplex>();
  readonly #target: number;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((_, response) => {
      response.writeHead(405).end('only by CONNECT');
    });
    this.#server.on('connect', (request, socket) => this.#tunnel(request, socket));
  }

  static async start(targetUrl: string): Promise<FakeProxy> {
    const proxy = new FakeProxy(Number(new URL(targetUrl).port));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Without its scheme, as in `127.0.0.1:3128`. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const tunnel of this.#tunnels) tunnel.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #tunnel(request: IncomingMessage, client: Duplex): void {
    this.connections.push(request.url ?? '');
    this.credentials.push(request.headers['proxy-authorization'] ?? '');
    const server = connect(this.#target, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(server).pipe(client);
    });
    for (const [end, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#tunnels.add(end);
      // What breaks on one side is told to the other, which is where a test looks.
      end.on('error', () => other.destroy());
      end.on('close', () => other.destroy());
    }
  }
}
