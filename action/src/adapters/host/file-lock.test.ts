import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../model/fault.ts';
import { takeLock } from './file-lock.ts';
import { startTimeOf } from './process-table.ts';

const since = '2026-01-01T00:00:00.000Z';
/** No process has a number above 2^22. */
const gone = JSON.stringify({ pid: 2 ** 22 + 1, startTime: '1', host: hostname(), since });
const live = JSON.stringify({
  pid: process.pid,
  startTime: startTimeOf(process.pid),
  host: hostname(),
  since,
});

const busy = () =>
  new Fault({ code: 'E_BUSY', kind: 'measurement', place: 'lock', cause: 'taken', nextStep: 'wait' });

async function folder(files: Record<string, string>) {
  const fixture = await createFixture(files);
  onTestFinished(() => fixture.rm());
  return { files: () => readdirSync(fixture.path).toSorted(), lock: fixture.getPath('lock') };
}

it.each([
  ['the lock', { lock: gone }],
  ['the guard of a removal', { lock: gone, 'lock.removal': gone }],
  ['the guard of such a guard', { lock: gone, 'lock.removal': gone, 'lock.removal.removal': gone }],
])('takes over from processes that were killed while they held %s', async (_, left) => {
  const { files, lock } = await folder(left);
  const release = await takeLock(lock, 0, busy);
  expect(files()).toEqual(['lock']);
  await release();
  expect(files()).toEqual([]);
});

it('does not interfere with a running removal', async () => {
  const { files, lock } = await folder({ lock: gone, 'lock.removal': live });
  await expect(takeLock(lock, 0, busy)).rejects.toThrow('E_BUSY');
  expect(files()).toEqual(['lock', 'lock.removal']);
});
