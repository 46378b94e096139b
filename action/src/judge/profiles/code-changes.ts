import type { CellProfile } from '../../model/profile.ts';
import { cellName } from '../../model/run.ts';
import type { CodeChange } from '../../model/verdict.ts';
import { compareProfiles } from './compare-profiles.ts';

/** What the profiles of each cell show; only cells that both sides have a profile of. */
export function codeChanges(profiles: readonly CellProfile[]): CodeChange[] {
  return [...Map.groupBy(profiles, cellName).values()].flatMap((cell) => {
    const base = cell.find(({ side }) => side === 'base');
    const head = cell.find(({ side }) => side === 'head');
    if (base === undefined || head === undefined) return [];
    return [{ scenario: head.scenario, load: head.load, ...compareProfiles(base, head) }];
  });
}
