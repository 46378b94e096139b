import { mean } from 'simple-statistics';
import {
  hostNoise,
  isRatioMetric,
  type MachinePart,
  type MetricName,
  metrics,
  type RatioMetric,
  type RatioMetricName,
  type ReadingMachine,
  type ShareMetricName,
} from '../../model/metric.ts';
import type { Cell } from '../../model/run.ts';
import {
  type Calibration,
  calibrate,
  contrastShares,
  errorOf,
  expectedNoise,
  type LogRatio,
  logRatios,
  type Noise,
  type Pair,
  pairedLogRatios,
  type Setting,
  type ShareContrast,
} from '../../stats/index.ts';
import { candidates, slowness, type Yardstick } from './yardstick.ts';

/** Why a yardstick of another measurement of the same two commits may be wrong. */
export interface Objection {
  /** Parts of whose CPU time head needs less, so that they make it look worse than it is. */
  readonly cheaper: readonly MachinePart[];
  /** True if the parts differ about the machine's speed, and nothing shows which of them head moved. */
  readonly open: boolean;
}

/** Estimates by each part that serves. `raw` is as measured, for CPU time that only one part serves. */
export type Alone = Readonly<Partial<Record<MachinePart | 'raw', number>>>;

/** `misled`: the yardstick of the first measurement was wrong. `open`: it may have been. */
export type Doubt = 'misled' | 'open';

/** A metric on the log scale, base against head in one cell. */
export interface RatioContrast {
  readonly metric: RatioMetricName;
  /** In the metric's unit, as measured: geometric means over blocks, with equal weight for every run. */
  readonly base: number;
  readonly head: number;
  /** log(head / base) with the machine's speed divided out, signed so that positive is worse. */
  readonly worsening: LogRatio;
  readonly yardstick: Yardstick;
  readonly alone: Alone;
  /** Where no part serves because head waits more: what they show. It can make a row suspect, but proves nothing. */
  readonly hidden?: Pick<RatioContrast, 'worsening' | 'yardstick'>;
  /** What interleaved blocks say about yardsticks; of other blocks, nothing. */
  readonly objection: Objection;
  /** Of a second measurement: what its objection means for the first one. */
  readonly doubt?: Doubt;
}

/** A share of requests, base against head in one cell. */
export interface ShareDifference {
  readonly metric: ShareMetricName;
  readonly shares: ShareContrast;
}

/** One cell's metrics with chance's part in each: only those that both sides measured. */
export type CellContrast = readonly (RatioContrast | ShareDifference)[];

/** A cell of head and the same cell of every base run; all of them have blocks that can be trusted. */
export interface Match {
  readonly head: Cell;
  /** Not empty. */
  readonly base: readonly Cell[];
  /** The newest stored run's cell: costs and a mix of requests that it has are accepted. By default the last one of base. */
  readonly newest?: Cell;
  /** Runs of the same cell that show the noise where base is one run: stored ones. Empty if there are none. */
  readonly history: readonly Cell[];
}

/** How the two sides were measured. */
export interface Setup {
  readonly setting: Setting;
  /** True if base is one run whose blocks were interleaved with head's. */
  readonly interleaved: boolean;
  readonly machine: ReadingMachine;
}

export interface ComparisonSetup extends Setup {
  /** The parts that may tell the machine's speed in this cell. */
  readonly partsOf: (match: Match) => readonly MachinePart[];
  /** Where no part serves because head waits more: those that may show how much slower it became. */
  readonly partsOfWaiting: (match: Match) => readonly MachinePart[];
  readonly objectionOf: (match: Match) => Objection;
}

/** What a positive figure of a block is read with, and the noise that is expected of it. */
export type Figure = Pick<RatioMetric, 'worse' | 'family' | 'read' | 'resolution' | 'noise' | 'yardstick'>;

/** The log of every block's value by its round. */
type Levels = ReadonlyMap<number, number>;

/** A figure beyond this is no measurement; the bound keeps its log and all that follows finite. */
const greatest = 1e15;

/** Fewer blocks than this show no spread. */
const fewestBlocks = 2;

/**
 * The log of every block's value, with the machine's speed divided out. Blocks without it are left out; undefined if too
 * few have it.
 */
function levelsOf(
  metric: Figure,
  { blocks }: Cell,
  machine: ReadingMachine,
  yardstick: Yardstick,
): Levels | undefined {
  const levels = new Map<number, number>();
  for (const block of blocks) {
    const value = metric.read(block, machine);
    const slow = slowness(metric, block, yardstick, machine);
    if (value === undefined || slow === undefined) continue;
    const log = Math.log(Math.min(greatest, Math.max(metric.resolution(block), value)));
    levels.set(block.round, metric.worse === 'higher' ? log - slow : log + slow);
  }
  return levels.size < Math.min(fewestBlocks, Math.max(1, blocks.length)) ? undefined : levels;
}

function logs(levels: Levels): readonly number[] {
  return [...levels.values()];
}

/** The blocks of the rounds that both have; all blocks if they share none. */
function onRoundsOf(levels: Levels, other: Levels): readonly number[] {
  const common = [...levels].filter(([round]) => other.has(round)).map(([, log]) => log);
  return common.length === 0 ? logs(levels) : common;
}

/** What both sides measured in the same rounds: the first round is seldom like the others. */
function onEqualRounds({ base, head }: Sides): { base: (readonly number[])[]; head: readonly number[] } {
  const inBase = new Map([...head].filter(([round]) => base.some((levels) => levels.has(round))));
  const own = inBase.size > 1 ? inBase : head;
  return { base: base.map((levels) => onRoundsOf(levels, own)), head: logs(own) };
}

/** Mean over the blocks of a cell that have the metric, as a natural log; undefined if too few have it. */
export function logLevel(
  name: RatioMetricName,
  cell: Cell,
  machine: ReadingMachine,
  yardstick: Yardstick,
): number | undefined {
  const levels = levelsOf(metrics[name], cell, machine, yardstick);
  return levels === undefined ? undefined : mean([...logs(levels)]);
}

/** A cell's levels of either side by one yardstick. */
interface Sides {
  readonly match: Match;
  readonly base: readonly Levels[];
  readonly history: readonly Levels[];
  readonly head: Levels;
}

function sidesBy(
  metric: Figure,
  matches: readonly Match[],
  machine: ReadingMachine,
  yardstick: Yardstick,
): readonly Sides[] {
  const levels = (cells: readonly Cell[]) =>
    cells.flatMap((cell) => levelsOf(metric, cell, machine, yardstick) ?? []);
  return matches.flatMap((match) => {
    const [head] = levels([match.head]);
    const [base, history] = [levels(match.base), levels(match.history)];
    return head === undefined || base.length === 0 ? [] : [{ match, base, history, head }];
  });
}

function pairs({ base, head }: Sides): readonly Pair[] {
  const [only = head] = base;
  return [...head].flatMap(([round, value]): Pair[] => {
    const partner = only.get(round);
    return partner === undefined ? [] : [[partner, value]];
  });
}

function noiseOf(metric: Figure, yardstick: Yardstick, setting: Setting): Noise {
  const kind = yardstick.length === 0 ? 'raw' : 'divided';
  return expectedNoise(metric.noise[kind], setting, hostNoise[kind]);
}

/** Every cell's ratio by one yardstick. */
function ratiosBy(
  metric: Figure,
  matches: readonly Match[],
  { setting, interleaved, machine }: Setup,
  yardstick: Yardstick,
): ReadonlyMap<Match, LogRatio> {
  const sides = sidesBy(metric, matches, machine, yardstick);
  const expected = noiseOf(metric, yardstick, setting);
  const seen = (one: Sides) => (one.history.length > 0 ? one.history : one.base);
  const calibrated = calibrate(
    sides.map((one) => seen(one).map(logs)),
    expected,
  );
  const noise = interleaved ? withinAnHour(calibrated, metric, sides) : calibrated;
  const isPaired = (one: Sides) => interleaved && pairs(one).length > 1;
  const rows = sides.map((one, index) => ({ one, block: noise.blocks[index] ?? expected.block }));
  const paired = rows.filter(({ one }) => isPaired(one));
  const unpaired = rows.filter(({ one }) => !isPaired(one));
  const noiseOfRows = (some: typeof rows) => ({ ...noise, blocks: some.map(({ block }) => block) });
  const ratios = [
    ...pairedLogRatios(
      paired.map(({ one }) => pairs(one)),
      noiseOfRows(paired),
    ),
    ...logRatios(
      unpaired.map(({ one }) => onEqualRounds(one)),
      noiseOfRows(unpaired),
    ),
  ];
  return new Map(
    [...paired, ...unpaired].flatMap(({ one }, index): [Match, LogRatio][] => {
      const ratio = ratios[index];
      if (ratio === undefined) return [];
      const estimate = metric.worse === 'higher' ? ratio.estimate : -ratio.estimate;
      return [[one.match, { ...ratio, estimate }]];
    }),
  );
}

/** Interleaved sides share the hour, which is most of what raw figures of runs differ by; boots still differ. */
function withinAnHour(calibration: Calibration, metric: Figure, sides: readonly Sides[]): Calibration {
  const boots = noiseOf(metric, metric.yardstick, 'same-machine');
  const known = sides.some(({ history }) => history.length > 1);
  const least = (calibrated: Noise['run'], expected: Noise['run']) =>
    known && calibrated.variance < expected.variance ? calibrated : expected;
  return {
    ...calibration,
    boot: least(calibration.boot, boots.boot),
    run: least(calibration.run, boots.run),
  };
}

/** A yardstick with the ratio by it. */
type ByYardstick = readonly [Yardstick, LogRatio];

/** The ratio with the smallest error. A yardstick that adds noise is passed over, so none can do harm. */
function best(ratios: readonly ByYardstick[]): ByYardstick | undefined {
  return ratios.toSorted(([, a], [, b]) => errorOf(a).variance - errorOf(b).variance)[0];
}

/** If nobody else can contradict the only part, the raw figure does. Raw times are too noisy for that. */
function aloneOf(ratios: readonly ByYardstick[], { family }: RatioMetric): Alone {
  const single = ratios.filter(([yardstick]) => yardstick.length === 1);
  const raw = family === 'cpu' && single.length === 1 ? ratios.filter(([{ length }]) => length === 0) : [];
  return Object.fromEntries([...single, ...raw].map(([[part = 'raw'], { estimate }]) => [part, estimate]));
}

function geometric(metric: Figure, cells: readonly Cell[], machine: ReadingMachine): number {
  const levels = cells.flatMap((cell) => levelsOf(metric, cell, machine, []) ?? []);
  return Math.exp(mean(levels.map((own) => mean([...logs(own)]))));
}

function contrastRatios(
  name: RatioMetricName,
  matches: readonly Match[],
  setup: ComparisonSetup,
): ReadonlyMap<Match, RatioContrast> {
  const metric = metrics[name];
  const { machine, partsOf, partsOfWaiting, objectionOf } = setup;
  const byYardstick = candidates(metric, metric.yardstick).map(
    (yardstick) => [yardstick, ratiosBy(metric, matches, setup, yardstick)] as const,
  );
  return new Map(
    matches.flatMap((match): [Match, RatioContrast][] => {
      const ratiosOf = (parts: readonly MachinePart[]): readonly ByYardstick[] => {
        const allowed = candidates(metric, parts);
        return byYardstick.flatMap(([yardstick, all]) => {
          const ratio = all.get(match);
          return ratio === undefined || !allowed.includes(yardstick) ? [] : [[yardstick, ratio] as const];
        });
      };
      const ratios = ratiosOf(partsOf(match));
      const found = best(ratios);
      if (found === undefined) return [];
      const alone = aloneOf(ratios, metric);
      const [yardstick, worsening] = found;
      const ofWaiting = metric.family === 'time' ? ratiosOf(partsOfWaiting(match)) : [];
      const hidden = best(ofWaiting.filter(([parts]) => parts.length > 0));
      const [base, head] = [geometric(metric, match.base, machine), geometric(metric, [match.head], machine)];
      return [
        [
          match,
          {
            metric: name,
            base,
            head,
            worsening,
            yardstick,
            alone,
            objection: objectionOf(match),
            ...(hidden && { hidden: { yardstick: hidden[0], worsening: hidden[1] } }),
          },
        ],
      ];
    }),
  );
}

function contrastOneShare(
  name: ShareMetricName,
  matches: readonly Match[],
): ReadonlyMap<Match, ShareDifference> {
  const { count } = metrics[name];
  const counts = (cell: Cell) => cell.blocks.map(count);
  const contrasts = contrastShares(
    matches.map(({ base, head }) => ({ base: base.map(counts), head: [counts(head)] })),
  );
  return new Map(
    matches.flatMap((match, index): [Match, ShareDifference][] => {
      const shares = contrasts[index];
      return shares === undefined ? [] : [[match, { metric: name, shares }]];
    }),
  );
}

/** What a figure changed by in every cell that has it on both sides, by exactly this yardstick. */
export function contrastFigure(
  figure: Figure,
  matches: readonly Match[],
  setup: Setup,
  yardstick: Yardstick = [],
): ReadonlyMap<Match, LogRatio> {
  return ratiosBy(figure, matches, setup, yardstick);
}

/** What the metrics of all cells changed by, cells and metrics in the given order. */
export function contrastCells(
  matches: readonly Match[],
  conditions: ComparisonSetup,
  names: readonly MetricName[],
): readonly CellContrast[] {
  const columns = names.map((name) => {
    // At a fixed arrival rate TPS follows from the rate.
    const judged = name === 'tps' ? matches.filter(({ head }) => head.arrival === undefined) : matches;
    return isRatioMetric(name) ? contrastRatios(name, judged, conditions) : contrastOneShare(name, judged);
  });
  return matches.map((match) => columns.flatMap((column) => column.get(match) ?? []));
}
