import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy that forwards every host name to one server. Only requests through the proxy can resolve these names. */
export class FakeProxy {
  /** The requested destinations, such as `api.example.invalid:80`. */
  readonly connections: string[] = [];
  /** The credentials of each request; empty if it had none. */
  readonly credentials: string[] = [];
  readonly #server: Server;
  readonly #tunnels = new Set<Duplex>();
  readonly #target: number;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((_, response) => {
      response.writeHead(405).end('only CONNECT is supported');
    });
    this.#server.on('connect', (request, socket) => this.#tunnel(request, socket));
  }

  static async start(targetUrl: string): Promise<FakeProxy> {
    const proxy = new FakeProxy(Number(new URL(targetUrl).port));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Host and port without a scheme, such as `127.0.0.1:3128`. */
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
      // If one side breaks, close the other side too, because the tests observe that one.
      end.on('error', () => other.destroy());
      end.on('close', () => other.destroy());
    }
  }
}
