import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createFixture, type FsFixture } from 'fs-fixture';
import { lackOfTool } from '../e2e/tool.ts';

export function lackOfInfluxdb(): string | undefined {
  return lackOfTool('influxd', 'tests of a real InfluxDB', 'version');
}

export interface InfluxSeries {
  readonly name?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
}

/** A server of its own, which asks for names and passwords. */
export class RealInfluxdb {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #fixture: FsFixture;

  private constructor(url: string, process: ChildProcess, fixture: FsFixture) {
    this.url = url;
    this.#process = process;
    this.#fixture = fixture;
  }

  static async start(): Promise<RealInfluxdb> {
    const fixture = await createFixture({});
    const path = (name: string) => JSON.stringify(fixture.getPath(name));
    await fixture.writeFile(
      'influxdb.conf',
      `reporting-disabled = true
bind-address = "127.0.0.1:0"
[meta]
  dir = ${path('meta')}
[data]
  dir = ${path('data')}
  wal-dir = ${path('wal')}
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:0"
  auth-enabled = true
  log-enabled = false
`,
    );
    const process = spawn('influxd', ['-config', fixture.getPath('influxdb.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const url = await new Promise<string>((listening, failed) => {
      const log: string[] = [];
      createInterface(process.stderr).on('line', (line) => {
        log.push(line);
        const [, address] = /msg="Listening on HTTP".* addr=(\S+)/.exec(line) ?? [];
        if (address !== undefined) listening(`http://${address}`);
      });
      process.on('close', () => failed(new Error(`influxd ended:\n${log.join('\n')}`)));
    });
    const server = new RealInfluxdb(url, process, fixture);
    await server.query("CREATE USER admin WITH PASSWORD 'adm1n-pass' WITH ALL PRIVILEGES", {
      anonymous: true,
    });
    return server;
  }

  async query(text: string, { database = '', anonymous = false } = {}): Promise<readonly InfluxSeries[]> {
    const url = `${this.url}/query?${new URLSearchParams({ db: database, epoch: 'ms', q: text })}`;
    const headers = anonymous ? {} : { authorization: `Basic ${btoa('admin:adm1n-pass')}` };
    const { error, results = [] } = (await (await fetch(url, { method: 'POST', headers })).json()) as {
      readonly error?: string;
      readonly results?: readonly { readonly series?: readonly InfluxSeries[]; readonly error?: string }[];
    };
    const refused = error ?? results[0]?.error;
    if (refused !== undefined) throw new Error(`${text}: ${refused}`);
    return results[0]?.series ?? [];
  }

  /** Rows by column name. */
  async rows(text: string, database: string): Promise<Readonly<Record<string, unknown>>[]> {
    return (await this.query(text, { database })).flatMap(({ tags, columns, values }) =>
      values.map((row) => ({ ...tags, ...Object.fromEntries(columns.map((name, at) => [name, row[at]])) })),
    );
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'close');
    this.#process.kill();
    await ended;
    await this.#fixture.rm();
  }
}
