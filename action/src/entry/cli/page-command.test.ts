import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { runOfTps, simulatedOptions } from '../../../test/simulation/simulated-run.ts';
import { partFolder, writeRunFile, writeVerdictFile } from '../../adapters/results/index.ts';
import { judge } from '../../judge/judge.ts';
import { findGateDirectory, readSettings } from '../settings.ts';
import { openWorkspace } from '../workspace.ts';
import { commands } from './commands.ts';
import { nextStepsOf } from './page-command.ts';
import { runProgram } from './program.ts';

const [fast, slow] = ['20260101-000000-abcdef', '20260102-000000-abcdef'];

/** A checkout with two checks of one of the two cells of its suite, and the command line in it. */
async function checkout() {
  const text = await readFile(join(import.meta.dirname, '../../../test/e2e/tiny/gate.yml'), 'utf8');
  const fixture = await createFixture({ 'gate.yml': text.replace('  pr:', '  nightly:'), '.git/HEAD': '' });
  onTestFinished(() => fixture.rm());
  const cell = { scenario: 'browse', load: 'few', vus: 2 };
  const browse = (id: string, tps: number) => {
    const run = runOfTps(id, tps);
    return { ...run, suite: 'nightly', cells: run.cells.map((one) => ({ ...one, ...cell })) };
  };
  for (const [id, tps] of [
    [fast, 500],
    [slow, 300],
  ] as const) {
    const run = browse(id, tps);
    const verdict = judge({
      run,
      base: { kind: 'stored', runs: ['a', 'b', 'c'].map((name) => browse(name, 500)) },
      options: { ...simulatedOptions, cells: [{ ...cell, objectives: {} }] },
      createdAt: '2026-01-01T00:20:00Z',
      seconds: 600,
    });
    const { resultDirectory } = openWorkspace(fixture.path, id);
    await writeRunFile(partFolder(resultDirectory, 'head'), run);
    await writeVerdictFile(resultDirectory, verdict);
  }
  return async (...args: readonly string[]) => {
    let said = '';
    const say = (one: string): void => {
      said += one;
    };
    const code = await runProgram(commands, [...args, '--config', 'gate.yml'], {
      settings: readSettings({ GATE_ROOT: fixture.path }, fixture.path),
      terminal: {
        width: 400,
        paintOut: (_style, one) => one,
        paintError: (_style, one) => one,
        onProgress: () => undefined,
        print: say,
        printError: say,
      },
      signal: new AbortController().signal,
    });
    return { code, said };
  };
}

it('compares two runs by the cells that the newer one was to measure', async () => {
  const gate = await checkout();
  const { code, said } = await gate('compare', fast, slow);
  expect(code, said).toBe(0);
  expect(said).toContain('browse@few');
  expect(said).not.toMatch(/I_CELL_MISSING|browse@more/);
});

it.each([[['compare', fast, slow]], [['report']]])('names the suite in the next step of %j', async (args) => {
  const gate = await checkout();
  expect((await gate(...args)).said).toMatch(/gate check --suite nightly --config gate\.yml/);
});

it('names commands that measure the same again', () => {
  const settings = readSettings({}, findGateDirectory());
  const commandsFor = (asked: { readonly suite: string; readonly vuFactor: number }) => {
    const { command, recording } = nextStepsOf({ settings }, 'perf/gate.yml', asked);
    return [command, recording.kind === 'command' && recording.command];
  };
  expect(commandsFor({ suite: 'pr', vuFactor: 1 })).toEqual(['./gate check', './gate baseline']);
  expect(commandsFor({ suite: 'nightly', vuFactor: 0.5 })).toEqual([
    './gate check --suite nightly --vu-factor 0.5',
    './gate baseline --suite nightly --vu-factor 0.5',
  ]);
});
