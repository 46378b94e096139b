import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seriesFileName } from '../../src/adapters/results/series-file.ts';
import { type Verdict, verdictSchema } from '../../src/model/verdict.ts';
import { processesMentioning, TinyProject } from './gate.ts';

let project: TinyProject;
const peak = ['peak', '--config', 'gate.yml'];
const suite = `suites:
  peak: { cells: [browse@few, browse@more], rounds: 3, guard: 500ms, counted: 2s, unbroken: true, ramp: true }`;

beforeEach(async () => {
  project = await TinyProject.create();
  await project.edit('suites:', suite);
  // None of these runs is slower, whatever the machine does.
  await project.edit('floors:', 'tolerances: { p95: 10000%, tps: 95%, serviceCpu: 10000% }\nfloors:');
  await project.edit('few: { vus: 2,', 'few: { vus: 2, ramp: { start: 1, add: 1, every: 1s },');
});

afterEach(async () => {
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

async function newest(): Promise<{ readonly verdict: Verdict; readonly series: readonly string[] }> {
  const results = join(project.fixture.path, '.perf-gate/results');
  const folder = join(results, (await readdir(results)).sort().at(-1) ?? '');
  const text = gunzipSync(await readFile(join(folder, seriesFileName))).toString();
  return {
    verdict: verdictSchema.parse(JSON.parse(await readFile(join(folder, 'verdict.json'), 'utf8'))),
    series: text.split('\n').filter((line) => line.includes('"phase":"block"')),
  };
}

describe('a peak run', () => {
  it('loads each scenario once, and compares with stored peak runs of the same kind', async () => {
    const first = await project.run(peak);
    expect(first.code, first.stdout + first.stderr).toBe(0);
    expect(first.stdout).toMatch(/run \S*gate peak --config gate\.yml/);
    const { verdict, series } = await newest();
    expect(verdict.comparison).toMatchObject({ kind: 'none', reason: 'no-baseline' });
    expect(verdict.cells.map(({ head }) => head.blocks)).toEqual([3, 3]);
    // The blocks of a cell share one series, because nothing interrupts its load.
    expect(series).toHaveLength(2);
    expect(JSON.parse(series[0] ?? '')).toMatchObject({ load: 'few', countedSeconds: 6, guardSeconds: 1.5 });

    const second = await project.run([...peak, '--record']);
    expect(second.code, second.stdout).toBe(0);
    expect((await newest()).verdict.comparison).toMatchObject({ kind: 'stored', base: [{}] });

    // One scenario alone is another load.
    const other = await project.run([...peak, 'browse@few']);
    expect((await newest()).verdict.comparison.kind).toBe('none');
    expect(other.stdout).not.toContain('browse@more');
    expect((await project.run(peak)).code).toBe(0);
    expect((await newest()).verdict.comparison).toMatchObject({ kind: 'stored', base: [{}, {}] });
  });

  it('fails if the service misses an objective, whatever it was compared with', async () => {
    await project.edit('unbroken: true', 'unbroken: true, objectives: { gate: true }');
    await project.edit('meanMs: 500', 'meanMs: 0.001');
    const { code, stdout } = await project.run([...peak, 'browse@few']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/Regression: browse@few — mean < 0\.001 ms/);
    expect((await newest()).verdict.comparison.kind).toBe('none');
  });

  it('keeps what was measured if it is interrupted, judges no part as a whole, and leaves nothing', async () => {
    await project.edit('rounds: 3, guard: 500ms, counted: 2s', 'rounds: 6, guard: 500ms, counted: 4s');
    const running = project.start(peak);
    await running.printed(/browse@more .*% done/);
    running.process.kill('SIGINT');
    const { code, stdout, stderr } = await running.done;
    expect(code).toBe(130);
    expect(stderr).toContain('stopped by SIGINT before the end');
    expect(stdout).toContain('I_CUT_SHORT');
    const { verdict, series } = await newest();
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.cells.filter(({ invalid }) => invalid.length > 0)).toHaveLength(1);
    expect(series).toHaveLength(2);
    expect((await project.run(['baseline', 'list', '--config', 'gate.yml'])).stdout).not.toContain('peak');
  });
});
