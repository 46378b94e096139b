import { lstat, readdir, readFile, symlink } from 'node:fs/promises';
import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';
import { writeFileAtomically } from './atomic-file.ts';

it('does not write through a link that somebody planted under the name of its temporary file', async () => {
  await using fixture = await createFixture({ 'theirs.txt': 'theirs', results: {} });
  await symlink(fixture.getPath('theirs.txt'), fixture.getPath('results/.run.json.tmp'));
  await writeFileAtomically(fixture.getPath('results/run.json'), 'ours');
  expect(await readFile(fixture.getPath('theirs.txt'), 'utf8')).toBe('theirs');
  expect(await readdir(fixture.getPath('results'))).toEqual(['run.json']);
  expect((await lstat(fixture.getPath('results/run.json'))).isFile()).toBe(true);
  expect(await readFile(fixture.getPath('results/run.json'), 'utf8')).toBe('ours');
});
