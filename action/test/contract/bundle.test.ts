import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';

const action = join(import.meta.dirname, '../..');

/** Bundles a copy of the source in that folder, and returns the files by name. */
async function bundleIn(folder: string, env: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  await mkdir(folder, { recursive: true });
  for (const path of [
    'package.json',
    'tsconfig.json',
    'src',
    'scripts/bundle.ts',
    'scripts/bundle-options.ts',
  ])
    await cp(join(action, path), join(folder, path), { recursive: true });
  await symlink(join(action, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, [join(folder, 'scripts/bundle.ts')], { cwd: folder, env, stdio: 'pipe' });
  const dist = join(folder, 'dist');
  const names = (await readdir(dist)).sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(dist, name), 'latin1')] as const)),
  );
}

it('the bundle is the same wherever and whenever it is made', async () => {
  await using fixture = await createFixture({});
  const one = await bundleIn(fixture.getPath('one'), { TZ: 'UTC', LANG: 'C' });
  const other = await bundleIn(fixture.getPath('another/and/deeper'), {
    TZ: 'Asia/Tokyo',
    LANG: 'de_DE.UTF-8',
  });
  expect([...other.keys()]).toEqual([...one.keys()]);
  for (const [name, content] of one) expect(other.get(name) === content, name).toBe(true);
});
