import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createFixture, type FsFixture } from 'fs-fixture';
import { lackOfTool } from '../e2e/tool.ts';

export function lackOfPrometheus(): string | undefined {
  return lackOfTool('prometheus', 'tests of a real Prometheus');
}

/** Where the server answers, once its log says so. The two lines come in either order. */
export function urlOf(log: readonly string[]): string | undefined {
  const text = log.join('\n');
  const [, address] = /msg="Listening on" address=(\S+)/.exec(text) ?? [];
  const ready = text.includes('Server is ready to receive web requests');
  return ready && address !== undefined ? `http://${address}` : undefined;
}

/** A server of its own. */
export class RealPrometheus {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #fixture: FsFixture;

  private constructor(url: string, process: ChildProcess, fixture: FsFixture) {
    this.url = url;
    this.#process = process;
    this.#fixture = fixture;
  }

  /** @param targets such as `127.0.0.1:8081/metrics`, read every second */
  static async start(targets: readonly string[]): Promise<RealPrometheus> {
    const fixture = await createFixture({});
    const jobs = targets.map((target, index) => {
      const [, host = '', path = ''] = /^([^/]+)(\/.*)$/.exec(target) ?? [];
      return { job_name: `page ${index}`, metrics_path: path, static_configs: [{ targets: [host] }] };
    });
    // JSON is YAML too.
    const config = { global: { scrape_interval: '1s' }, scrape_configs: jobs };
    await fixture.writeFile('prometheus.yml', JSON.stringify(config));
    const process = spawn(
      'prometheus',
      [
        `--config.file=${fixture.getPath('prometheus.yml')}`,
        `--storage.tsdb.path=${fixture.getPath('data')}`,
        '--web.listen-address=127.0.0.1:0',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const url = await new Promise<string>((ready, failed) => {
      const log: string[] = [];
      createInterface(process.stderr).on('line', (line) => {
        log.push(line);
        const answering = urlOf(log);
        if (answering !== undefined) ready(answering);
      });
      process.on('close', () => failed(new Error(`prometheus ended:\n${log.join('\n')}`)));
    });
    return new RealPrometheus(url, process, fixture);
  }

  /** What an expression evaluates to now. */
  async query(expression: string): Promise<readonly unknown[]> {
    const answer = await fetch(`${this.url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
    const { error, data } = (await answer.json()) as {
      readonly error?: string;
      readonly data?: { readonly result: readonly unknown[] };
    };
    if (data === undefined) throw new Error(`${expression}: ${error}`);
    return data.result;
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'close');
    this.#process.kill();
    await ended;
    await this.#fixture.rm();
  }
}
