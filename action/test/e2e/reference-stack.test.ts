import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { projectName } from '../../src/adapters/compose-project.ts';
import { runSchema } from '../../src/model/run.ts';
import { lackOfEngine, remains } from './compose-engine.ts';
import { TinyProject } from './gate.ts';

const lacking = lackOfEngine();
const checkout = resolve(import.meta.dirname, '../../..');

let project: TinyProject;

beforeEach(async () => {
  project = await TinyProject.create();
});

afterEach(async () => {
  await project.fixture.rm();
});

/** The project's own gate.yml, to be read from another folder, with one short cell and a warm-up that is none. */
async function shortened(): Promise<string> {
  const perf = join(checkout, 'perf');
  const config = parse(await readFile(join(perf, 'gate.yml'), 'utf8'));
  for (const stack of Object.values<{ root: string; file?: string }>(config.stack)) {
    stack.root = checkout;
    if (stack.file !== undefined) stack.file = resolve(perf, stack.file);
  }
  for (const scenario of Object.values<{ script: string }>(config.scenarios)) {
    scenario.script = resolve(perf, scenario.script);
  }
  config.suites = { short: { cells: ['trip-edit@average'], rounds: 2, guard: '1s', counted: '2s' } };
  config.warmUp = { window: '2s', settledWindows: 2, compileMsPerSecond: 1_000_000, cap: '1m' };
  // What this test is about is not how quiet the machine is.
  config.limits = { generatorCpuShare: '100%', stealShare: '100%', othersCpuShare: '100%' };
  return stringify(config);
}

it.skipIf(lacking !== undefined)(
  "boots this project's own compose stack with all its data, loads it and leaves nothing",
  { timeout: 600_000 },
  async () => {
    await project.write('short.yml', await shortened());
    const args = ['check', '--config', 'short.yml', '--suite', 'short', '--stack', 'compose'];
    const { code, stdout, stderr } = await project.run([...args, '--compare', 'none'], {
      JAVA_HOME: process.env.JAVA_HOME ?? '',
    });
    expect(stderr).toContain('✓ boot');
    expect(stdout).toContain('trip-edit@average');
    expect(code).toBe(0);
    const results = join(project.fixture.path, '.perf-gate/results');
    const [id = ''] = await readdir(results);
    const run = runSchema.parse(JSON.parse(await readFile(join(results, id, 'run.json'), 'utf8')));
    expect(run.fingerprint.stack).toBe('compose');
    expect(run.fingerprint.dataKey).not.toBe('');
    const [block] = run.cells[0]?.blocks ?? [];
    expect(block).toMatchObject({ errors: 0, invalid: [] });
    expect(Object.keys(block?.signals ?? {})).toEqual(
      expect.arrayContaining(['statements', 'rowsRead', 'redisCommands', 'databaseCpu', 'allocated']),
    );
    expect(remains(projectName(project.fixture.path))).toEqual([]);
  },
);
