import { mean } from 'simple-statistics';
import { logLevel } from '../../judge/index.ts';
import type { NoiseOfRuns, SplitNoise } from '../../model/calibration.ts';
import { type MachinePart, metrics, type RatioMetricName, ratioMetricNames } from '../../model/metric.ts';
import { type Cell, cellName, cleanBlocks, type Run } from '../../model/run.ts';
import { calibrate, type Side } from '../../stats/index.ts';
import type { RecordedRun } from './recorded-run.ts';
import { comparableGroups, haveOneLoad } from './recorded-trials.ts';

/** The first round is seldom like the others. */
const firstRound = 0;

/** Nothing is known beforehand, so that what the runs show is not drawn towards anything. */
const unknown = { variance: 0, df: 0 };
const nothingKnown = { block: unknown, boot: unknown, run: unknown };

/**
 * The noise of runs of one commit, split into blocks, boots and runs by the method of moments, and runs into hours and hosts.
 * Only cells that all runs have count, with two blocks at least in each that nothing speaks against.
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

/** The noise of unchanged runs in groups of one load, data and versions, whatever the machine, with the start of the first. */
export function noiseByLoad(
  runs: readonly RecordedRun[],
): readonly { readonly from: string; readonly noise: NoiseOfRuns }[] {
  return comparableGroups(runs, haveOneLoad).map((positions) => {
    const group = positions.flatMap((position) => runs[position]?.run ?? []);
    return { from: group[0]?.startedAt ?? '', noise: noiseOfRuns(group) };
  });
}

function partsOf(
  metric: RatioMetricName,
  kind: SplitNoise['kind'],
  yardstick: readonly MachinePart[],
  runs: readonly Run[],
  names: readonly string[],
): SplitNoise[] {
  const sides = names
    .map((name): Side => runs.map((run) => levelsOf(metric, run, name, yardstick)))
    .filter((side) => side.every((levels) => levels.length > 1));
  if (runs.length < 2 || sides.length < 2) return [];
  const { blocks, boot, run } = calibrate(sides, nothingKnown);
  const split = hostsAndHours(sides, runs.map(hostOf), run.variance);
  const variance = mean(blocks.map((one) => one.variance));
  return [
    {
      metric,
      kind,
      block: Math.sqrt(variance),
      boot: Math.sqrt(boot.variance),
      run: Math.sqrt(run.variance),
      ...(split && { split }),
    },
  ];
}

/** Hosts that do not say which they are count as one if they have the same processor. */
function hostOf({ fingerprint: { host, cpuModel } }: Run): string {
  return host ?? cpuModel;
}

/**
 * Splits the variance of runs by the hosts they were made on, as one-way components of variance of unequal groups (Searle,
 * Casella and McCulloch 1992, section 3.6). `runVariance` is that of all runs.
 */
function hostsAndHours(
  sides: readonly Side[],
  hosts: readonly string[],
  runVariance: number,
): SplitNoise['split'] | undefined {
  const groups = [...Map.groupBy(hosts.keys(), (run) => hosts[run]).values()];
  const several = groups.filter(({ length }) => length > 1);
  if (groups.length < 2 || several.length === 0) return undefined;
  const within = several.map((group) => {
    const own = sides.map((side) => group.map((run) => side[run] ?? []));
    return { variance: calibrate(own, nothingKnown).run.variance, df: group.length - 1 };
  });
  const df = within.reduce((sum, one) => sum + one.df, 0);
  const hour = within.reduce((sum, one) => sum + one.df * one.variance, 0) / df;
  const count = hosts.length;
  const squares = groups.reduce((sum, { length }) => sum + length ** 2, 0);
  const host = Math.max(0, runVariance - hour) / ((count - squares / count) / (count - 1));
  return { hour: Math.sqrt(hour), host: Math.sqrt(host) };
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
