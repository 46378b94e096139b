import type { BaselineStore } from '../../check/index.ts';
import { baselineSchemaVersion } from '../../model/baseline.ts';

/** Keeps nothing, so that every check measures base and head. */
export function createEmptyStore(): BaselineStore {
  return {
    place: 'nowhere',
    read: async () => ({ kind: 'missing' }),
    append: async (run) => ({ schema: baselineSchemaVersion, runs: [run] }),
  };
}
