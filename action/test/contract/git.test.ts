import { writeFile } from 'node:fs/promises';
import { createFixture } from 'fs-fixture';
import { x } from 'tinyexec';
import { expect, it } from 'vitest';
import { readCode } from '../../src/adapters/git.ts';
import { gitIn } from '../../src/entry/checkout-git.ts';

it('reads commit, branch and whether tracked files were changed', async () => {
  await using fixture = await createFixture({ 'a.txt': 'one' });
  const git = (...args: string[]) =>
    x('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      nodeOptions: { cwd: fixture.path },
      throwOnError: true,
    });
  const checkout = gitIn(fixture.path, process.env, new AbortController().signal);
  expect(await readCode(checkout)).toEqual({ commit: '', branch: '', dirty: false });
  await git('init', '-q', '-b', 'trunk');
  expect(await readCode(checkout)).toEqual({ commit: '', branch: 'trunk', dirty: false });
  await git('add', '.');
  await git('commit', '-q', '-m', 'first');
  const { stdout } = await git('rev-parse', 'HEAD');
  expect(await readCode(checkout)).toEqual({ commit: stdout.trim(), branch: 'trunk', dirty: false });
  await fixture.writeFile('new.txt', 'not tracked');
  expect((await readCode(checkout)).dirty).toBe(false);
  await writeFile(fixture.getPath('a.txt'), 'two');
  expect((await readCode(checkout)).dirty).toBe(true);
});
