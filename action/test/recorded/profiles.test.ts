import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readProfiles } from '../../src/adapters/results/profile-file.ts';
import { codeChanges } from '../../src/judge/profiles/code-changes.ts';

/**
 * Profiles of the reference service, whose head asks the database once more for each trip of a list. BCrypt, with half of
 * the CPU, was inlined differently: samples of its `encipher` in base are those of its `streamtoword` in head.
 */
it('names the method that a check of a query in a loop added, and no other', async () => {
  const profiles = await readProfiles(join(import.meta.dirname, 'profiles'));
  expect(codeChanges(profiles)).toMatchObject([
    {
      scenario: 'trip-browse',
      load: 'peak',
      cpu: [
        {
          frame: 'perfgate.app.trips.domain.TripRepository.exists',
          caller: 'perfgate.app.trips.domain.DefaultTrips.list',
          base: 0,
        },
      ],
      locks: [],
    },
  ]);
});
