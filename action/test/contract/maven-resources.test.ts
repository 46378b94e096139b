import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';

const checkout = resolve(import.meta.dirname, '../../..');

it.each(['db', 'app'])('%s packages no migration that another branch left in target', async (project) => {
  const fixture = await createFixture();
  onTestFinished(() => fixture.rm());
  for (const path of [`${project}/pom.xml`, `${project}/src/main/resources`, 'db/migrations', 'db/seed']) {
    await mkdir(dirname(join(fixture.path, path)), { recursive: true });
    await cp(join(checkout, path), join(fixture.path, path), { recursive: true });
  }
  const packaged = join(fixture.path, project, 'target/classes/db/migration');
  await mkdir(packaged, { recursive: true });
  await writeFile(join(packaged, 'V99__another_branch.sql'), 'SELECT 1;\n');
  execFileSync('mvn', ['-q', '-B', '-f', join(fixture.path, project, 'pom.xml'), 'process-resources']);
  expect(await readdir(packaged)).toEqual(await readdir(join(checkout, 'db/migrations')));
});
