import { isRatioMetric } from '../model/metric.ts';
import { type Cell, cellName, type Run } from '../model/run.ts';
import type { MetricVerdict } from '../model/verdict.ts';
import { droppedReasons } from './comparable/dropped.ts';
import { mixReasons } from './comparable/mix.ts';
import { cellInvalidity, endpointsFailingInBase, judgedCell } from './comparable/validity.ts';
import type { CellContrast, Match, Setup } from './contrast/contrast.ts';
import { contrastMatches, withDoubts } from './contrast/machine-speed.ts';
import { type CostContrast, contrastCosts } from './contrast/measured-costs.ts';
import { judgeContrasts, judgedMetrics, type Measured } from './metric-verdict.ts';
import type { JudgeOptions } from './options.ts';

/** Suspect cells, measured once more: base and head interleaved, after fresh boots. */
export interface Again {
  /** Names of the cells that were to be measured again. */
  readonly suspects: readonly string[];
  readonly base: Run;
  readonly head: Run;
}

export type CellsByName = ReadonlyMap<string, Cell>;

/** A run's cells as they are judged. Of two cells with one name the first counts. */
export function cellsByName({ cells }: Run): CellsByName {
  return new Map(cells.toReversed().map((cell) => [cellName(cell), judgedCell(cell)]));
}

/** What measuring the cells again shows, except for cells where that measurement cannot be trusted. */
function matchAgain<First extends Match>(
  { head, base }: Again,
  firsts: readonly First[],
): ReadonlyMap<First, Match> {
  if (head.invalid.length > 0 || base.invalid.length > 0) return new Map();
  const [headCells, baseCells] = [cellsByName(head), cellsByName(base)];
  return new Map(
    firsts.flatMap((first): [First, Match][] => {
      const name = cellName(first.head);
      const [after, before] = [headCells.get(name), baseCells.get(name)];
      if (after === undefined || before === undefined) return [];
      const reasons = [
        ...cellInvalidity(after),
        ...cellInvalidity(before),
        ...droppedReasons([before], after),
      ];
      if (reasons.length > 0 || endpointsFailingInBase(before, after).length > 0) return [];
      return [[first, { head: after, base: [before], history: first.base }]];
    }),
  );
}

/** True if the second measurement's head received other requests than its base, which makes it faster or slower. */
function hasOtherMix({ head, base }: Match): boolean {
  return base.some((one) => mixReasons(one, head).length > 0);
}

/** What is known about one cell, measured once or twice. */
export interface MeasuredCell {
  readonly match: Match;
  readonly measured: Measured<CellContrast>;
  /** The verdicts on the cell itself. */
  readonly metrics: MetricVerdict[];
  readonly costs: Measured<CostContrast>;
}

/** Every cell's contrasts. Those that are not timed have only shares of requests, and lend nothing to the noise of others. */
function contrastAll(
  matches: readonly Match[],
  isTimed: (match: Match) => boolean,
  setup: Setup,
  options: JudgeOptions,
): ReadonlyMap<Match, CellContrast> {
  const timed = matches.filter(isTimed);
  const counted = matches.filter((match) => !isTimed(match));
  const names = judgedMetrics(options);
  const shares = names.filter((name) => !isRatioMetric(name));
  return new Map([
    ...contrastMatches(timed, setup, names, options.signals),
    ...contrastMatches(counted, setup, shares, options.signals),
  ]);
}

/** The metrics of every cell, by the first measurement and, where there is one, by the second. */
export function measureTwice(
  firsts: readonly Match[],
  again: Again | undefined,
  setup: Setup,
  options: JudgeOptions,
): readonly MeasuredCell[] {
  const counted = new Set(options.cells.filter(({ costsAlone }) => costsAlone).map(cellName));
  const isTimed = ({ head }: Match) => !counted.has(cellName(head));
  const contrasts = contrastAll(firsts, isTimed, setup, options);
  const seconds: ReadonlyMap<Match, Match> = again === undefined ? new Map() : matchAgain(again, firsts);
  const interleaved: Setup = { ...setup, setting: 'same-machine', interleaved: true };
  const contrastsAgain = contrastAll([...seconds.values()], isTimed, interleaved, options);
  const costs = contrastCosts(firsts.filter(isTimed), setup, options.signals);
  const costsAgain = contrastCosts([...seconds.values()].filter(isTimed), interleaved, options.signals);
  const repeated = new Set(again?.suspects ?? []);
  return firsts.map((match) => {
    const second = seconds.get(match);
    const spoiled = repeated.has(cellName(match.head)) && (second === undefined || hasOtherMix(second));
    const both = <Contrast>(first: Contrast, again: Contrast | undefined): Measured<Contrast> => ({
      first,
      ...(again === undefined ? {} : { second: again }),
      spoiled,
    });
    const first = contrasts.get(match) ?? [];
    const again = second && contrastsAgain.get(second);
    const measured = both<CellContrast>(first, again && withDoubts(again, first));
    const size = { vus: match.head.vus, blocks: match.head.blocks.length, ofGroup: false };
    return {
      match,
      measured,
      metrics: judgeContrasts(measured, size, options),
      costs: both<CostContrast>(costs.get(match) ?? new Map(), second && costsAgain.get(second)),
    };
  });
}
