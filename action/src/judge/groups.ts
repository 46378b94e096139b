import { mean } from 'simple-statistics';
import { isRatioMetric, type MetricName, machineParts, metrics } from '../model/metric.ts';
import { cellName } from '../model/run.ts';
import { geometricMean } from '../model/run-figures.ts';
import { type GroupVerdict, isTimed, type MetricVerdict } from '../model/verdict.ts';
import { poolRatios, scoreOf } from '../stats/index.ts';
import type { Alone, CellContrast, RatioContrast } from './contrast/contrast.ts';
import { suspectScore } from './decision.ts';
import { judgeContrasts } from './metric-verdict.ts';
import type { JudgeOptions } from './options.ts';
import { mostSerious } from './outcome.ts';
import type { MeasuredCell } from './second-measurement.ts';

/** Fewer cells are no group. */
const fewestCells = 2;

/** What a whole group shares counts from half the tolerance of one cell, since it costs as much as two cells. */
const shareOfTolerance = 0.5;

function pooled(contrasts: readonly CellContrast[], metric: MetricName): RatioContrast | undefined {
  const ratios = contrasts
    .flat()
    .filter((one): one is RatioContrast => 'worsening' in one && one.metric === metric);
  const [first] = ratios;
  if (first === undefined || ratios.length < contrasts.length) return undefined;
  const geometric = (side: 'base' | 'head') => geometricMean(ratios.map((one) => one[side]));
  return {
    metric: first.metric,
    base: geometric('base'),
    head: geometric('head'),
    worsening: poolRatios(ratios.map(({ worsening }) => worsening)),
    yardstick: first.yardstick.filter((part) => ratios.every(({ yardstick }) => yardstick.includes(part))),
    alone: aloneOf(ratios),
    objection: first.objection,
    ...doubtOf(ratios),
  };
}

/** The mean by each part that serves in all cells. */
function aloneOf(ratios: readonly RatioContrast[]): Alone {
  return Object.fromEntries(
    ([...machineParts, 'raw'] as const).flatMap((part) => {
      const found = ratios.flatMap(({ alone }) => alone[part] ?? []);
      return found.length < ratios.length ? [] : [[part, mean(found)]];
    }),
  );
}

/** What makes the first measurement doubtful in one cell does so in the whole group. */
function doubtOf(ratios: readonly RatioContrast[]): Pick<RatioContrast, 'doubt'> {
  const doubts = ratios.flatMap(({ doubt }) => doubt ?? []);
  const [any] = doubts;
  return any === undefined ? {} : { doubt: doubts.includes('open') ? 'open' : any };
}

/** The cells that have the metric, unless one of them says enough about it on its own. */
function membersFor(cells: readonly MeasuredCell[], metric: MetricName): readonly MeasuredCell[] {
  const rowOf = ({ metrics: own }: MeasuredCell) => own.find((one) => one.metric === metric);
  const members = cells.filter((cell) => rowOf(cell) !== undefined);
  // What head may hide is not in the figures of the group.
  const isShown = ({ measured }: MeasuredCell) =>
    measured.first.some(
      (one) => one.metric === metric && 'worsening' in one && scoreOf(one.worsening) > suspectScore,
    );
  return members.some((cell) => rowOf(cell)?.suspect && isShown(cell)) ? [] : members;
}

/** A verdict on what the members share. */
interface PooledRow {
  readonly metric: MetricVerdict;
  readonly members: readonly MeasuredCell[];
}

function judgeGroup(
  scenario: string | null,
  cells: readonly MeasuredCell[],
  options: JudgeOptions,
): readonly GroupVerdict[] {
  const names = Object.keys(options.tolerances) as MetricName[];
  const rows = names
    .filter((name) => isRatioMetric(name) && metrics[name].pooled)
    .flatMap((name): PooledRow[] => {
      const members = membersFor(cells, name);
      if (members.length < fewestCells) return [];
      const firsts = members.map(({ measured }) => measured.first);
      const first = pooled(firsts, name);
      if (first === undefined) return [];
      const again = members.flatMap(({ measured }) =>
        measured.second === undefined ? [] : [measured.second],
      );
      const isRepeated = again.length === members.length;
      const second = isRepeated ? pooled(again, name) : undefined;
      const spoiled =
        members.some(({ measured }) => measured.spoiled) || (isRepeated && second === undefined);
      const tolerance = (options.tolerances[name] ?? 0) * shareOfTolerance;
      const judged = judgeContrasts(
        { first: [first], ...(second === undefined ? {} : { second: [second] }), spoiled },
        {
          // As the figures of the group are.
          vus: geometricMean(members.map(({ match }) => match.head.vus)),
          blocks: Math.min(...members.map(({ match }) => match.head.blocks.length)),
          ofGroup: true,
          speedChange: Math.max(...members.map(({ speedChange }) => speedChange.forFigures)),
        },
        { ...options, tolerances: { [name]: tolerance } },
      );
      return judged.map((metric) => ({ metric, members }));
    });
  if (rows.length === 0) return [];
  const pooledCells = new Set(rows.flatMap(({ members }) => members));
  return [
    {
      scenario,
      cells: cells.filter((cell) => pooledCells.has(cell)).map(({ match }) => cellName(match.head)),
      outcome: mostSerious(rows.map(({ metric }) => metric.outcome)),
      metrics: rows.map(({ metric }) => metric),
    },
  ];
}

/** The verdicts on every scenario with several timed cells, and on all of those if there are several scenarios. */
export function judgeGroups(all: readonly MeasuredCell[], options: JudgeOptions): GroupVerdict[] {
  const cells = all.filter(isTimed);
  const byScenario = Map.groupBy(cells, ({ match }) => match.head.scenario);
  const scenarios = [...byScenario].flatMap(([scenario, members]) => judgeGroup(scenario, members, options));
  return byScenario.size < 2 ? scenarios : [...scenarios, ...judgeGroup(null, cells, options)];
}
