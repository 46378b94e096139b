import { type MetricName, metricNames, metrics } from './metric.ts';
import { type Cell, cellName, cleanBlocks, type Fingerprint, type Run } from './run.ts';

/** A run's own figures of a cell in each metric's unit, as measured; a metric that no clean block has is absent. */
export type CellFigures = Readonly<Partial<Record<MetricName, number>>>;

/** Geometric means over clean blocks, and shares over their sums, as a verdict has them. */
function cellFigures(cell: Cell, machine: Pick<Fingerprint, 'cpuCount'>): CellFigures {
  const blocks = cleanBlocks(cell);
  const figures = metricNames.map((name) => {
    const metric = metrics[name];
    if (metric.scale === 'share') {
      const counts = blocks.map(metric.count);
      const trials = counts.reduce((sum, count) => sum + count.trials, 0);
      const events = counts.reduce((sum, count) => sum + count.events, 0);
      return [name, trials === 0 ? undefined : events / trials] as const;
    }
    const values = blocks.flatMap((block) => metric.read(block, machine) ?? []);
    return [name, values.length === 0 ? undefined : geometricMean(values)] as const;
  });
  return Object.fromEntries(figures.filter(([, value]) => value !== undefined));
}

/** The figures of every cell, by its name. */
export function figuresByCell({ cells, fingerprint }: Run): ReadonlyMap<string, CellFigures> {
  return new Map(cells.map((cell) => [cellName(cell), cellFigures(cell, fingerprint)]));
}

/** JSON has no infinity: absurd but allowed figures stop here. */
const greatest = 1e300;

/** Geometric mean, since times and rates vary by factors; 0 if any value is, or if there is none. */
export function geometricMean(values: readonly number[]): number {
  if (values.length === 0 || values.some((value) => value <= 0)) return 0;
  const sum = values.reduce((total, value) => total + Math.log(Math.min(greatest, value)), 0);
  return Math.exp(sum / values.length);
}
