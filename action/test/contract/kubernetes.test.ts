import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createFixture, type FsFixture } from 'fs-fixture';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { collectLoad } from '../../src/entry/collect-load.ts';
import { type KubernetesRequest, writeKubernetesLoad } from '../../src/entry/kubernetes-load.ts';
import { readSettings, type Settings } from '../../src/entry/settings.ts';
import { faultOf } from './fault-of.ts';
import { findK6 } from './find-k6.ts';

const binary = findK6();
const name = 'gate-demo';

const config = `
version: 1
name: shop
allowTargets: [shop.default.svc]
stack:
  process:
    root: .
    service:
      command: [node, server.mjs]
      ports: { PORT: auto }
      url: http://127.0.0.1:\${PORT}
      ready: { url: "http://127.0.0.1:\${PORT}/ready" }
scenarios:
  browse:
    script: script.js
    env: { PRICE: $5, VU_OFFSET: "100" }
    endpoints: [own, all]
    loads: { some: { vus: 10 }, one: { vus: 1 }, open: { arrival: { rate: 30, vus: 12 } } }
suites: { pr: { cells: [browse@some], rounds: 2 } }
`;
const script = `
import exec from 'k6/execution';
import http from 'k6/http';
import { sleep } from 'k6';
import { path } from './lib.js';
const list = JSON.parse(open('./data.json'));
export default function () {
  const get = (name, rest) => http.get(__ENV.BASE_URL + path + rest, { tags: { name } });
  get('own', 'own-' + (Number(__ENV.VU_OFFSET) + __VU));
  get('all', 'all-' + exec.vu.idInTest + list[0] + encodeURIComponent(__ENV.PRICE));
  sleep(0.05);
}
`;

let seen: string[];
let url: string;
let fixture: FsFixture;
let settings: Settings;

beforeEach(async () => {
  seen = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fixture = await createFixture({
    'gate.yml': config,
    'script.js': script,
    'lib.js': "export const path = '/';",
    'data.json': '["x"]',
    '.git': {},
  });
  settings = readSettings({ GATE_K6: binary, PATH: process.env.PATH, GATE_ROOT: fixture.path }, fixture.path);
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await fixture.rm();
  });
});

function write(more: Partial<KubernetesRequest> = {}) {
  return writeKubernetesLoad(
    {
      configPath: 'gate.yml',
      cell: 'browse@some',
      url: 'http://shop.default.svc:8080',
      generators: 4,
      times: { guard: 6, counted: 2 },
      secrets: [],
      name,
      namespace: undefined,
      image: undefined,
      claim: undefined,
      separate: false,
      folder: 'out',
      ...more,
    },
    settings,
    () => undefined,
  );
}

interface Written {
  readonly archive: string;
  readonly arguments: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

/** What the operator gets from the manifests. */
async function written(): Promise<Written> {
  const manifests = await fixture.readFile('out/manifests.yaml', 'utf8');
  const objects = parseAllDocuments(manifests).map((document) => document.toJS());
  const of = (kind: string) => objects.find((one) => one.kind === kind);
  await fixture.writeFile('archive.tar', Buffer.from(of('ConfigMap').binaryData['archive.tar'], 'base64'));
  await fixture.mkdir('out/results');
  const { spec } = of('TestRun');
  return {
    archive: fixture.getPath('archive.tar'),
    arguments: spec.arguments.split(' '),
    env: spec.runner.env,
  };
}

/** Environment of a pod: the name of its job, and the values with `$$` for a dollar sign. The service is on this machine. */
function environment({ env }: Written, job: string): Record<string, string> {
  const values = env.map(({ name: variable, value }) => [variable, value?.replaceAll('$$', '$') ?? job]);
  return { ...Object.fromEntries(values), BASE_URL: url, PATH: process.env.PATH ?? '', HOME: fixture.path };
}

async function k6(args: readonly string[], env: Record<string, string>, killOn?: () => boolean) {
  const child = spawn(binary, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const watch = setInterval(() => killOn?.() && child.kill('SIGKILL'), 20);
  const out = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code, signal] = await once(child, 'close');
  clearInterval(watch);
  return { code: signal === 'SIGKILL' ? 137 : code, output: (await out).join('') };
}

/** Runs one generator as k6-operator and Kubernetes do, and returns its pod. */
async function runPod(given: Written, position: number, count: number, killOn?: () => boolean) {
  const job = `${name}-${position}`;
  const edge = (at: number) => (at === 0 || at === count ? String(at / count) : `${at}/${count}`);
  const edges = Array.from({ length: count + 1 }, (_, at) => edge(at));
  const options = given.arguments.map((one) =>
    one.replaceAll('$(GATE_GENERATOR)', job).replaceAll('/results/', `${fixture.getPath('out/results')}/`),
  );
  const startedAt = new Date().toISOString().replace(/\.\d+/, '');
  const { code } = await k6(
    [
      ...['run', '--quiet', `--execution-segment=${edge(position - 1)}:${edge(position)}`],
      ...[`--execution-segment-sequence=${edges.join(',')}`, ...options, given.archive],
      ...['--address=127.0.0.1:0', '--tag', `instance_id=${position}`, '--tag', `testrun_name=${name}`],
    ],
    environment(given, job),
    killOn,
  );
  const finishedAt = new Date().toISOString().replace(/\.\d+/, '');
  const terminated = { exitCode: code, reason: code === 0 ? 'Completed' : 'Error', startedAt, finishedAt };
  return {
    metadata: { labels: { 'job-name': job } },
    spec: { nodeName: `node-${position}` },
    status: { containerStatuses: [{ name: 'k6', state: { terminated } }] },
  };
}

async function runAll(count: number, killOn: Readonly<Record<number, () => boolean>> = {}) {
  const given = await written();
  const positions = Array.from({ length: count }, (_, index) => index + 1);
  const items = await Promise.all(positions.map((one) => runPod(given, one, count, killOn[one])));
  await fixture.writeFile('out/pods.json', JSON.stringify({ items }));
  return collectLoad(fixture.getPath('out'), 'out');
}

const usersIn = (kind: string) =>
  [
    ...new Set(
      seen.filter((path) => path.startsWith(`/${kind}-`)).map((path) => Number(/-(\d+)/.exec(path)?.[1])),
    ),
  ].sort((a, b) => a - b);

describe('a load for k6-operator', () => {
  it('is run by four generators as if by one, and their results are merged', async () => {
    const { folder, commands } = await write();
    expect(folder).toBe('out');
    expect(commands[0]).toBe('kubectl apply --server-side -f out/manifests.yaml');
    const load = await runAll(4);
    // The generators of a busy machine may begin too far apart.
    expect(load.invalid.filter(({ code }) => code !== 'I_GENERATOR_START')).toEqual([]);
    expect(load.generators.map(({ end }) => end)).toEqual(Array(4).fill('finished'));
    expect(load.generators.reduce((sum, { requests }) => sum + requests, 0)).toBe(seen.length);
    expect(load.endpoints.map((one) => one.name)).toEqual(['all', 'own']);
    expect(load.tps).toBeGreaterThan(0);
    expect(usersIn('all')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // No two users have one number, although each generator counts from 1.
    expect(usersIn('own')).toHaveLength(10);
    expect(Math.min(...usersIn('own'))).toBeGreaterThan(100);
    expect(seen.filter((path) => path.startsWith('/all-'))).toSatisfy((paths: string[]) =>
      paths.every((path) => path.endsWith('x%245')),
    );
  });

  it('has as many arrivals as with one generator', async () => {
    await write({ cell: 'browse@open', times: { guard: 6, counted: 6 } });
    const { endpoints } = await runAll(4);
    const of = (name: string) => endpoints.find((one) => one.name === name)?.requests ?? 0;
    // A busy machine drops some, or has them before or after the interval. If each generator had all of them, it would be 720.
    const passes = of('all') + of('(dropped)');
    expect(passes).toBeGreaterThan(180 / 2);
    expect(passes).toBeLessThan(180 * 2);
  });

  it('is invalid if a generator dies, which it names', async () => {
    await write();
    const { invalid, generators } = await runAll(4, { 3: () => seen.length > 20 });
    expect(invalid.map(({ code }) => code)).toContain('I_GENERATOR_END');
    expect(invalid[0]?.cause).toMatch(/generator 3 of 4 \(gate-demo-3 on node-3\): killed by SIGKILL/);
    expect(generators.map(({ end }) => end === 'finished')).toEqual([true, true, false, true]);
  });

  it('passes the check that the operator makes before it starts generators', async () => {
    await write();
    const given = await written();
    const notForArchive = (one: string, index: number, all: readonly string[]) =>
      /^--(out|log-output|no-usage-report)/.test(one) || all[index - 1] === '--out';
    const options = given.arguments.filter((...one) => !notForArchive(...one));
    const again = fixture.getPath('again.tar');
    const env = environment(given, `${name}-initializer`);
    const variables = given.env.flatMap(({ name: variable }) => ['-e', `${variable}=${env[variable]}`]);
    const archived = await k6(['archive', given.archive, ...variables, '-O', again, ...options], env);
    expect(archived).toMatchObject({ code: 0 });
    const { output } = await k6(['inspect', '--execution-requirements', again], env);
    expect(JSON.parse(output)).toMatchObject({ maxVUs: 10 });
  });

  it('holds no variable in the script, so a Secret stays in the cluster', async () => {
    await write({ secrets: [{ variable: 'LOGIN_PASSWORD', name: 'shop', key: 'password' }] });
    const { archive, env } = await written();
    const packed = await fixture.readFile('archive.tar', 'latin1');
    expect(archive).toBe(fixture.getPath('archive.tar'));
    expect(packed).not.toContain('shop.default.svc');
    expect(env.find((one) => one.name === 'LOGIN_PASSWORD')).toEqual({
      name: 'LOGIN_PASSWORD',
      valueFrom: { secretKeyRef: { name: 'shop', key: 'password' } },
    });
  });

  it.each([
    ['more generators than users', { cell: 'browse@one' }, 'E_GENERATORS_MANY'],
    ['a cell that gate.yml does not have', { cell: 'browse@huge' }, 'E_CELL_UNKNOWN'],
    ['no name', { name: '' }, 'E_TESTRUN_NAME'],
    ['the address of the own pod', { url: 'http://localhost:8080' }, 'E_TARGET_LOOPBACK'],
    ['a host that nobody allowed', { url: 'http://other.default.svc' }, 'E_TARGET_FOREIGN'],
  ])('is not written for %s', async (_, more, code) => {
    expect(await faultOf(write(more))).toMatchObject({ code, kind: 'usage' });
    expect(await fixture.exists('out')).toBe(false);
  });

  it('is not written over another one', async () => {
    await write();
    expect(await faultOf(write())).toMatchObject({ code: 'E_GENERATOR_FOLDER', place: 'out' });
  });

  it('gets a folder and a name of its own, which git ignores', async () => {
    const { folder } = await write({ name: undefined, folder: undefined });
    expect(folder).toMatch(/^\.perf-gate\/generators\/gate-browse-some-[0-9a-f]{6}$/);
    expect(await fixture.readFile(join('.perf-gate', '.gitignore'), 'utf8')).toBe('*\n');
  });
});
