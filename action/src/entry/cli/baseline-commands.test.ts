import { existsSync, readFileSync } from 'node:fs';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { buildRun } from '../../../test/contract/run-builder.ts';
import { simulatedUsage } from '../../../test/simulation/simulated-run.ts';
import { withoutHistograms } from '../../adapters/results/index.ts';
import type { Run } from '../../model/run.ts';
import { readSettings } from '../settings.ts';
import { commands } from './commands.ts';
import { runProgram } from './program.ts';

const config = `
version: 1
name: trips
baseline: { store: file }
stack: { compose: { file: compose.yml, service: trips, port: 80, ready: { port: 80, path: / } } }
scenarios: { trip-edit: { script: trip-edit.js, loads: { peak: { vus: 510 } } } }
suites: { pr: { cells: [trip-edit@peak] } }
`;

const twelveRuns = Array.from({ length: 12 }, (_, number) => buildRun(number));

/** A checkout with stored runs, and the command line in it. */
async function checkout({
  platform = 'linux',
  runs: stored = twelveRuns,
  waivers = '',
}: {
  readonly platform?: string;
  readonly runs?: readonly Run[];
  readonly waivers?: string;
} = {}) {
  const runs = stored.map(withoutHistograms);
  const fixture = await createFixture({
    '.git/HEAD': '',
    'perf/gate.yml': `${config}${waivers}`,
    '.perf-gate/baseline/baseline.json': JSON.stringify({ schema: 1, runs }),
  });
  onTestFinished(() => fixture.rm());
  return async (...args: readonly string[]) => {
    let [out, error] = ['', ''];
    const code = await runProgram(commands, args, {
      settings: { ...readSettings({}, fixture.path), platform },
      terminal: {
        width: 100,
        paintOut: (_style, text) => text,
        paintError: (_style, text) => text,
        onProgress: () => undefined,
        print: (text) => {
          out += text;
        },
        printError: (text) => {
          error += text;
        },
      },
      signal: new AbortController().signal,
    });
    return { code, out, error, path: (name: string) => fixture.getPath(name) };
  };
}

it.each(['linux', 'darwin'])('on %s, a person lists, shows, pins, removes and unpins', async (platform) => {
  const gate = await checkout({ platform });
  const ids = async () =>
    JSON.parse((await gate('baseline', 'list', '--json')).out).map(({ id }: { id: string }) => id);
  expect((await ids()).slice(0, 2)).toEqual(['run-11', 'run-10']);
  expect((await gate('baseline', 'show', 'run-3')).out).toContain('trip-edit@peak');
  expect(await gate('baseline', 'pin', 'run-3', '--as', 'v1')).toMatchObject({ code: 0 });
  const removed = await gate('baseline', 'remove', 'run-3');
  expect(removed).toMatchObject({ code: 0, out: expect.stringContaining('v1 still keeps a copy') });
  expect((await gate('baseline', 'show', 'v1')).out).toContain('only a pin keeps it');
  expect(await gate('baseline', 'unpin', 'v1')).toMatchObject({ code: 0 });
  expect(await ids()).not.toContain('run-3');
});

it.each([
  ['an unknown run', ['remove', 'nothing'], 'E_BASELINE_RUN_UNKNOWN'],
  ['an ambiguous run', ['remove', 'run'], 'E_BASELINE_RUN_AMBIGUOUS'],
  ['an unknown pin', ['unpin', 'v9'], 'E_BASELINE_PIN_UNKNOWN'],
  ['a name with a path', ['pin', 'run-3', '--as', '../v1'], 'expected letters, digits'],
  ['a typing error', ['lst'], 'too many arguments'],
  ['an unknown option', ['list', '--jsn'], 'unknown option'],
])('%s is refused, and changes nothing', async (_, args, message) => {
  const gate = await checkout();
  const { code, error, path } = await gate('baseline', ...args);
  expect(code).toBe(2);
  expect(error).toContain(message);
  expect(JSON.parse(readFileSync(path('.perf-gate/baseline/baseline.json'), 'utf8')).runs).toHaveLength(12);
  expect(existsSync(path('.perf-gate/baseline/pins'))).toBe(false);
});

it('writes the page of the stored runs, with a badge of the newest one', async () => {
  const gate = await checkout();
  const { code, path } = await gate('history', '--out', 'site/index.html');
  expect(code).toBe(0);
  expect(readFileSync(path('site/index.html'), 'utf8')).toContain('Performance of trips');
  expect(JSON.parse(readFileSync(path('site/badge.json'), 'utf8'))).toMatchObject({ label: 'performance' });
  expect(readFileSync(path('site/badge.svg'), 'utf8')).toContain('<svg');
});

const waivers = `
waivers:
  - { cell: trip-edit@peak, metric: tps, ceiling: any, until: 2099-12-31, reason: the audit log needs one more write }
`;

/** A run whose four blocks have about this throughput, on a machine of the same speed. */
function runOfTps(number: number, tps: number): Run {
  const run = buildRun(number);
  const cells = run.cells.map((cell) => ({
    ...cell,
    blocks: [0, 1, 2, 3].flatMap((round) =>
      cell.blocks.map((block) => ({
        ...block,
        round,
        tps: tps + round,
        requests: 8 * (tps + round),
        errors: 0,
        usage: simulatedUsage(tps + round),
      })),
    ),
  }));
  return { ...run, cells };
}

it.each([
  ['no regression', 'as fast as before', 100, ''],
  ['regression', 'slower', 40, ''],
  ['accepted', 'slower, with a waiver', 40, waivers],
])('the badge says %s if the newest run is %s', async (message, _, tps, more) => {
  const before = Array.from({ length: 6 }, (_one, number) => runOfTps(number, 100));
  const gate = await checkout({ runs: [...before, runOfTps(6, tps)], waivers: more });
  const { error, path } = await gate('history', '--out', 'site/index.html');
  expect(error).toBe('');
  expect(JSON.parse(readFileSync(path('site/badge.json'), 'utf8'))).toMatchObject({ message });
});

it('writes the page without a run too', async () => {
  const gate = await checkout();
  for (let number = 0; number < 12; number++) {
    expect(await gate('baseline', 'remove', `run-${number}`)).toMatchObject({ code: 0 });
  }
  const { out, code, path } = await gate('history');
  expect(out).toContain('.perf-gate/history/index.html');
  expect(code).toBe(0);
  expect(readFileSync(path('.perf-gate/history/index.html'), 'utf8')).toContain('no run is stored yet');
  expect(readFileSync(path('.perf-gate/history/badge.json'), 'utf8')).toContain('not compared');
});
