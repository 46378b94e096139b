import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';

const action = join(import.meta.dirname, '../..');

it('starts from a checkout whose path contains characters that are special in a URL', async () => {
  await using fixture = await createFixture();
  const copy = fixture.getPath('c#, 100% done?/action');
  for (const name of ['src', 'action.yml', 'package.json']) {
    await cp(join(action, name), join(copy, name), { recursive: true });
  }
  await symlink(join(action, 'node_modules'), join(copy, 'node_modules'));
  const cli = join(copy, 'src/entry/cli/cli.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [cli, '--help']);
  expect(stdout).toMatch(/^ {2}check /m);
});
