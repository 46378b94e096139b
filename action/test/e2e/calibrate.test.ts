import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fewestRunsForTolerances, writeBlockRows } from '../../src/detection/index.ts';
import { createRandom } from '../../src/stats/index.ts';
import { asExpected, simulatedRun } from '../simulation/simulated-run.ts';
import { processesMentioning, TinyProject } from './gate.ts';

let project: TinyProject;
const calibrate = ['calibrate', '--config', 'gate.yml', '--rows', 'rows'];

beforeEach(async () => {
  project = await TinyProject.create();
  await project.edit('rounds: 2', 'rounds: 3');
});

afterEach(async () => {
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

/** Regime, placement and whether there is a pair, for each run in the rows. */
async function recorded(): Promise<readonly (readonly string[])[]> {
  const text = await readFile(join(project.fixture.path, 'rows/runs.csv'), 'utf8');
  const [header = '', ...rows] = text.trimEnd().split('\n');
  const column = (name: string) => header.split(',').indexOf(name);
  return rows.map((row) => {
    const fields = row.split(',');
    const pair = fields[column('pair')];
    return [
      fields[column('regime')] ?? '',
      fields[column('placement')] ?? '',
      pair === '' ? 'alone' : 'pair',
    ];
  });
}

it('measures several times, keeps the rows, and shows the noise of them later', async () => {
  const first = await project.run([...calibrate, '--runs', '2', '--rounds', '4', '--neighbour']);
  expect(first.code, first.stderr).toBe(0);
  expect(first.stdout).toContain('from 2 runs of 2 cells');
  expect(first.stdout).toMatch(/^TPS +as it was( +<?[\d.]+%){3}$/m);
  expect(await recorded()).toEqual([
    ['neighbour', 'stored', 'alone'],
    ['neighbour', 'stored', 'alone'],
  ]);
  const blocks = await readFile(join(project.fixture.path, 'rows/blocks.csv'), 'utf8');
  expect(blocks.trimEnd().split('\n').length).toBe(1 + 2 * 2 * 4);
  const again = await project.run(['calibrate', '--config', 'gate.yml', '--from', 'rows']);
  expect(again.code, again.stderr).toBe(0);
  expect(again.stdout).toContain('from 2 runs of 2 cells');
  expect(again.stdout).toContain('A check of unchanged code needs at least 4 runs');
  const few = await project.run(['calibrate', '--config', 'gate.yml', '--from', 'rows', '--write']);
  expect(few.code).toBe(2);
  expect(few.stderr).toContain('error[E_CALIBRATE_FEW] gate.yml: ');
});

it('leaves out runs that did not settle, of which no rows could be read', async () => {
  await project.edit('settledWindows: 2', 'settledWindows: 20');
  await project.edit('cap: 60s', 'cap: 3s');
  const { code, stderr } = await project.run([...calibrate, '--runs', '1']);
  expect(stderr).toMatch(
    /run 1 is left out: .*\n(.*\n)*error\[E_CALIBRATE_INVALID\] gate\.yml: none of the runs/,
  );
  expect(code).toBe(3);
  expect(existsSync(join(project.fixture.path, 'rows'))).toBe(false);
});

it('finds out that it cannot add rows before it measures', async () => {
  await project.write('rows/runs.csv', '');
  const { code, stderr } = await project.run([...calibrate, '--runs', '1']);
  expect(stderr).toMatch(/error\[E_ROWS_READ\] rows\/blocks\.csv: /);
  expect(stderr).not.toContain('run 1 of 1');
  expect(code).toBe(2);
});

it('keeps no rows of an unbroken load that was cut short', async () => {
  await project.edit('counted: 2s', 'counted: 4s\n    unbroken: true');
  await project.edit('rounds: 3', 'rounds: 6');
  const running = project.start([...calibrate, '--runs', '1']);
  await running.printed(/browse@more .*% done/);
  running.process.kill('SIGINT');
  const { code, stderr } = await running.done;
  expect(code, stderr).toBe(130);
  expect(existsSync(join(project.fixture.path, 'rows'))).toBe(false);
});

it('measures a commit interleaved with itself, as a pair', async () => {
  await project.write('.gitignore', '.perf-gate/\ncache/\nrows/\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org', ...args], {
      cwd: project.fixture.path,
      stdio: 'pipe',
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'one');
  const { code, stdout, stderr } = await project.run([...calibrate, '--runs', '1', '--side-by-side']);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('are too few to split noise');
  const rows = await recorded();
  expect(rows.map(([, ...more]) => more)).toEqual([
    ['base', 'pair'],
    ['head', 'pair'],
  ]);
  await project.makeSlower();
  const changed = await project.run([...calibrate, '--runs', '1', '--side-by-side']);
  expect(changed.stderr).toMatch(/error\[E_CALIBRATE_DIRTY\] server\.mjs: /);
  expect(changed.code).toBe(2);
  // By what other guests took meanwhile.
  for (const [regime] of rows) expect(['quiet', 'stolen']).toContain(regime);
});

it('refuses options of a measurement together with rows to read, and names rows that are not there', async () => {
  const both = await project.run([...calibrate, '--from', 'rows']);
  expect(both.code).toBe(2);
  expect(both.stderr).toContain('--rows');
  const nothing = await project.run(['calibrate', '--config', 'gate.yml', '--from', 'nowhere']);
  expect(nothing.code).toBe(2);
  expect(nothing.stderr).toContain('error[E_ROWS_READ] nowhere/runs.csv: ');
});

it('writes no tolerance where none makes the checks pass', async () => {
  const random = createRandom(3);
  const wild = { tps: 3, p95: 3 };
  const truth = { ...asExpected, cells: 2, blockSd: wild, bootSd: wild, runSd: wild, partSd: 3 };
  // Some of the checks are too wild to be judged.
  const recorded = Array.from({ length: 2 * fewestRunsForTolerances }, (_, at) => {
    const run = simulatedRun(`run-${at}`, random, truth);
    const cells = run.cells.map((cell, index) => ({
      ...cell,
      scenario: 'browse',
      load: index === 0 ? 'few' : 'more',
    }));
    const startedAt = new Date(1e12 + 1e6 * at).toISOString();
    const about = { regime: 'quiet', placement: 'stored', pair: '', change: '' } as const;
    return { ...about, run: { ...run, cells, startedAt } };
  });
  const { runs, blocks } = writeBlockRows(recorded);
  await project.write('rows/runs.csv', runs);
  await project.write('rows/blocks.csv', blocks);
  const before = await readFile(join(project.fixture.path, 'gate.yml'), 'utf8');
  const { code, stdout, stderr } = await project.run([
    ...['calibrate', '--config', 'gate.yml', '--from', 'rows', '--write'],
  ]);
  expect(stderr, stdout).toContain('error[E_CALIBRATE_NOISE] gate.yml: ');
  expect(code).toBe(3);
  expect(await readFile(join(project.fixture.path, 'gate.yml'), 'utf8')).toBe(before);
});
