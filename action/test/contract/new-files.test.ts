import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeNewFiles } from '../../src/adapters/host/new-files.ts';
import { faultOf } from './fault-of.ts';

const files = [
  { path: 'perf/gate.yml', text: 'one\n' },
  { path: 'perf/scenarios/browse.js', text: 'two\n' },
  { path: '.github/workflows/perf-gate.yml', text: 'three\n' },
];

let fixture: FsFixture;
beforeEach(async () => {
  fixture = await createFixture({ 'repository/README.md': '# shop\n' });
});
afterEach(() => fixture.rm());

const repository = () => fixture.getPath('repository');
const write = () => writeNewFiles(repository(), files);
const everything = async () =>
  (await readdir(fixture.path, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(fixture.path.length).replace(/^\/+/, ''))
    .toSorted();

describe('new files', () => {
  it('are written with their folders, and no other files', async () => {
    await write();
    expect(await everything()).toEqual([
      'repository/.github/workflows/perf-gate.yml',
      'repository/README.md',
      'repository/perf/gate.yml',
      'repository/perf/scenarios/browse.js',
    ]);
    expect(await readFile(join(repository(), 'perf/scenarios/browse.js'), 'utf8')).toBe('two\n');
  });

  it('never replace an existing file; then none is written', async () => {
    await mkdir(join(repository(), '.github/workflows'), { recursive: true });
    await writeFile(join(repository(), '.github/workflows/perf-gate.yml'), 'mine\n');
    await fixture.mkdir('repository/perf');
    await fixture.writeFile('repository/perf/gate.yml', '');
    expect(await faultOf(write())).toMatchObject({
      code: 'E_INIT_EXISTS',
      kind: 'usage',
      place: 'perf/gate.yml',
      cause: expect.stringContaining('.github/workflows/perf-gate.yml'),
    });
    expect(await readFile(join(repository(), '.github/workflows/perf-gate.yml'), 'utf8')).toBe('mine\n');
    expect(await everything()).not.toContain('repository/perf/scenarios/browse.js');
  });

  it('do not replace a link whose target is missing', async () => {
    await fixture.mkdir('repository/perf');
    await symlink('/nowhere/at/all', join(repository(), 'perf/gate.yml'));
    expect((await faultOf(write())).code).toBe('E_INIT_EXISTS');
  });

  it.each([
    ['out of the repository', '../elsewhere', /link out of the repository/],
    ['to a missing target', '../nowhere', /target does not exist/],
  ])('are not written through a folder that is a link %s', async (_, target, cause) => {
    await fixture.mkdir('elsewhere');
    await symlink(target, join(repository(), '.github'));
    expect(await faultOf(write())).toMatchObject({
      code: 'E_INIT_OUTSIDE',
      place: '.github',
      cause: expect.stringMatching(cause),
    });
    expect(await everything()).toEqual(['repository/.github', 'repository/README.md']);
    expect(await readdir(fixture.getPath('elsewhere'))).toEqual([]);
  });

  it('may be written through a link within the repository', async () => {
    await fixture.mkdir('repository/load');
    await symlink('load', join(repository(), 'perf'));
    await write();
    expect(await everything()).toContain('repository/load/gate.yml');
  });

  it('are all removed if one cannot be written', async () => {
    // A file has the name of a folder.
    await fixture.writeFile('repository/.github', '');
    const { code, cause } = await faultOf(write());
    expect(code).toBe('E_INIT_WRITE');
    expect(cause).toContain('taken back');
    expect(await everything()).toEqual(['repository/.github', 'repository/README.md']);
    expect(await readdir(repository())).not.toContain('perf');
  });

  it('are written completely by one of two concurrent calls', async () => {
    const results = await Promise.allSettled([write(), write(), write(), write()]);
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(failed.length).toBeGreaterThanOrEqual(3);
    for (const error of failed) expect(error.details.code).toMatch(/^E_INIT_(EXISTS|WRITE)$/);
    expect((await everything()).filter((path) => path.endsWith('.tmp'))).toEqual([]);
  });
});
