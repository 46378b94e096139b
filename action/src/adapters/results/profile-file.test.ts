import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';
import { cellProfile } from '../../../test/golden/example-profile.ts';
import { appendProfile, profileFileName, readProfiles } from './profile-file.ts';

it('keeps every profile, and none where none was taken', async () => {
  await using folder = await createFixture();
  expect(await readProfiles(folder.path)).toEqual([]);
  const profiles = [cellProfile({}), cellProfile({ scenario: 'plan-edit' })];
  for (const one of profiles) await appendProfile(folder.path, one);
  expect(await readProfiles(folder.path)).toEqual(profiles);
});

it('names a line of another shape', async () => {
  await using folder = await createFixture();
  const path = join(folder.path, profileFileName);
  await writeFile(path, gzipSync(`${JSON.stringify({ ...cellProfile({}), schema: 9 })}\n`));
  await expect(readProfiles(folder.path)).rejects.toMatchObject({
    details: { code: 'E_PROFILE_CORRUPT', place: `${path}:1` },
  });
});
