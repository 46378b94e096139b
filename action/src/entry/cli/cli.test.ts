import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';

it('keeps its compiled code in the launcher’s cache, and in no other', async () => {
  await using fixture = await createFixture();
  const { NODE_COMPILE_CACHE: _, GATE_CACHE: __, ...env } = process.env;
  const help = (more: Record<string, string>) =>
    execFileSync(process.execPath, [join(import.meta.dirname, 'cli.ts'), 'help'], {
      encoding: 'utf8',
      env: { ...env, TMPDIR: fixture.path, ...more },
    });
  const alone = help({});
  expect(await readdir(fixture.path)).toEqual([]);
  expect(help({ GATE_CACHE: fixture.path })).toBe(alone);
  expect(await readdir(fixture.path)).toEqual(['compiled']);
});
