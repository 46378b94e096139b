import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';

const cli = join(import.meta.dirname, '../../src/entry/cli/cli.ts');
const platform = join(import.meta.dirname, 'another-platform.ts');

it('a Mac runs what measures nothing, and refuses the rest', async () => {
  await using fixture = await createFixture({
    'shop/package.json': '{"scripts": {"start": "node server.mjs"}}',
    'shop/Dockerfile': 'FROM node:24\nEXPOSE 8080\nCMD ["node", "server.mjs"]\n',
    cache: {},
  });
  const shop = fixture.getPath('shop');
  execFileSync('git', ['init', '-q', shop]);
  const gate = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', platform, cli, ...args], {
      cwd: shop,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: fixture.path, GATE_CACHE: fixture.getPath('cache') },
    });
    return { code: status, said: stdout + stderr };
  };

  const init = gate('init', '.');
  expect(init.code, init.said).toBe(0);
  expect(await fixture.exists('shop/perf/gate.yml')).toBe(true);
  expect(gate('report').said).toContain('error[E_RESULT_MISSING]');
  expect(gate('compare', 'one', 'other').said).toContain('error[E_RESULT_MISSING]');
  expect(gate('down')).toEqual({ code: 0, said: expect.stringContaining('nothing is running here') });
  for (const command of ['check', 'baseline', 'bench', 'up']) {
    const { code, said } = gate(command);
    expect(code, command).toBe(2);
    expect(said, command).toContain('error[E_PLATFORM] darwin: ');
  }
});
