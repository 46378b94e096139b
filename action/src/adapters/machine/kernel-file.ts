import { readFileSync } from 'node:fs';

/** Reads a file of /proc or a control group. Undefined if it is absent, gone meanwhile, or not for this user. */
export function readKernelFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // The kernel answers ENODEV and ESRCH when the owner ends between opening and reading.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENODEV', 'ESRCH', 'EACCES'].includes(code)) return undefined;
    throw error;
  }
}
