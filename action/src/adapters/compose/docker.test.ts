import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';
import { Leftovers } from '../host/leftovers.ts';
import { readContainers } from './containers.ts';
import { DockerCli, type DockerResult } from './docker.ts';
import { composeVersion, isOldCompose } from './engine.ts';

it('keeps the end of an output that is too long, in whole lines', async () => {
  await using fixture = await createFixture();
  const cli = new DockerCli(process.env, new Leftovers(fixture.getPath('commands.json')));
  const print = 'for (let line = 0; line <= 700_000; line += 1) console.log(`line number ${line}`);';
  const { code, stdout } = await cli.run(['-e', print], { program: process.execPath });
  expect(code).toBe(0);
  expect(stdout.endsWith('\nline number 700000\n')).toBe(true);
  expect(stdout).toMatch(/^line number \d+\n/);
  expect(stdout.length).toBeGreaterThan(8_000_000);
  expect(stdout.length).toBeLessThanOrEqual(8 * 2 ** 20);
});

it('keeps all of a shorter output', async () => {
  await using fixture = await createFixture();
  const cli = new DockerCli(process.env, new Leftovers(fixture.getPath('commands.json')));
  const { stdout } = await cli.run(['-e', 'console.log("first\\nlast")'], { program: process.execPath });
  expect(stdout).toBe('first\nlast\n');
});

/** An engine that lists two containers and gives this result when it inspects them. */
class EngineThatInspects extends DockerCli {
  readonly #result: DockerResult;

  constructor(result: DockerResult) {
    super({}, new Leftovers('/nonexistent'));
    this.#result = result;
  }

  override async run([command]: readonly string[]): Promise<DockerResult> {
    return command === 'ps' ? { code: 0, stdout: 'one\ntwo\n', stderr: '', timedOut: false } : this.#result;
  }
}

const failed = { code: 1, stdout: '', stderr: '', timedOut: false };

it.each([
  ['did not end in time', { ...failed, code: null, timedOut: true }],
  ['was killed', { ...failed, code: null }],
])('does not mistake an inspection that %s for one without containers', async (_, result) => {
  await expect(readContainers(new EngineThatInspects(result), 'shop')).rejects.toThrow('E_ENGINE_DOWN');
});

it('finds no container if all were removed meanwhile', async () => {
  const removed = { ...failed, stdout: '[]\n', stderr: 'Error: No such container: one' };
  expect(await readContainers(new EngineThatInspects(removed), 'shop')).toEqual([]);
});

it.each([
  ['2.2.3', true],
  ['v2.20.0', true],
  ['2.24', true],
  ['2.24.5-desktop.1', true],
  ['2.24.6', false],
  ['v2.24.6-desktop.1', false],
  ['2.24.10', false],
  ['2.40.3-3', false],
  ['v5.0.1', false],
])('judges whether Compose %s is too old: %s', (printed, old) => {
  expect(isOldCompose(composeVersion(printed) ?? '')).toBe(old);
});

it.each(['', 'dev', "docker: 'compose' is not a docker command."])('finds no version in %j', (printed) => {
  expect(composeVersion(printed)).toBeUndefined();
});
