import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { arch } from 'node:os';
import { createFixture } from 'fs-fixture';

/** No k6 of this machine has it. */
const version = '9.9.9';

/** A release page of k6 that gives a share of its archive and then nothing more, until the test lets it go on. */
export class HalfRelease {
  readonly version = version;
  /** Of the archive. */
  readonly sha256: string;
  readonly requests: string[] = [];
  /** Resolves once all is sent that is going to be. */
  readonly stalled: Promise<void>;
  readonly #server: Server;
  #stalls = true;

  private constructor(archivePath: string, archive: Buffer, share: number) {
    this.sha256 = createHash('sha256').update(archive).digest('hex');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.stalled = promise;
    const begin = (response: ServerResponse, content: Buffer) => {
      if (share === 0) return resolve();
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, Math.floor(content.length * share)), () => resolve());
    };
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      this.requests.push(path);
      if (path !== archivePath) response.writeHead(404).end();
      else if (this.#stalls) begin(response, archive);
      else response.writeHead(200).end(archive);
    });
  }

  /** The k6 in it is this machine's own, by another name. */
  static async start(share: number): Promise<HalfRelease> {
    const name = `k6-v${version}-linux-${arch() === 'arm64' ? 'arm64' : 'amd64'}`;
    const fixture = await createFixture({
      [name]: { k6: `#!/bin/sh\nexec '${process.env.GATE_K6 ?? 'k6'}' "$@"\n` },
    });
    execFileSync('chmod', ['+x', fixture.getPath(name, 'k6')]);
    execFileSync('tar', ['-czf', fixture.getPath('k6.tar.gz'), '-C', fixture.path, name]);
    const archive = await readFile(fixture.getPath('k6.tar.gz'));
    await fixture.rm();
    const release = new HalfRelease(`/v${version}/${name}.tar.gz`, archive, share);
    await new Promise<void>((resolve) => release.#server.listen(0, '127.0.0.1', resolve));
    return release;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on the archive is given whole. */
  goOn(): void {
    this.#stalls = false;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
