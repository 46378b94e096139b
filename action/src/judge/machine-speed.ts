import { type MachinePart, type MetricName, machineParts } from '../model/metric.ts';
import { scoreOf } from '../stats/index.ts';
import { type CellContrast, type ComparisonSetup, contrastCells, type Match } from './contrast.ts';
import type { JudgeOptions } from './options.ts';
import { isMostlyIdle, partsWithSameWork, waitsOtherwise } from './yardstick.ts';

export type Setup = Omit<ComparisonSetup, 'partsOf'>;

/** Beyond this standard score in either direction, the parts differ about the machine's speed. */
const disagreementScore = 3.5;

/**
 * The parts that may tell the machine's speed in a cell: those that head gives the same work, while the machine is busy,
 * and as busy as in base.
 */
function unmovedParts({ head, base }: Match, { signals }: JudgeOptions): readonly MachinePart[] {
  if (isMostlyIdle(head, base)) return [];
  const parts = partsWithSameWork(head, base, signals);
  return waitsOtherwise(head, base) ? parts.filter((part) => part !== 'generator') : parts;
}

/** Whether the parts show machine speeds that differ beyond chance, so that head moved one of them unseen. */
function disagrees(contrast: CellContrast): boolean {
  return contrast.some(
    (one) =>
      'worsening' in one &&
      one.metric === 'backingCpu' &&
      Math.abs(scoreOf(one.worsening)) > disagreementScore,
  );
}

/**
 * The contrasts of all matches, each by the best yardstick that head has not moved. Where the counted costs explain
 * nothing and the parts still disagree, nobody knows which of them moved, so the raw figures decide.
 */
export function contrastMatches<One extends Match>(
  matches: readonly One[],
  setup: Setup,
  names: readonly MetricName[],
  options: JudgeOptions,
): ReadonlyMap<One, CellContrast> {
  const unmoved = new Map<Match, readonly MachinePart[]>(
    matches.map((match) => [match, unmovedParts(match, options)]),
  );
  const both = matches.filter((match) => unmoved.get(match)?.length === machineParts.length);
  const ofBacking = contrastCells(both, { ...setup, partsOf: () => ['generator'] }, ['backingCpu']);
  const disagreeing = new Set<Match>(both.filter((_, index) => disagrees(ofBacking[index] ?? [])));
  const contrasts = contrastCells(
    matches,
    { ...setup, partsOf: (match) => (disagreeing.has(match) ? [] : (unmoved.get(match) ?? [])) },
    names.filter((name) => name !== 'backingCpu'),
  );
  const backing = contrastCells(
    matches,
    { ...setup, partsOf: (match) => unmoved.get(match) ?? [] },
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
