import { isRatioMetric } from '../model/metric.ts';
import { cellName, type Run } from '../model/run.ts';
import type { MetricVerdict } from '../model/verdict.ts';
import { droppedReasons } from './comparable/dropped.ts';
import { mixReasons } from './comparable/mix.ts';
import { cellInvalidity, cellsByName, endpointsFailingInBase } from './comparable/validity.ts';
import type { CellContrast, Match, Setup } from './contrast/contrast.ts';
import { contrastMatches, withDoubts } from './contrast/machine-speed.ts';
import { type CostContrast, contrastCosts } from './contrast/measured-costs.ts';
import { type SpeedChange, speedChange } from './contrast/speed-change.ts';
import { judgeContrasts, judgedMetrics, type Measured } from './metric-verdict.ts';
import type { JudgeOptions } from './options.ts';

/** Suspect cells, measured once more: base and head interleaved, after fresh boots. */
export interface Again {
  /** Names of the cells that were to be measured again. */
  readonly suspects: readonly string[];
  readonly base: Run;
  readonly head: Run;
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
  /** Both sides of the second measurement; absent without one that can be trusted. */
  readonly again?: Match;
  readonly speedChange: SpeedChange;
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

/**
 * Every cell by the first measurement, and then by the second as well, however often there is more of it. Times and measured
 * costs of a first measurement that ended early prove nothing alone.
 */
export function measureFirst(
  firsts: readonly Match[],
  setup: Setup,
  options: JudgeOptions,
  { endedEarly }: Pick<Run, 'endedEarly'>,
): (again?: Again) => readonly MeasuredCell[] {
  const counted = new Set(options.cells.filter(({ costsAlone }) => costsAlone).map(cellName));
  const isTimed = ({ head }: Match) => !counted.has(cellName(head));
  const contrastsOf = (matches: readonly Match[], how: Setup) => ({
    figures: contrastAll(matches, isTimed, how, options),
    costs: contrastCosts(matches.filter(isTimed), how, options.signals),
  });
  const measuredCell = (
    match: Match,
    figures: Measured<CellContrast>,
    costs: Measured<CostContrast>,
    again?: Match,
  ): MeasuredCell => {
    const speed = speedChange(match, setup);
    const size = {
      vus: match.head.vus,
      blocks: match.head.blocks.length,
      ofGroup: false,
      speedChange: speed.forFigures,
    };
    const metrics = judgeContrasts(figures, size, options);
    return { match, measured: figures, metrics, costs, speedChange: speed, ...(again && { again }) };
  };
  const first = contrastsOf(firsts, setup);
  const figuresOf = (match: Match) => first.figures.get(match) ?? [];
  const costsOf = (match: Match) => first.costs.get(match) ?? new Map();
  const alone = firsts.map((match) =>
    measuredCell(
      match,
      { first: figuresOf(match), spoiled: endedEarly === true },
      { first: costsOf(match), spoiled: endedEarly === true },
    ),
  );
  return (again) => {
    if (again === undefined) return alone;
    const seconds = matchAgain(again, firsts);
    const second = contrastsOf([...seconds.values()], {
      ...setup,
      setting: 'same-machine',
      interleaved: true,
    });
    const repeated = new Set(again.suspects);
    return alone.map((cell) => {
      const { match } = cell;
      const own = seconds.get(match);
      const isRepeated = repeated.has(cellName(match.head));
      if (own === undefined && !isRepeated) return cell;
      const spoiled = isRepeated && (own === undefined || hasOtherMix(own));
      const both = <Contrast>(before: Contrast, after: Contrast | undefined): Measured<Contrast> => ({
        first: before,
        ...(after === undefined ? {} : { second: after }),
        spoiled,
      });
      const figures = own && second.figures.get(own);
      return measuredCell(
        match,
        both<CellContrast>(figuresOf(match), figures && withDoubts(figures, figuresOf(match))),
        both<CostContrast>(costsOf(match), own && second.costs.get(own)),
        own,
      );
    });
  };
}
