import { sampleVariance } from 'simple-statistics';
import {
  type MachinePart,
  type MetricName,
  machineParts,
  metrics,
  type RatioMetric,
  type RatioMetricName,
  ratioMetricNames,
} from '../../model/metric.ts';
import type { Run } from '../../model/run.ts';
import { type CellFigures, figuresByCell } from '../../model/run-figures.ts';
import {
  contradiction,
  judgedRun,
  type Signals,
  type Step,
  type Steps,
  stepsBetween,
} from '../comparable/machine-steps.ts';

/** What a cell would have shown on a machine as fast as in the newest run. */
export interface Levels {
  readonly figures: CellFigures;
  /** Log of how much slower the machine was, where this was divided out. */
  readonly slowness: Readonly<Partial<Record<MetricName, number>>>;
}

/** Runs that others are compared with, at most: each begins a time in which the parts had other work. */
const mostReferences = 8;

/**
 * The figures of every cell of comparable runs, oldest first, as if the machine had always been as fast as in the newest run.
 * The CPU time per request of parts that had the same work shows its speed, as in a check. A figure that this would not make
 * steadier stays as measured: requests may take as long as they wait.
 */
export function atOneSpeed(
  runs: readonly Run[],
  { figuresOf, between }: RunComparison,
): readonly ReadonlyMap<string, Levels>[] {
  const measured = runs.map(figuresOf);
  const names = new Set(measured.flatMap((figures) => [...figures.keys()]));
  const series = new Map(
    [...names].map((cell) => [
      cell,
      ratioMetricNames.map((name) => {
        const values = measured.map((figures) => figures.get(cell)?.[name]);
        const stepFrom = (at: number, from: number) => {
          const { own, common } = between(runs[at] ?? outside(at), runs[from] ?? outside(from));
          return stepFor(metrics[name], own.get(cell) ?? {}) ?? stepFor(metrics[name], common);
        };
        return [name, slownessIn(values, slownessBy(stepFrom, runs.length), metrics[name])] as const;
      }),
    ]),
  );
  return measured.map(
    (figures, at) =>
      new Map([...figures].map(([cell, own]) => [cell, levels(own, series.get(cell) ?? [], at)])),
  );
}

/** The figures of one run, with the slowness of each divided out. */
function levels(
  measured: CellFigures,
  series: readonly (readonly [RatioMetricName, readonly number[]])[],
  at: number,
): Levels {
  const slowness = series.map(([name, slow]) => [name, slow[at] ?? 0] as const);
  const divided = slowness.flatMap(([name, slow]) => {
    const value = measured[name];
    return value === undefined ? [] : [[name, withoutSlowness(value, slow, metrics[name])] as const];
  });
  return {
    figures: { ...measured, ...Object.fromEntries(divided) },
    slowness: Object.fromEntries(slowness),
  };
}

type Values = readonly (number | undefined)[];

/** The slowness to divide out of the values: none at all if they are steadier as measured. */
function slownessIn(
  values: Values,
  slow: readonly number[],
  metric: Pick<RatioMetric, 'worse'>,
): readonly number[] {
  const divided = values.map((value, at) =>
    value === undefined ? undefined : withoutSlowness(value, slow[at] ?? 0, metric),
  );
  return spread(divided) < spread(values) ? slow : slow.map(() => 0);
}

function withoutSlowness(value: number, slow: number, { worse }: Pick<RatioMetric, 'worse'>): number {
  return worse === 'higher' ? value / Math.exp(slow) : value * Math.exp(slow);
}

/** A smaller figure has no useful log. */
const least = 1e-9;

/** The variance of the values' logs; 0 for a single one. */
function spread(values: Values): number {
  const logs = values.flatMap((value) => (value === undefined ? [] : [Math.log(Math.max(least, value))]));
  return logs.length < 2 ? 0 : sampleVariance(logs);
}

/**
 * How much slower the machine was in each run than in the newest one, as logs. A run is compared with the newest one; or else
 * with one that began a time of other work, the newest first; or else with the run after it. Where nothing shows it, the machine is
 * taken to be as fast as in the run after it.
 */
function slownessBy(
  stepFrom: (at: number, from: number) => number | undefined,
  count: number,
): readonly number[] {
  const slow = new Map<number, number>();
  const references: number[] = [];
  for (let at = count - 1; at >= 0; at--) {
    const linked = references.find((from) => stepFrom(at, from) !== undefined);
    const from = linked ?? at + 1;
    const step = from < count ? (stepFrom(at, from) ?? 0) : 0;
    slow.set(at, (slow.get(from) ?? 0) + step);
    if (linked === undefined && references.length < mostReferences) references.push(at);
  }
  return Array.from({ length: count }, (_, at) => slow.get(at) ?? 0);
}

/**
 * By the generator, whose work is known best, or else by the backing services. Where these became cheaper than the generator
 * shows, nobody knows which of the two changed; where they became dearer, they may have more work behind the same counts.
 */
function stepFor({ yardstick, family }: (typeof metrics)[RatioMetricName], step: Step): number | undefined {
  const serving: readonly MachinePart[] = yardstick;
  const [generator, backing] = machineParts.map((part) => {
    const levels = serving.includes(part) ? step[part] : undefined;
    return levels?.[family === 'cpu' ? 'cpu' : 'time'];
  });
  if (generator === undefined || backing === undefined) return generator ?? backing;
  return backing - generator > contradiction ? undefined : generator;
}

function outside(at: number): never {
  throw new Error(`there is no run ${at}`);
}

/** What runs show, worked out once for each run and each two of them. */
export interface RunComparison {
  readonly figuresOf: (run: Run) => ReadonlyMap<string, CellFigures>;
  /** What two runs show about the machine. */
  readonly between: (one: Run, other: Run) => Steps;
}

export function compareRuns(signals: Signals): RunComparison {
  const judged = once(judgedRun);
  const steps = once((one) => once((other) => stepsBetween(judged(one), judged(other), signals)));
  return { figuresOf: once(figuresByCell), between: (one, other) => steps(one)(other) };
}

function once<Value>(of: (run: Run) => Value): (run: Run) => Value {
  const known = new WeakMap<Run, Value>();
  return (run) => {
    const value = known.get(run) ?? of(run);
    known.set(run, value);
    return value;
  };
}
