import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Soak } from '../../src/model/soak.ts';
import { processesMentioning, TinyProject } from './gate.ts';

let project: TinyProject;
const soak = ['soak', 'browse@few', '--config', 'gate.yml'];

beforeEach(async () => {
  project = await TinyProject.create();
});

afterEach(async () => {
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

async function result(): Promise<Soak> {
  const results = join(project.fixture.path, '.perf-gate/results');
  const newest = join(results, (await readdir(results)).sort().at(-1) ?? '');
  expect(await readFile(join(newest, 'soak.html'), 'utf8')).toContain('Over time');
  return JSON.parse(await readFile(join(newest, 'soak.json'), 'utf8'));
}

it('loads for as long as asked, and shows a trend of what it can see', async () => {
  const { code, stdout, stderr } = await project.run([...soak, '--for', '72s', '--block', '2s']);
  expect(stdout).toMatch(/^Soak of browse@few: /);
  const { series, requests, partial } = await result();
  expect(partial).toBeUndefined();
  expect(requests).toBeGreaterThan(0);
  const names = series.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['serviceMemory', 'p95', 'tps', 'log']));
  expect(code, stderr).toBe(series.some(({ trend }) => trend?.leaks) ? 1 : 0);
  for (const { points, trend } of series) {
    expect(points.length).toBeGreaterThan(0);
    if (points.length > 7) expect(trend?.growth.low).toBeLessThanOrEqual(trend?.growth.high ?? 0);
  }
});

it('does not say that nothing leaks if the requests fail', async () => {
  await project.edit('if (failing)', "if (path === '/detail')", 'server.mjs');
  const { code, stdout } = await project.run([...soak, '--for', '24s', '--block', '3s']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /on average [45]\d% of a block's requests failed, so it cannot say whether anything leaks/,
  );
  expect(code).toBe(3);
});

it('keeps what was measured if it is interrupted, says what makes it doubtful, and leaves nothing', async () => {
  await project.edit('settledWindows: 2', 'settledWindows: 20');
  await project.edit('cap: 60s', 'cap: 3s');
  const running = project.start([...soak, '--for', '5m', '--block', '2s']);
  await running.printed(/browse@few .*\(\d+% done/);
  await running.printed(/browse@few .*\([1-9]% done/);
  running.process.kill('SIGINT');
  const { code, stdout } = await running.done;
  expect(code).toBe(130);
  expect(stdout).toContain('It ended early');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('The service had not settled after');
  expect((await result()).partial).toMatch(/SIGINT|interrupted|cancelled/i);
});

it.each([
  [['--for', '20s'], /E_SOAK_SHORT/],
  [['--for', '30'], /expected a duration/],
])('refuses %j before it measures', async (args, cause) => {
  const { code, stderr } = await project.run([...soak, ...args]);
  expect(code).toBe(2);
  expect(stderr).toMatch(cause);
});

it('refuses a cell that gate.yml does not have', async () => {
  const { code, stderr } = await project.run(['soak', 'browse@many', '--config', 'gate.yml']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/E_CELL_UNKNOWN[\s\S]*browse@few/);
});
