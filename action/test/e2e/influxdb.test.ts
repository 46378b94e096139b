import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveInfluxdb } from '../contract/fake-influxdb.ts';
import { ActionJob, inputs, own } from './action-job.ts';
import { pullRequestEvent } from './events.ts';
import { TinyProject } from './gate.ts';

const token = 's3cret-token-of-influxdb';
const check = ['check', '--config', 'gate.yml', '--compare', 'none'];
/** Shows what the service is started with. */
const printingEnv = [
  'command: [node, server.mjs]',
  'command: [sh, -c, "env >env.txt; exec node server.mjs"]',
] as const;

function linesOf(requests: readonly { readonly lines: readonly string[] }[], measurement: string): string[] {
  return requests.flatMap(({ lines }) => lines).filter((line) => line.startsWith(`${measurement},`));
}

describe('a check', () => {
  async function tiny(outputs: string): Promise<TinyProject> {
    const project = await TinyProject.create();
    onTestFinished(() => project.fixture.rm());
    await project.edit(...printingEnv);
    await project.edit('suites:', `outputs:\n  - influxdb: ${outputs}\nsuites:`);
    return project;
  }

  it('writes its figures, with a token that nothing else gets', async () => {
    const { url, requests } = await serveInfluxdb();
    const project = await tiny(`{ url: "${url}", bucket: perf, org: team, token: "\${INFLUX_TOKEN}" }`);
    const { code, stdout, stderr } = await project.run(check, { INFLUX_TOKEN: token, OTHER: 'seen' });
    expect(code, stderr).toBe(0);
    expect(requests[0]?.headers.authorization).toBe(`Token ${token}`);
    expect(linesOf(requests, 'gate_runs')).toHaveLength(1);
    expect(linesOf(requests, 'gate_cells')).toHaveLength(2);
    const phases = linesOf(requests, 'gate_requests').map((line) => /phase=([\w-]+)/.exec(line)?.[1]);
    expect(new Set(phases)).toEqual(new Set(['warm-up', 'guard', 'counted']));
    expect(stderr).toMatch(/wrote \d+ points to http/);
    const env = await readFile(join(project.fixture.path, 'env.txt'), 'utf8');
    expect(env).toContain('OTHER=seen');
    expect(stdout + stderr + env).not.toContain(token);
  });

  it('has the same verdict if the server refuses them, and says why', async () => {
    const { url } = await serveInfluxdb((_, response) =>
      response.writeHead(404).end('{"error":"database not found"}'),
    );
    const project = await tiny(`{ url: "${url}", database: perf }`);
    const { code, stdout, stderr } = await project.run(check);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('Measured');
    expect(stderr).toMatch(/warning: E_OUTPUT_WRITE .*database not found.*Next: create perf there/);
  });

  it('writes seconds while it measures with --live, and all of them again at the end', async () => {
    const { url, requests } = await serveInfluxdb((_, response) => response.writeHead(204).end());
    const project = await tiny(`{ url: "${url}", database: perf }`);
    await project.edit('counted: 2s', 'counted: 5s');
    const counted = (of: typeof requests) =>
      linesOf(of, 'gate_requests').filter((line) => line.includes('phase=counted'));
    const gate = project.start([...check, '--live']);
    await expect.poll(() => counted(requests).length).toBeGreaterThan(0);
    expect(gate.stderr()).not.toContain('✓ load');
    const { code, stderr } = await gate.done;
    expect(code, stderr).toBe(0);
    const begun = requests.findIndex((request) => linesOf([request], 'gate_runs').length > 0);
    const [live, final] = [requests.slice(0, begun), requests.slice(begun)];
    // Four blocks of five seconds, of which the last ones may still have been open.
    expect(counted(live).length).toBeGreaterThan(0);
    expect(linesOf(live, 'gate_readings').length).toBeGreaterThan(0);
    expect(linesOf(live, 'gate_cells')).toEqual([]);
    expect(linesOf(final, 'gate_cells')).toHaveLength(2);
    const all = new Set(counted(final));
    expect(counted(live).filter((line) => !all.has(line))).toEqual([]);
  });

  it('goes on, and says so once, if nobody answers while it measures', async () => {
    const { url } = await serveInfluxdb((_, response) => response.writeHead(500).end('down'));
    const project = await tiny(`{ url: "${url}", database: perf }`);
    await project.edit('counted: 2s', 'counted: 5s');
    const { code, stderr } = await project.run([...check, '--live']);
    expect(code, stderr).toBe(0);
    expect(stderr.match(/Nothing more is sent to it until the check has ended/g)).toHaveLength(1);
  });

  it('measures nothing if the variable of a secret does not exist', async () => {
    const project = await tiny('{ url: "http://127.0.0.1:1", database: perf, token: "${INFLUX_TOKEN}" }');
    const { code, stderr } = await project.run(check);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /E_CONFIG_VARIABLE\] outputs\[0\]\.influxdb\.token: the variable INFLUX_TOKEN does not exist/,
    );
    expect(stderr).not.toMatch(/boot|warm-up/);
  });

  it('writes nothing if the variable is empty', async () => {
    const { url, requests } = await serveInfluxdb();
    const project = await tiny(`{ url: "${url}", database: perf, token: "\${INFLUX_TOKEN}" }`);
    const { code, stderr } = await project.run(check, { INFLUX_TOKEN: '' });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('outputs[0].influxdb is off, because INFLUX_TOKEN is empty');
    expect(requests).toEqual([]);
  });
});

describe('the Action', () => {
  async function begin(): Promise<ActionJob> {
    const job = await ActionJob.begin();
    onTestFinished(() => job.end());
    await job.project.edit(...printingEnv);
    return job;
  }
  const alone = { ...inputs, compare: 'none' };

  it('writes to the InfluxDB of its inputs, with a token that nothing else gets', async () => {
    const { url, requests } = await serveInfluxdb();
    const job = await begin();
    const given = { ...alone, 'influxdb-url': url, 'influxdb-database': 'perf', 'influxdb-token': token };
    const { code, log, outputs } = await job.runner.main(pullRequestEvent(own), given);
    expect(code, log).toBe(0);
    expect(requests[0]).toMatchObject({
      path: '/write?db=perf&precision=ms',
      headers: { authorization: `Token ${token}` },
    });
    expect(linesOf(requests, 'gate_runs')).toHaveLength(1);
    expect(outputs.verdict).toBe('pass');
    const env = await readFile(join(job.project.fixture.path, 'env.txt'), 'utf8');
    expect(log + env).not.toContain(token);
  });

  it('only warns if the server is down', async () => {
    const { url, close } = await serveInfluxdb();
    await close();
    const job = await begin();
    const given = { ...alone, 'influxdb-url': url, 'influxdb-bucket': 'perf' };
    const { code, log, outputs } = await job.runner.main(pullRequestEvent(own), given);
    expect(code, log).toBe(0);
    expect(outputs.verdict).toBe('pass');
    expect(log).toMatch(/^::warning title=perf-gate%3A figures not written::E_OUTPUT_WRITE .*ECONNREFUSED/m);
  });

  it('refuses an address without a database before it measures', async () => {
    const job = await begin();
    const { code, log } = await job.runner.main(pullRequestEvent(own), {
      ...alone,
      'influxdb-url': 'http://a',
    });
    expect(code).toBe(2);
    expect(log).toMatch(/E_INPUT.*expected either `database` or `bucket`/s);
  });
});
