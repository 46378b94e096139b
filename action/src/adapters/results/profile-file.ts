import { join } from 'node:path';
import { Fault } from '../../model/fault.ts';
import { type CellProfile, cellProfileSchema } from '../../model/profile.ts';
import { appendLine, readLines } from './json-lines-file.ts';

export const profileFileName = 'profile.jsonl.gz';

/** Adds the profile of one cell to the folder's file. */
export function appendProfile(directory: string, profile: CellProfile): Promise<void> {
  return appendLine(join(directory, profileFileName), profile);
}

/** All profiles of a folder's file, without one that was cut off; none if the folder has no such file. */
export function readProfiles(directory: string): Promise<readonly CellProfile[]> {
  return readLines(join(directory, profileFileName), cellProfileSchema, corrupt);
}

function corrupt(place: string, why: string): Fault {
  return new Fault({
    code: 'E_PROFILE_CORRUPT',
    kind: 'usage',
    place,
    cause: `it cannot be read: ${why}`,
    nextStep: 'use the version of the gate that wrote it, or delete the file: the report then has no stacks',
  });
}
