import { relative } from 'node:path';

/** A path as people read it: relative to the working directory where it lies below. */
export function shownPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere === '' || fromHere.startsWith('..') ? path : fromHere;
}
