import { cpuPerRequest, type MachinePart, machineParts } from '../../model/metric.ts';
import { cellName } from '../../model/run.ts';
import { type LogRatio, poolRatios, scoreOf } from '../../stats/index.ts';
import { contrastFigure, type Figure, type Match, type Setup } from './contrast.ts';

/** Beyond this standard score in either direction, head moved the CPU time of a part. */
const movedScore = 2.6;

/**
 * Standard deviations of logs of a part's CPU time per request. Between blocks it follows the machine. Boots of one hour
 * hardly change the generator's.
 */
const partNoise: Readonly<Record<MachinePart, Figure['noise']['raw']>> = {
  generator: { block: 0.1, boot: 0.01, run: 0.01 },
  backing: { block: 0.1, boot: 0.03, run: 0.01 },
};

function cpuOf(part: MachinePart): Figure {
  return {
    worse: 'higher',
    family: 'cpu',
    read: (block, machine) => cpuPerRequest(part, block, machine),
    resolution: () => Number.MIN_VALUE,
    noise: { divided: partNoise[part], raw: partNoise[part] },
    yardstick: [],
  };
}

/** Parts whose CPU time per request head moved. */
export interface Moved {
  readonly cheaper: readonly MachinePart[];
  readonly dearer: readonly MachinePart[];
}

/** Of the endpoints of a cell, which share its CPU time, the best known. */
function oneForEachCell(ratios: ReadonlyMap<Match, LogRatio>): readonly LogRatio[] {
  const ofCells = Map.groupBy(ratios, ([{ head }]) => cellName(head));
  const variance = ({ error }: LogRatio) => error.blocks.variance;
  return [...ofCells.values()].flatMap((same) =>
    same
      .map(([, ratio]) => ratio)
      .toSorted((a, b) => variance(a) - variance(b))
      .slice(0, 1),
  );
}

/**
 * What interleaved blocks show, in one cell or in all of them together: both sides had the same machine, so whatever a part
 * differs by is head's doing. Blocks of different hours show nothing. `servingIn` has the parts that might tell the machine's
 * speed: the others differ for other reasons.
 */
export function movedParts(
  matches: readonly Match[],
  servingIn: (match: Match) => readonly MachinePart[],
  setup: Setup,
): (match: Match) => Moved {
  if (!setup.interleaved) return () => ({ cheaper: [], dearer: [] });
  const scores = machineParts.map((part) => {
    const served = matches.filter((match) => servingIn(match).includes(part));
    const ratios = contrastFigure(cpuOf(part), served, setup);
    const all = oneForEachCell(ratios);
    const common = all.length === 0 ? 0 : scoreOf(poolRatios(all));
    const scoreIn = (match: Match) => {
      const ratio = ratios.get(match);
      if (ratio === undefined) return 0;
      const own = scoreOf(ratio);
      return Math.abs(own) > Math.abs(common) ? own : common;
    };
    return { part, scoreIn };
  });
  const partsWith = (holds: (score: number) => boolean, match: Match) =>
    scores.filter(({ scoreIn }) => holds(scoreIn(match))).map(({ part }) => part);
  return (match) => ({
    cheaper: partsWith((score) => score < -movedScore, match),
    dearer: partsWith((score) => score > movedScore, match),
  });
}
