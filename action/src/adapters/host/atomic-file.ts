import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../model/fault.ts';

/** Prefix of the temporary files that stand beside a file while it is written. */
export function temporaryPrefix(path: string): string {
  return `.${basename(path)}.`;
}

async function syncDirectory(directory: string): Promise<void> {
  // Some file systems cannot open or sync a folder; the rename is then as durable as they make it.
  try {
    const handle = await open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    return;
  }
}

/** Writes the whole text or leaves the file as it was, also if the machine stops half-way. Throws what the file system throws. */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true });
  const temporary = join(
    directory,
    `${temporaryPrefix(path)}${process.pid}.${randomBytes(4).toString('hex')}.tmp`,
  );
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncDirectory(directory);
}

/** Explains why a file could not be written; what is no error of the file system comes back as it is. */
export function writeFault(
  error: unknown,
  place: string,
  code: 'E_BASELINE_WRITE' | 'E_RESULTS_WRITE',
): unknown {
  const cause = (error as NodeJS.ErrnoException | null)?.code;
  if (error instanceof Fault || typeof cause !== 'string') return error;
  if (cause === 'ENOSPC' || cause === 'EDQUOT') {
    return new Fault(
      {
        code: 'E_DISK_FULL',
        kind: 'measurement',
        place,
        cause: 'the disk is full; what was there before is unchanged',
        nextStep: 'free some space there and run again',
      },
      { cause: error },
    );
  }
  return new Fault(
    {
      code,
      kind: 'measurement',
      place,
      cause: `the file cannot be written (${cause}); what was there before is unchanged`,
      nextStep: 'make its folder writable for this user, and see that no file stands where a folder should',
    },
    { cause: error },
  );
}
