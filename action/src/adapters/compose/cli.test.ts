import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';
import { Leftovers } from '../host/leftovers.ts';
import { DockerCli } from './cli.ts';

it('keeps the end of what is too long to be kept, in whole lines', async () => {
  await using fixture = await createFixture();
  const cli = new DockerCli(process.env, new Leftovers(fixture.getPath('commands.json')));
  const print = 'for (let line = 0; line <= 700_000; line += 1) console.log(`line number ${line}`);';
  const { code, stdout } = await cli.runProgram(process.execPath, ['-e', print]);
  expect(code).toBe(0);
  expect(stdout.endsWith('\nline number 700000\n')).toBe(true);
  expect(stdout).toMatch(/^line number \d+\n/);
  expect(stdout.length).toBeGreaterThan(8_000_000);
  expect(stdout.length).toBeLessThanOrEqual(8 * 2 ** 20);
});

it('keeps all of a shorter answer', async () => {
  await using fixture = await createFixture();
  const cli = new DockerCli(process.env, new Leftovers(fixture.getPath('commands.json')));
  const { stdout } = await cli.runProgram(process.execPath, ['-e', 'console.log("first\\nlast")']);
  expect(stdout).toBe('first\nlast\n');
});
