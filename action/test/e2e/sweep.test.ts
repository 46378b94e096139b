import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Sweep } from '../../src/model/sweep.ts';
import { processesMentioning, TinyProject } from './gate.ts';

let project: TinyProject;
const sweep = ['sweep', '--config', 'gate.yml'];

beforeEach(async () => {
  project = await TinyProject.create();
});

afterEach(async () => {
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

async function result(): Promise<Sweep> {
  const results = join(project.fixture.path, '.perf-gate/results');
  const newest = join(results, (await readdir(results)).sort().at(-1) ?? '');
  expect(await readFile(join(newest, 'sweep.html'), 'utf8')).toContain('by value');
  return JSON.parse(await readFile(join(newest, 'sweep.json'), 'utf8'));
}

it('finds the best value of a sweep of gate.yml, and goes on without values that do not boot or do not last', async () => {
  const variants = [
    '{ TINY_DELAY_MS: "600" }',
    '{ TINY_DELAY_MS: "200" }',
    '{}',
    '{ TINY_BOOT_FAILURE: "no seats" }',
    '{ TINY_DIE_AFTER: "60" }',
  ];
  await project.edit(
    'suites:',
    `sweeps:\n  speed: { cell: browse@few, variants: [${variants.join(', ')}] }\nsuites:`,
  );
  const { code, stdout, stderr } = await project.run([
    ...sweep,
    'speed',
    '--passes',
    '2',
    '--minutes',
    '2.5',
  ]);
  expect(code, stderr).toBe(0);
  const text = stdout.replaceAll(/\s+/g, ' ');
  expect(text).toMatch(
    /^Sweep of TINY_DELAY_MS, TINY_BOOT_FAILURE, TINY_DIE_AFTER with browse@few: as it is is best, /,
  );
  expect(text).toContain('TINY_BOOT_FAILURE=no seats: the service ended while it started');
  expect(text).toContain('2 values could not be measured.');
  const found = await result();
  expect(found).toMatchObject({ best: 2, differs: true, figure: 'tps' });
  const [slowest, slow, best, failing, dying] = found.variants;
  expect(slowest).toMatchObject({ hopeless: true });
  expect(slowest?.boots).toHaveLength(1);
  expect(best?.boots.length).toBeGreaterThanOrEqual(2);
  expect(best?.boots[0]?.tps).toBeGreaterThan(2 * (slow?.boots[0]?.tps ?? 0));
  expect(failing).toMatchObject({ boots: [], ended: expect.stringContaining('exit code 7') });
  expect(dying).toMatchObject({ boots: [], ended: expect.stringContaining('exit code 9') });
});

it('keeps what was measured if it is interrupted, and leaves nothing', async () => {
  const set = ['--scenario', 'browse@few', '--set', 'TINY_DELAY_MS=0..1', '--passes', '2', '--minutes', '1'];
  const running = project.start([...sweep, ...set]);
  await running.printed(/boot 2: TINY_DELAY_MS=1[\s\S]*warm-up/);
  running.process.kill('SIGINT');
  const { code, stdout } = await running.done;
  expect(code).toBe(130);
  expect(stdout).toContain('too few boots to compare');
  expect(stdout).toContain('Not all values were measured to the end');
  const { variants, partial } = await result();
  expect(variants.map(({ boots }) => boots.length)).toEqual([1, 0]);
  expect(partial).toMatch(/SIGINT|interrupted|cancelled/i);
});

it('is a fault that names all values if the service boots with none', async () => {
  const { code, stderr } = await project.run([...sweep, 'browse@few', '--set', 'TINY_BOOT_FAILURE=a,b']);
  expect(code).toBe(3);
  expect(stderr).toMatch(/E_SWEEP_VALUES.*with none of 2 values/);
  expect(stderr).toMatch(/TINY_BOOT_FAILURE=b: the service ended while it started/);
});

it.each([
  [['browse@few'], /E_SWEEP_GRID/],
  [['browse@few', '--set', 'POOL'], /E_SWEEP_SET/],
  [['browse@few', '--set', 'POOL=3..1'], /E_SWEEP_SET.*\n?.*range/],
  [['browse@few', '--replace', '-Xmx1g,-Xmx2g'], /E_SWEEP_ARGUMENT/],
  [['browse@few', '--set', 'POOL=1..10', '--minutes', '2'], /E_SWEEP_SHORT/],
  [['browse@few', '--instances', '0,1'], /E_INSTANCES.*expected at least 1 instance/],
  [['browse@few', '--instances', '2'], /E_SWEEP_GRID/],
  [['browse@many', '--set', 'POOL=1..2'], /E_CELL_UNKNOWN/],
  [['pool'], /E_SWEEP_UNKNOWN/],
  [['--set', 'POOL=1..2'], /E_SWEEP_CELL/],
])('refuses %j before it measures', async (args, fault) => {
  const { code, stderr } = await project.run([...sweep, ...args]);
  expect(stderr).toMatch(fault);
  expect(code).toBe(2);
  expect(stderr).not.toContain('… boot');
});
