import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../model/fault.ts';

/**
 * Writes the whole text or leaves the file unchanged, even if the machine stops in between. Only one process may write
 * a file at a time: the temporary file always has the same name, so that the next write replaces one that was left.
 */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true });
  const temporary = join(directory, `.${basename(path)}.tmp`);
  try {
    await rm(temporary, { force: true });
    // Exclusive, so that it never follows a link that somebody else made.
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
    throw error;
  }
  await syncDirectory(directory);
}

/** Some file systems cannot open or sync a folder. The rename is then as durable as they make it. */
async function syncDirectory(directory: string): Promise<void> {
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

/** Explains why a file could not be written. Returns errors that are not from the file system unchanged. */
export function writeFault(
  error: unknown,
  place: string,
  code: 'E_BASELINE_WRITE' | 'E_RESULTS_WRITE',
): unknown {
  const reason = (error as NodeJS.ErrnoException | null)?.code;
  if (error instanceof Fault || typeof reason !== 'string') return error;
  const full = reason === 'ENOSPC' || reason === 'EDQUOT';
  return new Fault(
    {
      code: full ? 'E_DISK_FULL' : code,
      kind: 'measurement',
      place,
      cause: `${full ? 'the disk is full' : `the file cannot be written (${reason})`}; its former content is unchanged`,
      nextStep: full
        ? 'free some space on the disk, then run again'
        : 'make its folder writable for this user, and check that no file has the name of a folder in its path',
    },
    { cause: error },
  );
}
