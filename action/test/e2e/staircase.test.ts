import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Staircase } from '../../src/model/staircase.ts';
import { processesMentioning, TinyProject } from './gate.ts';

let project: TinyProject;
const staircase = ['staircase', '--config', 'gate.yml', '--users', '2,4,8', '--all', '--precision', '50%'];

beforeEach(async () => {
  project = await TinyProject.create();
});

afterEach(async () => {
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

async function result(): Promise<{ readonly staircase: Staircase; readonly page: string }> {
  const results = join(project.fixture.path, '.perf-gate/results');
  const newest = join(results, (await readdir(results)).sort().at(-1) ?? '');
  return {
    staircase: JSON.parse(await readFile(join(newest, 'staircase.json'), 'utf8')),
    page: await readFile(join(newest, 'staircase.html'), 'utf8'),
  };
}

describe('a staircase', () => {
  it('measures every step, and shows what it found', async () => {
    const { code, stdout, stderr } = await project.run(staircase);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^Staircase of browse: /);
    expect(stderr).toContain('browse with 8 users');
    const { staircase: found, page } = await result();
    expect(found.steps.map(({ users }) => users)).toEqual([2, 4, 8]);
    for (const { blocks, tps } of found.steps) {
      expect(blocks).toBeGreaterThanOrEqual(3);
      expect(tps.low).toBeGreaterThan(0);
      // Blocks of a calm machine may all have the same number of requests.
      expect(tps.low).toBeLessThanOrEqual(tps.value);
    }
    expect(found.steps.some(({ tps }) => tps.low < tps.value)).toBe(true);
    expect(found.fit?.single).toBeGreaterThan(0);
    expect(found.target?.p95Ms).toBe(500);
    expect(found).not.toHaveProperty('partial');
    expect(page).toContain('Requests per second over users');
    // Later commands look for checks, which this is none of.
    expect((await project.run(['report', '--config', 'gate.yml'])).stderr).toMatch(/E_\w+/);
  });

  it('keeps what was measured if it is interrupted, and leaves nothing', async () => {
    const running = project.start(staircase);
    await running.printed(/browse with 4 users/);
    running.process.kill('SIGINT');
    const { code, stdout } = await running.done;
    expect(code).toBe(130);
    expect(stdout).toMatch(/Not all steps were measured/);
    const { steps, partial } = (await result()).staircase;
    expect(steps[0]?.users).toBe(2);
    expect(steps.length).toBeLessThan(3);
    expect(partial).toMatch(/SIGINT|interrupted|cancelled/i);
  });

  it('keeps what was measured if the service dies', async () => {
    const running = project.start(staircase);
    await running.printed(/browse with 4 users/);
    const [service] = (await processIds()).slice(-1);
    process.kill(service ?? expect.fail('no service runs'), 'SIGKILL');
    const { code, stdout, stderr } = await running.done;
    expect(code, stderr).toBe(3);
    expect(stderr).toMatch(/error\[E_\w+\]/);
    expect(stdout).toMatch(/Not all steps were measured: the service/);
    expect((await result()).staircase.partial).toMatch(/service/);
  });

  it.each([
    [['--users', '5'], /E_STAIRCASE_USERS/],
    [['--precision', 'narrow'], /expected a percentage/],
    [['--instances', '0'], /expected a whole number from 1 to 100/],
    [['--cpus', '0'], /expected a number above 0/],
    [['--minutes', '0'], /expected a number above 0/],
    [['nothing'], /E_SCENARIO_UNKNOWN/],
  ])('refuses %j before it measures', async (args, cause) => {
    const { code, stderr } = await project.run(['staircase', '--config', 'gate.yml', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(cause);
    expect(stderr).not.toContain('… boot');
  });
});

/** The tiny service's processes. */
async function processIds(): Promise<readonly number[]> {
  const found: number[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const [commandLine, environment] = await Promise.all(
      ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    );
    if (commandLine?.includes('server.mjs') && environment?.includes(project.fixture.path))
      found.push(Number(pid));
  }
  return found;
}
