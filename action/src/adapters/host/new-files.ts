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
 * Writes all of the files or none. It never overwrites a file, not even one that appears meanwhile, and writes nothing
 * outside the folder, wherever links in it lead.
 */
export async function writeNewFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  const root = await realpath(folder);
  const present = files.map(({ path }) => path).filter((path) => exists(join(root, path)));
  if (present.length > 0) throw alreadyExists(present);
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
    await undo(made);
    throw writeFault(error, root);
  }
}

/** Also true for a link whose target does not exist. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file has the name of a folder in the path, which writing will report.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw error;
  }
}

async function refuseOutside(root: string, path: string): Promise<void> {
  let folder = dirname(join(root, path));
  while (!existsSync(folder) && !exists(folder)) folder = dirname(folder);
  const real = await realpath(folder).catch(() => undefined);
  if (real !== undefined && (real === root || real.startsWith(root + sep))) return;
  throw new Fault({
    code: 'E_INIT_OUTSIDE',
    kind: 'usage',
    place: relative(root, folder),
    cause:
      real === undefined
        ? 'this is a link whose target does not exist; nothing was written'
        : `this is a link out of the repository, to ${real}; nothing was written`,
    nextStep: 'replace the link with a folder',
  });
}

function foldersBetween(first: string, last: string): string[] {
  return first === last ? [first] : [...foldersBetween(first, dirname(last)), last];
}

/** The file appears with its whole content or not at all. A hard link never replaces a file. */
async function createWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx', flush: true });
    await link(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function undo(made: readonly string[]): Promise<void> {
  for (const path of made.toReversed()) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory() !== true) await rm(path, { force: true });
    // The folder stays if somebody has added a file to it meanwhile.
    else await rmdir(path).catch(() => undefined);
  }
}

function alreadyExists([first = '', ...others]: readonly string[]): Fault {
  const also = others.length === 0 ? '' : ', and so do others';
  return new Fault({
    code: 'E_INIT_EXISTS',
    kind: 'usage',
    place: first,
    cause: [`the file already exists${also}; nothing was written`, ...others].join('\n'),
    nextStep: 'keep using the existing files, or move them away and run `gate init` again',
  });
}

function writeFault(error: unknown, root: string): unknown {
  const { code, path = root, syscall, dest } = (error ?? {}) as NodeJS.ErrnoException & { dest?: string };
  if (error instanceof Fault || typeof code !== 'string') return error;
  if (code === 'EEXIST' && syscall === 'link') return alreadyExists([relative(root, dest ?? path)]);
  return new Fault(
    {
      code: 'E_INIT_WRITE',
      kind: 'measurement',
      place: relative(root, path),
      cause: `it cannot be written (${code}); all files written before it were taken back`,
      nextStep:
        'check that the folder is writable, that no file has the name of a folder in its path, and that the disk is not full',
    },
    { cause: error },
  );
}
