import { mean } from 'simple-statistics';
import { logLevel } from '../../judge/index.ts';
import type { NoiseOfRuns, NoiseParts } from '../../model/calibration.ts';
import { type MachinePart, metrics, type RatioMetricName, ratioMetricNames } from '../../model/metric.ts';
import { type Cell, cellName, cleanBlocks, type Run } from '../../model/run.ts';
import { calibrate, type Side } from '../../stats/index.ts';

/** The first round is seldom like the others. */
const firstRound = 0;

/** Nothing is known beforehand, so that what the runs show is not drawn towards anything. */
const unknown = { variance: 0, df: 0 };

/**
 * The noise of runs of one commit, split into blocks, boots and runs by the method of moments. Only cells that all runs have
 * count, with two blocks at least in each that nothing speaks against.
 */
export function noiseOfRuns(runs: readonly Run[]): NoiseOfRuns {
  const [first] = runs;
  const names = (first?.cells ?? [])
    .map(cellName)
    .filter((name) => runs.every(({ cells }) => cells.some((cell) => cellName(cell) === name)));
  const parts = ratioMetricNames.flatMap((metric) => [
    ...partsOf(metric, 'raw', [], runs, names),
    ...partsOf(metric, 'divided', metrics[metric].yardstick, runs, names),
  ]);
  return { runs: runs.length, cells: names.length, parts };
}

function partsOf(
  metric: RatioMetricName,
  kind: NoiseParts['kind'],
  yardstick: readonly MachinePart[],
  runs: readonly Run[],
  names: readonly string[],
): NoiseParts[] {
  const sides = names
    .map((name): Side => runs.map((run) => levelsOf(metric, run, name, yardstick)))
    .filter((side) => side.every((levels) => levels.length > 1));
  if (runs.length < 2 || sides.length < 2) return [];
  const { blocks, boot, run } = calibrate(sides, { block: unknown, boot: unknown, run: unknown });
  const variance = mean(blocks.map((one) => one.variance));
  return [
    {
      metric,
      kind,
      block: Math.sqrt(variance),
      boot: Math.sqrt(boot.variance),
      run: Math.sqrt(run.variance),
    },
  ];
}

function levelsOf(
  metric: RatioMetricName,
  { cells, fingerprint }: Run,
  name: string,
  yardstick: readonly MachinePart[],
): readonly number[] {
  const cell = cells.find((one) => cellName(one) === name);
  if (cell === undefined) return [];
  const alone = (block: Cell['blocks'][number]) => ({ ...cell, blocks: [block] });
  return cleanBlocks(cell)
    .filter(({ round }) => round !== firstRound)
    .flatMap((block) => logLevel(metric, alone(block), fingerprint, yardstick) ?? []);
}
