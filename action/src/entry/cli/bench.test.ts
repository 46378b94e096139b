import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { faultOf } from '../../../test/contract/fault-of.ts';
import { lockCheckout, openWorkspace } from '../workspace.ts';
import { withEmptyCache } from './commands/bench.ts';

async function checkout() {
  const fixture = await createFixture({ 'cache/data/seed': '' });
  onTestFinished(() => fixture.rm());
  const workspace = openWorkspace(fixture.path, 'run');
  const cache = fixture.getPath('cache');
  return { workspace, cache, kept: () => readdirSync(cache) };
}

const seed = async (directory: string) => {
  expect(readdirSync(directory)).toEqual([]);
  await writeFile(join(directory, 'seed'), 'rows');
  return 'seeded';
};

it('removes the cache of a cold start and unlocks the checkout', async () => {
  const { workspace, cache, kept } = await checkout();
  expect(await withEmptyCache(cache, workspace, seed)).toBe('seeded');
  expect(kept()).toEqual(['data']);
  expect(existsSync(workspace.lockFile)).toBe(false);
});

it('removes and unlocks them even if the service cannot be stopped', async () => {
  const { workspace, cache, kept } = await checkout();
  const cannotStop = async (directory: string) => {
    await seed(directory);
    throw new Error('still running');
  };
  await expect(withEmptyCache(cache, workspace, cannotStop)).rejects.toThrow('still running');
  expect(kept()).toEqual(['data']);
  expect(existsSync(workspace.lockFile)).toBe(false);
});

it('creates no cache while another check holds the lock', async () => {
  const { workspace, cache, kept } = await checkout();
  const release = await lockCheckout(workspace);
  expect(await faultOf(withEmptyCache(cache, workspace, seed))).toMatchObject({ code: 'E_BUSY' });
  expect(kept()).toEqual(['data']);
  await release();
});
