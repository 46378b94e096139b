import type { Run } from '../model/run.ts';

/**
 * Whether a run that nobody asked to record may be stored because nothing was comparable with it. The first run of
 * all is: somebody has to begin. Later ones only if they are a commit of the branch that the baseline is of: a pull
 * request that changes data or load would otherwise be compared with itself from then on.
 */
export function mayBecomeBaseline(code: Run['code'], stored: readonly Run[]): boolean {
  const newest = stored.at(-1);
  return newest === undefined || (!code.dirty && code.branch === newest.code.branch);
}
