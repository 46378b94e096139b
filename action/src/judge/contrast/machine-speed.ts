import type { SignalConfig } from '../../model/config.ts';
import type { MachinePart, MetricName } from '../../model/metric.ts';
import { scoreOf } from '../../stats/index.ts';
import { type CellContrast, contrastCells, type Match, type Setup } from './contrast.ts';
import { servingParts, waitsOtherwise } from './yardstick.ts';

/** Beyond this standard score in either direction, the parts differ about the machine's speed. */
const disagreementScore = 2.6;

/** How far CPU time of the backing services grew beyond that of the generator, as a score. */
function disagreement(contrast: CellContrast): number {
  const backing = contrast.find((one) => one.metric === 'backingCpu');
  return backing !== undefined && 'worsening' in backing ? scoreOf(backing.worsening) : 0;
}

/**
 * The contrasts of all matches, each by the best yardstick that head has not moved. Equal counts do not mean equal work per
 * count: where the backing services became dearer than the generator shows, they are out. Where they became cheaper, nobody
 * knows which of both moved, so the raw figures decide.
 */
export function contrastMatches<One extends Match>(
  matches: readonly One[],
  setup: Setup,
  names: readonly MetricName[],
  signals: Readonly<Record<string, SignalConfig>>,
): ReadonlyMap<One, CellContrast> {
  const serving = new Map<Match, readonly MachinePart[]>(
    matches.map((match) => [match, servingParts(match.head, match.base, signals)]),
  );
  const vouched = matches.filter(
    (match) => serving.get(match)?.includes('backing') && !waitsOtherwise(match.head, match.base),
  );
  const ofBacking = contrastCells(vouched, { ...setup, partsOf: () => ['generator'] }, ['backingCpu']);
  const scores = new Map<Match, number>(
    vouched.map((match, index) => [match, disagreement(ofBacking[index] ?? [])]),
  );
  const partsOf = (match: Match): readonly MachinePart[] => {
    const [parts, score] = [serving.get(match) ?? [], scores.get(match) ?? 0];
    if (score < -disagreementScore) return [];
    return score > disagreementScore ? parts.filter((part) => part !== 'backing') : parts;
  };
  const contrasts = contrastCells(
    matches,
    { ...setup, partsOf },
    names.filter((name) => name !== 'backingCpu'),
  );
  const backing = contrastCells(
    matches,
    { ...setup, partsOf: (match) => serving.get(match) ?? [] },
    names.filter((name) => name === 'backingCpu'),
  );
  const order = (one: CellContrast[number]) => names.indexOf(one.metric);
  return new Map(
    matches.map((match, index) => [
      match,
      [...(contrasts[index] ?? []), ...(backing[index] ?? [])].toSorted((a, b) => order(a) - order(b)),
    ]),
  );
}
