import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { link, mkdir, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Fault } from '../../model/fault.ts';

export interface NewFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly text: string;
}

/**
 * Writes all of the files or none. One that is there is never written over, not even if it comes meanwhile, and
 * nothing is written outside of the folder, wherever links in it lead.
 */
export async function writeNewFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  const root = await realpath(folder);
  const there = files.filter(({ path }) => isThere(join(root, path)));
  if (there.length > 0) throw alreadyThere(there.map(({ path }) => path));
  for (const { path } of files) await refuseOutside(root, path);
  const made: string[] = [];
  try {
    for (const { path, text } of files) {
      const file = join(root, path);
      const first = await mkdir(dirname(file), { recursive: true });
      if (first !== undefined) made.push(...foldersBetween(first, dirname(file)));
      await createWhole(file, text);
      made.push(file);
    }
  } catch (error) {
    await takeBack(made);
    throw writeFault(error, root);
  }
}

/** A link that leads nowhere is there too. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file stands where one of its folders should: writing will tell.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw error;
  }
}

async function refuseOutside(root: string, path: string): Promise<void> {
  let folder = dirname(join(root, path));
  while (!existsSync(folder) && !isThere(folder)) folder = dirname(folder);
  const real = await realpath(folder).catch(() => undefined);
  if (real !== undefined && (real === root || real.startsWith(root + sep))) return;
  throw new Fault({
    code: 'E_INIT_OUTSIDE',
    kind: 'usage',
    place: relative(root, folder),
    cause:
      real === undefined
        ? 'it is a link that leads nowhere'
        : `it is a link out of the repository, to ${real}; nothing was written`,
    nextStep: 'put a folder in its place',
  });
}

/** Appears with its whole content or not at all, and only where nothing is: a hard link never replaces. */
async function createWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx', flush: true });
    await link(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

function foldersBetween(first: string, last: string): string[] {
  const folders = [first];
  for (let folder = last; folder !== first; folder = dirname(folder)) folders.splice(1, 0, folder);
  return folders;
}

async function takeBack(made: readonly string[]): Promise<void> {
  for (const path of made.toReversed()) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory() !== true) await rm(path, { force: true });
    // One that somebody has put something into meanwhile stays.
    else await rmdir(path).catch(() => undefined);
  }
}

function alreadyThere(paths: readonly string[]): Fault {
  const [first = '', ...others] = paths;
  return new Fault({
    code: 'E_INIT_EXISTS',
    kind: 'usage',
    place: first,
    cause: [
      `it is there already${others.length === 0 ? '' : ', and so are others'}; nothing was written`,
      ...others,
    ].join('\n'),
    nextStep: 'move what is there away to have it written anew, or go on with it: it was left as it is',
  });
}

function writeFault(error: unknown, root: string): unknown {
  const { code, path = root, syscall, dest } = (error ?? {}) as NodeJS.ErrnoException & { dest?: string };
  if (error instanceof Fault || typeof code !== 'string') return error;
  if (code === 'EEXIST' && syscall === 'link') return alreadyThere([relative(root, dest ?? path)]);
  return new Fault(
    {
      code: 'E_INIT_WRITE',
      kind: 'measurement',
      place: relative(root, path),
      cause: `it cannot be written (${code}); what had been written before was taken back`,
      nextStep:
        'see that the folder is writable, that no file stands where a folder should, and that the disk is not full',
    },
    { cause: error },
  );
}
