import type { SignalConfig } from '../../model/config.ts';
import { type MachinePart, type MetricName, metrics } from '../../model/metric.ts';
import { scoreOf } from '../../stats/index.ts';
import {
  type CellContrast,
  contrastCells,
  contrastFigure,
  type Match,
  type Objection,
  type Setup,
} from './contrast.ts';
import { type Moved, movedParts } from './moved-parts.ts';
import { partsOfWaiting, servingParts, waitsOtherwise } from './yardstick.ts';

/** Beyond this standard score in either direction, the parts differ about the machine's speed. */
const disagreementScore = 2.6;

const noObjection: Objection = { cheaper: [], open: false };

/** What a match's metrics may be divided by. */
interface Trust {
  readonly parts: readonly MachinePart[];
  /** For the CPU time of the backing services. */
  readonly partsForBacking: readonly MachinePart[];
  readonly objection: Objection;
}

/**
 * Equal counts do not mean equal work per count, so where the parts differ about the machine's speed, one of them is wrong.
 * Interleaved blocks show which part head moved, or else none serves. In blocks of different hours, backing services that
 * became dearer than the generator shows are out. Where they became cheaper, nobody knows which part moved, and none serves.
 */
function trustIn(
  serving: readonly MachinePart[],
  score: number,
  { cheaper, dearer }: Moved,
  interleaved: boolean,
): Trust {
  const differ = Math.abs(score) > disagreementScore;
  if (interleaved) {
    const open = differ && cheaper.length + dearer.length === 0;
    const unmoved = serving.filter((part) => !cheaper.includes(part) && !dearer.includes(part));
    const parts = open ? [] : unmoved;
    return { parts, partsForBacking: parts, objection: { cheaper, open } };
  }
  const agreeing = differ && score < 0 ? [] : serving.filter((part) => !differ || part !== 'backing');
  return { parts: agreeing, partsForBacking: serving, objection: noObjection };
}

/** The contrasts of all matches, each by the best yardstick that head has not moved. */
export function contrastMatches<One extends Match>(
  matches: readonly One[],
  setup: Setup,
  names: readonly MetricName[],
  signals: Readonly<Record<string, SignalConfig>>,
): ReadonlyMap<One, CellContrast> {
  const served = new Map<Match, readonly MachinePart[]>(
    matches.map((match) => [match, servingParts(match.head, match.base, signals)]),
  );
  const servingIn = (match: Match) => served.get(match) ?? [];
  const vouched = matches.filter(
    (match) => servingIn(match).includes('backing') && !waitsOtherwise(match.head, match.base),
  );
  // How far the CPU time of the backing services grew beyond that of the generator.
  const disagreements = contrastFigure(metrics.backingCpu, vouched, setup, ['generator']);
  const scoreIn = (match: Match) => {
    const ratio = disagreements.get(match);
    return ratio === undefined ? 0 : scoreOf(ratio);
  };
  const movedIn = movedParts(matches, servingIn, setup);
  const trusts = new Map<Match, Trust>(
    matches.map((match) => [
      match,
      trustIn(servingIn(match), scoreIn(match), movedIn(match), setup.interleaved),
    ]),
  );
  const by = (parts: 'parts' | 'partsForBacking') => ({
    ...setup,
    partsOf: (match: Match) => trusts.get(match)?.[parts] ?? [],
    // Next to base, raw figures are precise enough.
    partsOfWaiting: (match: Match) =>
      setup.interleaved || servingIn(match).length > 0 ? [] : partsOfWaiting(match.head, match.base, signals),
    objectionOf: (match: Match) => trusts.get(match)?.objection ?? noObjection,
  });
  const contrasts = contrastCells(
    matches,
    by('parts'),
    names.filter((name) => name !== 'backingCpu'),
  );
  const backing = contrastCells(
    matches,
    by('partsForBacking'),
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

/**
 * The second measurement's contrasts, with what they mean for those of the first. A yardstick that makes head look worse than
 * it is misleads; the other way round, the first measurement proves all the more.
 */
export function withDoubts(second: CellContrast, first: CellContrast): CellContrast {
  return second.map((again) => {
    const before = first.find(({ metric }) => metric === again.metric);
    if (!('worsening' in again) || before === undefined || !('worsening' in before)) return again;
    const { cheaper, open } = again.objection;
    if (before.yardstick.some((part) => cheaper.includes(part))) return { ...again, doubt: 'misled' };
    return open && before.yardstick.length > 0 ? { ...again, doubt: 'open' } : again;
  });
}
