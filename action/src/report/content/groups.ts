import type { GroupVerdict, Outcome, Verdict } from '../../model/verdict.ts';
import { countOf } from '../format/phrase.ts';
import { formatFinding } from './metric.ts';

/** `trip-edit, 2 cells together`, `all 6 cells together`. */
export function groupName({ scenario, cells }: GroupVerdict): string {
  return scenario === null
    ? `all ${countOf(cells.length, 'cell')} together`
    : `${scenario}, ${countOf(cells.length, 'cell')} together`;
}

export function groupsIn({ groups }: Verdict, outcome: Outcome): readonly GroupVerdict[] {
  return groups.filter((group) => group.outcome === outcome);
}

/** `trip-edit, 2 cells together — TPS -6% [-9, -4], limit -5%`. */
export function groupFinding(group: GroupVerdict, outcome: Outcome): string {
  const found = group.metrics.filter((metric) => metric.outcome === outcome);
  return `${groupName(group)} — ${found.map(formatFinding).join('; ')}`;
}
