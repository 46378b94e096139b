import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, type Settings } from '../settings.ts';
import { commands } from './commands.ts';
import { runProgram } from './program.ts';

let said = '';

beforeEach(() => {
  said = '';
});

function run(
  args: readonly string[],
  settings: Settings,
  print: (text: string) => void = () => undefined,
): Promise<number> {
  return runProgram(commands, args, {
    settings,
    terminal: {
      width: 80,
      paintOut: (_style, text) => text,
      paintError: (_style, text) => text,
      onProgress: () => undefined,
      print,
      printError: (text) => {
        said += text;
      },
    },
    signal: new AbortController().signal,
  });
}

it('does not mistake a defect of the gate for a regression', async () => {
  const code = await run(['--help'], readSettings({}, '/'), () => {
    throw new TypeError('no such stream');
  });
  expect(code).toBe(3);
  expect(said).toContain('a bug in the gate');
  expect(said).toContain('TypeError: no such stream');
  expect(said).toMatch(/program\.test\.ts:\d+/);
});

describe.each(['darwin', 'win32'])('on %s', (platform) => {
  const settings = () => ({ ...readSettings({}, '/'), platform });

  it.each(['check', 'baseline', 'bench'])('gate %s says at once that it needs Linux', async (command) => {
    expect(await run([command, '--config', 'nowhere/gate.yml'], settings())).toBe(2);
    expect(said).toContain(`error[E_PLATFORM] ${platform}: `);
    expect(said).toMatch(/\/proc.*next: .*WSL 2, a virtual machine or a container/s);
  });

  it('the rest works as elsewhere', async () => {
    expect(await run(['--help'], settings())).toBe(0);
  });
});

it.each([['--explain', 'bencher-t'], ['--scene', 'unchanged'], ['--checks', '10'], ['--check'], ['--write']])(
  'gate bench measures nothing with %s, which only its detection has',
  async (...option) => {
    const args = ['bench', '--config', 'nowhere/gate.yml', ...option];
    expect(await run(args, readSettings({}, '/'))).toBe(2);
    expect(said).toContain(`error[E_BENCH_OPTION] ${option[0]}: `);
  },
);

it('gate capacity writes a page with a picture, also from a staircase', async () => {
  const estimate = (value: number) => ({ value, low: 0.9 * value, high: 1.1 * value });
  const step = { users: 50, tps: estimate(800), p95Ms: estimate(100), errorRate: 0 };
  const once = { ...step, users: 100, tps: { value: 900, low: 0, high: Number.POSITIVE_INFINITY } };
  const fixture = await createFixture({ 'staircase.json': JSON.stringify({ steps: [step, once] }) });
  onTestFinished(() => fixture.rm());
  const settings = readSettings({}, fixture.path);
  const users = ['capacity', '--requests-per-user', '144', '--page', 'page.html'];
  for (const [args, text] of [
    [['--daily-users', '1000', '--pass', '60s'], 'Requests per second by users a day'],
    [['--from', 'staircase.json'], 'Users a day in thousands by virtual users'],
  ] as const) {
    expect(await run([...users, ...args], settings)).toBe(0);
    const page = readFileSync(fixture.getPath('page.html'), 'utf8');
    expect(page).toContain(text);
    expect(page).toContain('<svg');
  }
  const nowhere = ['--daily-users', '1000', '--pass', '60s', '--page', 'staircase.json/page.html'];
  expect(await run([...users.slice(0, 3), ...nowhere], settings)).toBe(3);
  expect(said).toContain('E_RESULTS_WRITE');
});

describe('gate capacity refuses', () => {
  const users = ['--requests-per-user', '144'];

  it.each([
    [
      'a peak below the average',
      ['--daily-users', '9', '--pass', '60s', '--peak-share', '2%'],
      /at least 4\.2%/,
    ],
    ['users without a pass', ['--daily-users', '9'], /--pass is missing/],
    ['a pass without users', ['--pass', '60s'], /--daily-users is missing/],
    [
      'a staircase to write loads from',
      ['--from', 'staircase.json', '--write', 'browse'],
      /cannot be used with/,
    ],
    ['a staircase that is none', ['--from', 'nowhere.json'], /E_CAPACITY_STAIRCASE/],
  ])('%s', async (_, args, reason) => {
    expect(await run(['capacity', ...users, ...args], readSettings({}, '/'))).toBe(2);
    expect(said).toMatch(reason);
  });
});

describe('gate check refuses', () => {
  const allowed = 'never, or a list of regression, invalid, noise, undecided, coarse, not-compared';

  it.each([
    ['error', `expected ${allowed}`],
    ['regression, slow', `expected ${allowed}`],
    ['', `expected ${allowed}`],
    [',', `expected ${allowed}`],
    ['never,regression', 'expected never alone, without other words'],
  ])('--fail-on %j', async (text, message) => {
    expect(
      await run(['check', '--config', 'nowhere/gate.yml', '--fail-on', text], readSettings({}, '/')),
    ).toBe(2);
    expect(said).toContain(`error: option '--fail-on <outcomes>' argument '${text}' is invalid. ${message}`);
  });

  it('an option that no longer exists', async () => {
    expect(await run(['check', '--inconclusive', 'fail'], readSettings({}, '/'))).toBe(2);
    expect(said).toContain("error: unknown option '--inconclusive'");
  });
});

describe('gate generator kubernetes refuses', () => {
  const needed = ['--url', 'http://shop.default.svc', '--generators', '4'];

  it.each([
    [['--generators', '0'], 'expected a whole number from 1 to 500'],
    [['--generators', '2.5'], 'expected a whole number from 1 to 500'],
    [['--generators', '501'], 'expected a whole number from 1 to 500'],
    [['--secret', 'PASSWORD'], 'expected VARIABLE=SECRET/KEY'],
    [['--namespace', 'Load; rm -rf'], 'expected up to 63 lower-case letters, digits and dashes'],
    [['--image', 'k6 latest'], 'expected one word'],
    [['--counted', '60'], 'expected a duration with its unit'],
  ])('%j', async (options, message) => {
    const args = ['generator', 'kubernetes', 'browse@peak', ...needed, ...options];
    expect(await run(args, readSettings({}, '/'))).toBe(2);
    expect(said).toContain(message);
  });

  it.each(['url', 'generators'])('a load without --%s', async (missing) => {
    const given = missing === 'url' ? needed.slice(2) : needed.slice(0, 2);
    expect(await run(['generator', 'kubernetes', 'browse@peak', ...given], readSettings({}, '/'))).toBe(2);
    expect(said).toContain(`required option '--${missing} `);
  });
});

describe('gate peak refuses', () => {
  const config = join(import.meta.dirname, '../../../../perf/gate.yml');
  const here = () => ({ ...readSettings({}, '/'), platform: 'linux' });

  it.each(['soon', '0', '0.5', '301', '', 'Infinity'])('--minutes %j', async (text) => {
    expect(await run(['peak', '--config', config, '--minutes', text], here())).toBe(2);
    expect(said).toContain(`argument '${text}' is invalid. expected a number from 1 to 300`);
  });

  it('a scenario that the suite lacks, before it builds anything', async () => {
    expect(await run(['peak', 'trip-edit', 'trip-edti', '--config', config], here())).toBe(2);
    expect(said).toContain('error[E_SCENARIO_UNKNOWN] suite peak: ');
    expect(said).toContain('"trip-edti"');
    expect(said).toMatch(/next: name some of: trip-edit@peak, plan-edit@peak, trip-browse@peak/);
  });
});

it('takes the platform that it runs on', () => {
  expect(readSettings({}, '/').platform).toBe(process.platform);
});
