import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verdictSchema } from '../../src/model/verdict.ts';
import { git } from '../contract/git-repositories.ts';
import { type Outcome, processesMentioning } from './gate.ts';
import { lackOfTool } from './tool.ts';

const root = resolve(import.meta.dirname, '../../..');

/** A service of another team, with nothing of the gate in it. */
const service = {
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "start": "node server.js" } }\n',
  'server.js': `import { createServer } from 'node:http';

const server = createServer(({ url }, response) => {
  const path = url.split('?')[0];
  if (path === '/healthz') return response.end('ok');
  if (path === '/items') return setTimeout(() => response.end('[]'), 20);
  response.statusCode = 404;
  response.end();
});
server.listen(process.env.PORT ?? 3000);
process.on('SIGTERM', () => process.exit(0));
`,
};

let fixture: FsFixture;
let shop: string;

beforeEach(async () => {
  // A blank in the path of everything.
  fixture = await createFixture({ 'a folder': { shop: service } });
  shop = fixture.getPath('a folder/shop');
});

afterEach(async () => {
  expect(await processesMentioning(fixture.path)).toEqual([]);
  await fixture.rm();
});

function makeRepository(): void {
  git(shop, ['init', '--quiet', '-b', 'trunk']);
  commit('a service');
}

function commit(message: string): void {
  git(shop, ['add', '.']);
  git(shop, ['commit', '--quiet', '-m', message]);
}

/** Runs a command line as somebody types it, in a folder. */
function typed(line: string, directory = shop): Promise<Outcome> {
  const child = spawn('sh', ['-c', line], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // Marks every process, so that the test finds those left running.
      FIXTURE: fixture.path,
      ...(process.env.GATE_K6 === undefined ? {} : { GATE_K6: process.env.GATE_K6 }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((done) => child.on('close', (code) => done({ code, stdout, stderr })));
}

const gate = (args: string, directory = shop) => typed(`'${join(root, 'gate')}' ${args}`, directory);

/** A load that takes seconds, and a machine that may be busy. */
async function shortenLoad(): Promise<void> {
  const path = join(shop, 'perf/gate.yml');
  const changes = [
    ['rounds: 3', 'rounds: 2'],
    ['guard: 3s', 'guard: 500ms'],
    ['counted: 10s', 'counted: 2s'],
    ['{vus: 5}', '{vus: 2}'],
    ['{vus: 20}', '{vus: 4}'],
  ] as const;
  let text = await readFile(path, 'utf8');
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  await writeFile(
    path,
    `${text}
warmUp: { window: 1s, settledWindows: 2, latencyTolerance: 50%, vus: 1, cap: 60s }
limits: { generatorCpuShare: 90%, stealShare: 100%, othersCpuShare: 100% }
tolerances: { p95: 150%, tps: 50% }
`,
  );
}

async function verdictOf(stdout: string, directory: string) {
  const path = /^figures +(.+)\/report\.html/m.exec(stdout)?.[1];
  if (path === undefined) throw new Error(`no results are named in:\n${stdout}`);
  const newest = (await readdir(join(shop, '.perf-gate/results'))).sort().at(-1) ?? '';
  expect(resolve(directory, path)).toBe(join(shop, '.perf-gate/results', newest));
  const file = join(shop, '.perf-gate/results', newest, 'verdict.json');
  return verdictSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}

async function storedRuns(): Promise<number> {
  const text = await readFile(join(shop, '.perf-gate/baseline/baseline.json'), 'utf8');
  return JSON.parse(text).runs.length;
}

const ownResults = async () => readdir(join(root, '.perf-gate/results')).catch(() => []);

describe("another team's repository", () => {
  it('is set up by one command and checked by the next, which says itself how', async () => {
    makeRepository();
    const ours = await ownResults();
    const init = await gate('init');
    expect(init.code, init.stderr).toBe(0);
    expect(init.stdout).toMatch(/^found +scripts\.start of package\.json/m);
    expect(git(shop, ['status', '--porcelain', '-uall']).split('\n')).toEqual([
      '?? .github/workflows/perf-baseline.yml',
      '?? .github/workflows/perf-gate.yml',
      '?? .github/workflows/perf-publish.yml',
      '?? perf/gate.yml',
      '?? perf/scenarios/browse.js',
    ]);

    await shortenLoad();
    commit('guard it');
    const next = /^next: (.+)$/m.exec(init.stdout)?.[1] ?? '';
    const first = await typed(next);
    expect(first.code, first.stdout + first.stderr).toBe(0);
    expect(await verdictOf(first.stdout, shop)).toMatchObject({
      outcome: 'pass',
      comparison: { kind: 'none', reason: 'no-baseline' },
      cells: [
        { scenario: 'browse', load: 'average' },
        { scenario: 'browse', load: 'peak' },
      ],
    });
    expect(await storedRuns()).toBe(1);
    expect(git(shop, ['status', '--porcelain'])).toBe('');

    // From elsewhere, and still the results of that checkout.
    const second = await gate("check --config 'a folder/shop/perf/gate.yml'", fixture.path);
    expect(second.code, second.stdout + second.stderr).toBe(0);
    expect((await verdictOf(second.stdout, fixture.path)).comparison.kind).toBe('stored');
    expect(await ownResults()).toEqual(ours);
  });

  it('is never written to twice', async () => {
    makeRepository();
    expect((await gate("init 'a folder/shop'", fixture.path)).code).toBe(0);
    await writeFile(join(shop, 'perf/gate.yml'), 'ours\n');
    const again = await gate('init');
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/^error\[E_INIT_EXISTS\] perf\/gate\.yml: .*\n(.*\n)+ {2}next: /);
    expect(await readFile(join(shop, 'perf/gate.yml'), 'utf8')).toBe('ours\n');
  });
});

describe('what cannot be set up ends with exit code 2 and what to do', () => {
  it.each([
    ['no folder', 'nowhere', 'E_INIT_DIRECTORY'],
    ['a file', 'server.js', 'E_INIT_DIRECTORY'],
    ['a folder within the repository', 'src', 'E_INIT_REPOSITORY'],
    ['no git repository', '..', 'E_INIT_REPOSITORY'],
    ['an unknown option', '--force', '--force'],
    ['a service that is not there', '. --service orders', ''],
  ])('%s', async (_, args, code) => {
    makeRepository();
    await mkdir(join(shop, 'src'));
    if (code === '') {
      await writeFile(join(shop, 'compose.yml'), 'services: { web: { build: ., ports: ["80"] } }\n');
    }
    const result = await gate(`init ${args}`);
    expect(result.stderr).toContain(code === '' ? 'E_INIT_SERVICE' : code);
    expect(result.code).toBe(2);
    expect(existsSync(join(shop, 'perf'))).toBe(false);
  });
});

describe.each([
  ['actionlint', (files: readonly string[]) => files],
  ['zizmor', () => ['--offline', '--pedantic', '--quiet', '.github']],
] as const)('the written workflows, to %s', (tool, args) => {
  it.skipIf(lackOfTool(tool, 'tests of the written workflows') !== undefined)('are clean', async () => {
    makeRepository();
    expect((await gate('init')).code).toBe(0);
    const files = ['gate', 'baseline', 'publish'].map((name) => `.github/workflows/perf-${name}.yml`);
    expect(execFileSync(tool, args(files), { cwd: shop, encoding: 'utf8' })).not.toMatch(/error|warning/);
  });
});
