import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CatalogueReport } from '../../src/model/catalogue.ts';
import { processesMentioning, slow, TinyProject, wideTolerances } from './gate.ts';

const catalogue = ['catalogue', '--config', 'gate.yml'];

let project: TinyProject;

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org', ...args], {
    cwd: project.fixture.path,
    encoding: 'utf8',
    stdio: 'pipe',
  });

/** Makes a patch of what the work does to the checkout, and undoes it. */
async function patch(name: string, work: () => Promise<void>): Promise<void> {
  await work();
  await project.write(`regressions/${name}.patch`, git('diff'));
  git('checkout', '-q', '.');
}

const expectations = `version: 1
regressions:
  slower: { title: waits, red: [browse@more], cause: "endpoint that slowed most: list" }
  broken: { title: is for another file, red: [browse], cause: list }
  deaf: { title: does not start, red: [browse], cause: list }
  quiet: { title: says something else, expect: pass, green: ["*"], because: it changes a text. }
`;

beforeEach(async () => {
  project = await TinyProject.create();
  await project.edit('rounds: 2', 'rounds: 3');
  await project.edit('cells: [browse@few, browse@more]', 'cells: [browse@more]');
  await project.edit('floors:', wideTolerances);
  await project.write('.gitignore', '.perf-gate/\ncache/\n');
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'fast');
  await patch('slower', () => project.makeSlower());
  await patch('quiet', () => project.edit('tiny: out of seats', 'tiny: no seats left', 'server.mjs'));
  await patch('deaf', () => project.edit(/^/, 'process.exit(1);\n', 'server.mjs'));
  await project.write(
    'regressions/broken.patch',
    git('show', '--format=', 'HEAD:gate.yml').replace(/^/gm, '+'),
  );
  await project.write('regressions/regressions.yml', expectations);
  git('add', '-A');
  git('commit', '-qm', 'regressions');
});

afterEach(async () => {
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

/** What the command kept, in the folder that it prints. */
async function resultOf(stdout: string): Promise<CatalogueReport> {
  const [printed = ''] = /\.perf-gate\/results\/[^/\s]+/.exec(stdout) ?? [];
  const folder = join(project.fixture.path, printed);
  expect(await readFile(join(folder, 'catalogue.html'), 'utf8')).toContain('slower');
  return JSON.parse(await readFile(join(folder, 'catalogue.json'), 'utf8'));
}

const rowsOf = ({ rows }: CatalogueReport) => rows.map(({ name, result: found }) => `${name}: ${found}`);

it('stores a baseline, checks each patch, goes on after those it cannot, and keeps what it found', async () => {
  const first = await project.run([...catalogue, '--rows', 'detection']);
  expect(first.code, first.stdout + first.stderr).toBe(3);
  const report = await resultOf(first.stdout);
  expect(rowsOf(report)).toEqual(['slower: caught', 'broken: failed', 'deaf: failed', 'quiet: as expected']);
  const [caught, broken, deaf] = report.rows;
  expect(caught).toMatchObject({ outcome: 'regression', red: ['browse@more'] });
  const rows = await readFile(join(project.fixture.path, 'detection/runs.csv'), 'utf8');
  const [header = '', ...runs] = rows
    .trimEnd()
    .split('\n')
    .map((row) => row.split(','));
  // The code without a patch, and the two patches that could be measured.
  expect(runs.map((row) => row[header.indexOf('change')])).toEqual(['', 'slower', 'quiet']);
  expect(broken?.why).toContain('E_CATALOGUE_APPLY');
  expect(deaf?.why).toMatch(/\(E_[A-Z_]+\)/);
  expect(first.stderr).toContain('no comparable run of suite pr of this code is stored');
  const { path } = project.fixture;
  const baseline = join(path, '.perf-gate/baseline/baseline.json');
  expect(JSON.parse(await readFile(baseline, 'utf8')).runs).toHaveLength(1);
  expect(await readFile(join(path, '.perf-gate/catalogue/slower.html'), 'utf8')).toContain('browse@more');
  expect(existsSync(join(path, '.perf-gate/catalogue/checkout'))).toBe(false);
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(git('status', '--porcelain')).toBe('?? detection/\n');

  const checked = git('rev-parse', 'HEAD').trim();
  await project.write('README.md', 'Seats.');
  git('add', 'README.md');
  git('commit', '-qm', 'docs');
  const second = await project.run([...catalogue, '--write', 'quiet', 'slower']);
  expect(second.code, second.stdout + second.stderr).toBe(0);
  expect(second.stderr).not.toContain('boot');
  const { results } = JSON.parse(await readFile(join(path, 'regressions/results.json'), 'utf8'));
  expect(Object.keys(results)).toEqual(['slower', 'quiet']);
  expect(results.slower).toMatchObject({ result: 'caught', commit: checked });
  const kept = await resultOf(second.stdout);
  expect(kept.rows).toEqual([caught, report.rows[3]]);

  // What is expected of a patch may change without another measurement.
  await project.edit('endpoint that slowed most: list', 'a pool', 'regressions/regressions.yml');
  const third = await project.run([...catalogue, '--write', 'slower']);
  expect(third.code, third.stdout).toBe(1);
  expect(rowsOf(await resultOf(third.stdout))).toEqual(['slower: wrong cause']);
});

it('shows on Ctrl-C what was checked so far, and does not check it again', async () => {
  const gate = project.start([...catalogue, 'slower', 'quiet']);
  await gate.printed(/1 of 2, slower: /);
  gate.process.kill('SIGINT');
  const { code, stdout } = await gate.done;
  expect(code, stdout).toBe(130);
  const report = await resultOf(stdout);
  expect(rowsOf(report)).toEqual(['slower: caught']);
  expect(report.left).toBe(1);
  expect(report.partial).toMatch(/SIGINT|interrupted|cancelled/i);

  const second = await project.run([...catalogue, 'slower', 'quiet']);
  expect(second.code, second.stdout + second.stderr).toBe(0);
  expect((await resultOf(second.stdout)).rows[0]).toEqual(report.rows[0]);
});

it('says why an unbroken load was cut short, and judges no part of it', async () => {
  await project.edit('counted: 2s', 'counted: 4s\n    unbroken: true');
  await project.edit('rounds: 3', 'rounds: 6');
  git('commit', '-qam', 'unbroken');
  const gate = project.start([...catalogue, 'quiet']);
  await gate.printed(/browse@more .*% done/);
  gate.process.kill('SIGINT');
  const { code, stderr } = await gate.done;
  expect(code, stderr).toBe(130);
  expect(stderr).not.toContain('E_CATALOGUE_BASELINE');
});

it.each([
  ['an unknown name', ['slow'], /E_CATALOGUE_NAME[\s\S]*name one of: slower, broken, deaf, quiet/],
  ['a wrong option', ['--nothing'], /E_USAGE|unknown option/],
  ['rows that it cannot read', ['--rows', 'regressions'], /E_ROWS_READ\] \S*blocks\.csv/],
])('refuses %s before it measures', async (_, args, message) => {
  await project.write('regressions/runs.csv', '');
  const { code, stderr } = await project.run([...catalogue, ...args]);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});

it('refuses changes that are not committed, and a regression without its patch', async () => {
  await project.write('regressions/regressions.yml', expectations.replace('  broken', '  absent'));
  const absent = await project.run([...catalogue, 'absent']);
  expect(absent.stderr).toMatch(/E_CATALOGUE_PATCH\] \S*absent\.patch/);
  expect(absent.code).toBe(2);
  await project.edit('TINY_DELAY_MS ?? 0', `TINY_DELAY_MS ?? ${slow.TINY_DELAY_MS}`, 'server.mjs');
  const changed = await project.run([...catalogue, 'slower']);
  expect(changed.stderr).toMatch(/E_CATALOGUE_DIRTY\] server\.mjs/);
  expect(changed.code).toBe(2);
  git('checkout', '-q', 'server.mjs');
  await project.write('seats.mjs', '');
  const added = await project.run([...catalogue, 'slower']);
  expect(added.stderr).toMatch(/E_CATALOGUE_DIRTY\] seats\.mjs/);
  expect(added.code).toBe(2);
});

it('measures a baseline of its own if the stored run is of another machine', async () => {
  await project.run(['baseline', '--config', 'gate.yml']);
  const path = join(project.fixture.path, '.perf-gate/baseline/baseline.json');
  const stored = JSON.parse(await readFile(path, 'utf8'));
  for (const run of stored.runs) run.fingerprint.cpuModel = 'another processor';
  await project.write('.perf-gate/baseline/baseline.json', JSON.stringify(stored));
  const { code, stdout, stderr } = await project.run([...catalogue, 'slower']);
  expect(code, stdout + stderr).toBe(0);
  expect(stderr).toContain('no comparable run of suite pr of this code is stored');
});

it('ends if the code without a patch cannot be measured', async () => {
  await project.edit('settledWindows: 2', 'settledWindows: 20');
  await project.edit('cap: 60s', 'cap: 3s');
  git('commit', '-qam', 'too short a warm-up');
  const { code, stderr } = await project.run([...catalogue, 'quiet']);
  expect(stderr).toMatch(/E_CATALOGUE_BASELINE\] suite pr: .* its run is invalid/);
  expect(code).toBe(3);
});
