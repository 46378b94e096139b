import { chmod, writeFile } from 'node:fs/promises';
import { createFixture } from 'fs-fixture';
import { x } from 'tinyexec';
import { expect, it } from 'vitest';
import { readCode } from '../../src/adapters/git/checkout.ts';
import { Git } from '../../src/adapters/git/command.ts';
import { Secrets } from '../../src/adapters/host/secrets.ts';
import { gitIn } from '../../src/entry/checkout-git.ts';
import { git as gitOf } from './git-repositories.ts';

it('reads commit, branch and whether tracked files changed', async () => {
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
  await writeFile(fixture.getPath('a.txt'), 'two');
  expect((await readCode(checkout)).dirty).toBe(true);
});

it('counts new files of the sources as changes, and no others', async () => {
  await using fixture = await createFixture({ '.gitignore': 'target/', 'app/a.txt': 'one' });
  gitOf(fixture.path, ['init', '--quiet', '-b', 'trunk']);
  gitOf(fixture.path, ['add', '.']);
  gitOf(fixture.path, ['commit', '--quiet', '-m', 'first']);
  const checkout = gitIn(fixture.path, process.env, new AbortController().signal);
  const sources = { read: ['../outside', 'db/missing', 'app', 'app/built.js'], written: ['app/built.js'] };
  const isDirty = async () => (await readCode(checkout, sources)).dirty;
  await fixture.writeFile('notes.txt', 'not a source');
  await fixture.writeFile('app/built.js', 'written by the build');
  await fixture.mkdir('app/target');
  await fixture.writeFile('app/target/a.jar', 'ignored');
  expect(await isDirty()).toBe(false);
  await fixture.writeFile('app/new.txt', 'a new source');
  expect(await isDirty()).toBe(true);
});

it('counts a checkout as changed if git cannot read it', async () => {
  await using fixture = await createFixture({ 'a.txt': 'one' });
  gitOf(fixture.path, ['init', '--quiet', '-b', 'trunk']);
  gitOf(fixture.path, ['add', '.']);
  gitOf(fixture.path, ['commit', '--quiet', '-m', 'first']);
  await writeFile(fixture.getPath('.git/index'), 'no index');
  expect(await readCode(gitIn(fixture.path, process.env, new AbortController().signal))).toMatchObject({
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    branch: 'trunk',
    dirty: true,
  });
});

it('counts a checkout as changed if git does not answer in time', async () => {
  await using fixture = await createFixture({
    'bin/git': '#!/bin/sh\nexec sleep 600\n',
    'checkout/a.txt': 'one',
  });
  await chmod(fixture.getPath('bin/git'), 0o755);
  const checkout = new Git({
    directory: fixture.getPath('checkout'),
    env: { PATH: `${fixture.getPath('bin')}:${process.env.PATH}` },
    secrets: new Secrets(),
    signal: new AbortController().signal,
    withinMs: 50,
  });
  expect(await readCode(checkout)).toEqual({ commit: '', branch: '', dirty: true });
});
