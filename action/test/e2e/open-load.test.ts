import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Run, runSchema } from '../../src/model/run.ts';
import { processesMentioning, TinyProject, wideTolerances } from './gate.ts';

let project: TinyProject;
const check = ['check', '--config', 'gate.yml'];
/** A pass then takes so long that the users of the rate are all busy. */
const behind = { TINY_DELAY_MS: '2000' };

beforeEach(async () => {
  project = await TinyProject.create();
  await project.edit(
    'few: { vus: 2, objectives: { meanMs: 500 } }',
    'few: { users: { count: 20, over: 2s } }',
  );
  await project.edit('more: { vus: 4 }', 'more: { arrival: { rate: 40, vus: 40 } }');
  await project.edit('floors:', wideTolerances);
});

afterEach(async () => {
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

async function newestRun(): Promise<Run> {
  const results = join(project.fixture.path, '.perf-gate/results');
  const newest = (await readdir(results)).sort().at(-1) ?? '';
  return runSchema.parse(JSON.parse(await readFile(join(results, newest, 'run.json'), 'utf8')));
}

it('counts each user once, and calls a service that falls behind the rate a regression', async () => {
  // How many passes are dropped varies from block to block, and two blocks do not prove enough.
  await project.edit('rounds: 2', 'rounds: 4');
  const first = await project.run(check);
  expect(first.code, first.stdout).toBe(0);
  const { cells } = await newestRun();
  expect(cells.map(({ vus, arrival }) => [vus, arrival])).toEqual([
    [20, 10],
    [40, 40],
  ]);
  expect(cells[0]?.blocks.map(({ iterations, requests }) => [iterations, requests])).toEqual(
    Array(4).fill([20, 40]),
  );

  const second = await project.run(check, behind);
  expect(second.code, second.stdout).toBe(1);
  expect(second.stdout).toMatch(
    /browse@more, 40\.0 passes\/s by up to 40 VUs[\s\S]*?errors +0(?:\.\d+)?% → [1-9]\d*%/,
  );
  // It follows from the rate.
  expect(second.stdout).not.toContain('TPS');
});

it('does not judge what no base shows to be possible', async () => {
  const { code, stdout } = await project.run(check, behind);
  expect(code, stdout).toBe(3);
  expect(stdout).toContain('I_DROPPED');
});

it('refuses a soak of a load that changes', async () => {
  const { code, stderr } = await project.run(['soak', 'browse@few', '--config', 'gate.yml']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/E_SOAK_LOAD[\s\S]*`users`/);
});

it('soaks at a rate, and cannot say what grows if the service drops passes', async () => {
  // Most passes of each short block are dropped.
  await project.edit('vus: 40', 'vus: 10');
  const soak = ['soak', 'browse@more', '--config', 'gate.yml', '--for', '24s', '--block', '3s'];
  const { code, stdout } = await project.run(soak, behind);
  expect(stdout).toContain('40.0 passes per second');
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /on average \d+% of a block's requests failed, so it cannot say/,
  );
  expect(code).toBe(3);
});

it('climbs a staircase of users in a scenario that has only open loads', async () => {
  const stairs = ['staircase', 'browse', '--config', 'gate.yml', '--users', '1,2', '--minutes', '1'];
  const { code, stdout, stderr } = await project.run(stairs);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^Staircase of browse/);
});
