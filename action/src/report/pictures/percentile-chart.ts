import { build, decodeFromCompressedBase64, type Histogram } from 'hdr-histogram-js';
import type { CheckRecord } from '../../model/record.ts';
import { type Block, cellName, cleanBlocks, type Latency } from '../../model/run.ts';
import { formatMs } from '../format/number.ts';
import { blocksOf, type SideName } from './cell-blocks.ts';
import { fixedChart, type Line, type Point } from './fixed-chart.ts';

/** Shares of requests in percent. The axis shows how few are slower, as Tene's plots of percentiles do. */
const drawnPercentiles = [0, 10, 25, 50, 75, 80, 85, 90, 92.5, 95, 97.5, 99, 99.5, 99.9];
const ticks = [0, 50, 75, 90, 95, 99, 99.9];

/** What a stored run still knows: baselines carry no histograms. */
const storedPercentiles: readonly (readonly [number, (latency: Latency) => number])[] = [
  [50, ({ p50Ms }) => p50Ms],
  [90, ({ p90Ms }) => p90Ms],
  [95, ({ p95Ms }) => p95Ms],
  [99, ({ p99Ms }) => p99Ms],
];

/** 0 at 0%, 1 at 90%, 2 at 99%, 3 at 99.9%. */
function place(percentile: number): number {
  return -Math.log10(1 - percentile / 100);
}

/** Response times of base and head by percentile: the newest measurement that has both sides, else head and stored runs. */
export function percentileChart(record: CheckRecord, name: string): string {
  const blocks = blocksOf(record, name).filter(({ block }) => block.invalid.length === 0);
  const latest = blocks.some(({ measurement }) => measurement === 2) ? 2 : 1;
  const of = (side: SideName) =>
    blocks.filter((one) => one.side === side && one.measurement === latest).map(({ block }) => block);
  const base = of('base');
  const lines = [
    base.length > 0 ? measuredLine('base', base) : storedLine(record, name),
    measuredLine('head', of('head')),
  ];
  return fixedChart({
    title: 'Response times by percentile',
    ...(latest === 2 ? { note: 'second measurement' } : {}),
    xTicks: ticks.map((percentile) => ({ x: place(percentile), text: `${percentile}%` })),
    xRange: [0, place(99.9)],
    y: formatMs,
    yScale: 'log',
    lines,
  });
}

function point(percentile: number, ms: number): Point {
  return { x: place(percentile), y: ms, text: `${percentile}%: ${formatMs(ms)}` };
}

function measuredLine(side: SideName, blocks: readonly Block[]): Line {
  const all = merged(blocks.flatMap(({ latency: { histogram } }) => histogram ?? []));
  const points =
    all === undefined
      ? []
      : drawnPercentiles.map((percentile) => point(percentile, all.getValueAtPercentile(percentile) / 1000));
  return { name: side, className: side, points, joined: true, marked: false };
}

function merged(histograms: readonly string[]): Histogram | undefined {
  if (histograms.length === 0) return undefined;
  const all = build({ autoResize: true, numberOfSignificantValueDigits: 3 });
  for (const text of histograms) all.add(decodeFromCompressedBase64(text));
  return all;
}

/** Medians over the blocks of the stored runs that the verdict compares with. */
function storedLine({ stored, verdict: { comparison } }: CheckRecord, name: string): Line {
  const used = new Set(comparison.kind === 'stored' ? comparison.base.map(({ runId }) => runId) : []);
  const blocks = stored
    .filter(({ id }) => used.has(id))
    .flatMap(({ cells }) => cells.filter((cell) => cellName(cell) === name).flatMap(cleanBlocks));
  return {
    name: 'stored runs',
    className: 'base',
    points:
      blocks.length === 0
        ? []
        : storedPercentiles.map(([percentile, read]) =>
            point(percentile, median(blocks.map(({ latency }) => read(latency)))),
          ),
    joined: true,
    marked: true,
  };
}

/** Of at least one value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? 0;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? 0) + upper) / 2 : upper;
}
