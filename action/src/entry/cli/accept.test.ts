import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runOfTps as run, simulatedOptions } from '../../../test/simulation/simulated-run.ts';
import { loadConfig } from '../../adapters/config/index.ts';
import { partFolder, writeRunFile, writeVerdictFile } from '../../adapters/results/index.ts';
import { judge } from '../../judge/judge.ts';
import { readSettings } from '../settings.ts';
import { openWorkspace } from '../workspace.ts';
import { commands } from './commands.ts';
import { runProgram } from './program.ts';

let fixture: FsFixture;
let said: string;

beforeEach(async () => {
  const text = await readFile(join(import.meta.dirname, '../../../test/e2e/tiny/gate.yml'), 'utf8');
  fixture = await createFixture({ 'gate.yml': text, '.git/HEAD': '' });
});

afterEach(() => fixture.rm());

/** A finished check in which one cell has that many requests per second instead of 500. */
async function check(id: string, tps: number): Promise<void> {
  const asBrowse = (one: ReturnType<typeof run>) => ({
    ...one,
    cells: one.cells.map((cell) => ({ ...cell, scenario: 'browse', load: 'few', vus: 2 })),
  });
  const head = asBrowse(run(id, tps));
  const runs = ['a', 'b', 'c'].map((name) => asBrowse(run(name, 500)));
  const verdict = judge({
    run: head,
    base: { kind: 'stored', runs },
    options: { ...simulatedOptions, cells: [{ scenario: 'browse', load: 'few', vus: 2, objectives: {} }] },
    createdAt: '2026-01-01T00:20:00Z',
    seconds: 600,
  });
  const { resultDirectory } = openWorkspace(fixture.path, id);
  await writeRunFile(partFolder(resultDirectory, 'head'), head);
  await writeVerdictFile(resultDirectory, verdict);
}

async function accept(...args: readonly string[]): Promise<number> {
  said = '';
  const say = (text: string): void => {
    said += text;
  };
  const terminal = {
    width: 80,
    paintOut: (_: unknown, text: string) => text,
    paintError: (_: unknown, text: string) => text,
    onProgress: () => undefined,
    print: say,
    printError: say,
  };
  const settings = readSettings({ GATE_ROOT: fixture.path }, fixture.path);
  const signal = new AbortController().signal;
  return runProgram(commands, ['accept', '--config', 'gate.yml', ...args], { settings, terminal, signal });
}

const text = (): Promise<string> => readFile(fixture.getPath('gate.yml'), 'utf8');

it('writes a waiver for each row that regressed, and the check would be accepted with them', async () => {
  await check('20260101-000000-abcdef', 300);
  expect(await accept('a new index')).toBe(0);
  expect(said).toMatch(/accepted until \d{4}-\d\d-\d\d, in gate\.yml:\n {2}\w+ in browse@few/);
  const { config } = loadConfig(fixture.getPath('gate.yml'));
  expect(config.waivers.length).toBeGreaterThan(0);
  for (const waiver of config.waivers) {
    expect(waiver).toMatchObject({ cell: 'browse@few', reason: 'a new index', ceiling: expect.any(Number) });
  }
});

it('takes the check that is named, and the day', async () => {
  await check('20260101-000000-abcdef', 300);
  await check('20260102-000000-abcdef', 500);
  expect(await accept('x')).toBe(2);
  expect(said).toContain('E_ACCEPT_NOTHING');
  expect(await accept('x', '--run', '20260101-000000-abcdef', '--until', '2999-12-31')).toBe(0);
  expect((await text()).match(/until: 2999-12-31/g)?.length).toBeGreaterThan(0);
});

it.each([
  ['a day that is none', ['--until', '2026-02-30'], 'expected a day'],
  ['a day that is over', ['--until', '2020-01-01'], 'expected today or a later day'],
  ['a check that is unknown', ['--run', 'nowhere'], 'E_RESULT_MISSING'],
])('refuses %s, and writes nothing', async (_, args, message) => {
  await check('20260101-000000-abcdef', 300);
  const before = await text();
  expect(await accept('x', ...args)).toBe(2);
  expect(said).toContain(message);
  expect(await text()).toBe(before);
});

it('refuses without a check, and with a broken configuration', async () => {
  expect(await accept('x')).toBe(2);
  expect(said).toContain('E_RESULT_MISSING');
  await check('20260101-000000-abcdef', 300);
  await writeFile(fixture.getPath('gate.yml'), 'version: 2\n');
  expect(await accept('x')).toBe(2);
  expect(await text()).toBe('version: 2\n');
});
