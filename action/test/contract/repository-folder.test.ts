import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { readRepositoryFolder } from '../../src/adapters/host/repository-folder.ts';

it("reads a repository's own text files: no links, no pipes, no tool output, no huge files", async () => {
  const fixture = await createFixture({
    'secret.txt': 'not yours',
    'shop/package.json': '{}',
    'shop/.env': 'A=1',
    'shop/.git/config': '[core]',
    'shop/node_modules/express/index.js': '',
    'shop/src/deep/server.js': 'listen()',
    [`shop/${'a/'.repeat(20)}far.js`]: '',
    'shop/large.js': ' '.repeat(256 * 1024 + 1),
  });
  onTestFinished(() => fixture.rm());
  await fixture.writeFile('shop/bytes.py', Buffer.from([0xff, 0xfe, 0x00]));
  await symlink(fixture.getPath('secret.txt'), fixture.getPath('shop/Procfile'));
  await symlink('.', fixture.getPath('shop/round'));
  // Reading a pipe would wait for a writer.
  execFileSync('mkfifo', [fixture.getPath('shop/Dockerfile')]);

  const { paths, text } = readRepositoryFolder(fixture.getPath('shop'));
  expect(paths).toEqual(['.env', 'bytes.py', 'large.js', 'package.json', 'src/deep/server.js']);
  expect(text('src/deep/server.js')).toBe('listen()');
  for (const path of [
    'large.js',
    'bytes.py',
    'Procfile',
    'Dockerfile',
    '../secret.txt',
    '.git/config',
    'nothing',
  ]) {
    expect(text(path), path).toBeUndefined();
  }
});
