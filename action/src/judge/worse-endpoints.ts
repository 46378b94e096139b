import { type Block, type Cell, cellName } from '../model/run.ts';
import type { CellVerdict, MetricName } from '../model/verdict.ts';
import { holmAdjust, pAbove, pShareAbove } from '../stats/index.ts';
import { type CellContrast, contrastCells, type Match, type Measured } from './contrast.ts';
import { judgeErrors, judgeTime } from './metric.ts';
import type { JudgeOptions } from './options.ts';

/** Requests of a block below which its p95 is all but its slowest request. */
const fewestRequests = 40;

/** Fewer blocks than this say nothing about how they differ. */
const fewestBlocks = 2;

/** One endpoint of a cell as a cell of its own. */
interface EndpointMatch extends Match {
  readonly cell: string;
  readonly endpoint: string;
}

function blocksOf(cell: Cell, name: string): Block[] {
  return cell.blocks.flatMap((block) =>
    block.endpoints
      .filter((endpoint) => endpoint.name === name && endpoint.requests >= fewestRequests)
      .map(({ requests, errors, latency }) => ({
        ...block,
        requests,
        errors,
        latency,
        tps: requests / block.countedSeconds,
      })),
  );
}

function only(cell: Cell, name: string): Cell {
  return { ...cell, blocks: blocksOf(cell, name) };
}

function endpointMatches({ endpoints, ...cell }: CellVerdict, { base, head }: Match): EndpointMatch[] {
  return endpoints.flatMap(({ name }) => {
    const match = {
      cell: cellName(cell),
      endpoint: name,
      head: only(head, name),
      base: base.map((one) => only(one, name)).filter(({ blocks }) => blocks.length >= fewestBlocks),
    };
    return match.base.length === 0 || match.head.blocks.length < fewestBlocks ? [] : [match];
  });
}

/** Metrics by which each endpoint is worse than what its cell is held to. */
function worseMetrics(
  matches: readonly EndpointMatch[],
  contrasts: readonly CellContrast[],
  { tolerances, floors }: JudgeOptions,
): ReadonlyMap<EndpointMatch, MetricName[]> {
  // Two families at alpha, as of cells.
  const slower = holmAdjust(contrasts.map(({ p95 }) => pAbove(p95.slowdown)));
  const failing = holmAdjust(
    contrasts.map(({ errors: { unchanged } }) => pShareAbove(unchanged.base, unchanged.head, unchanged.df)),
  );
  return new Map(
    matches.map((match, index) => {
      const contrast = contrasts[index];
      if (contrast === undefined) return [match, []];
      const { p95, errors } = contrast;
      const size = { cells: matches.length, blocks: match.head.blocks.length };
      const limits = { tolerance: tolerances.p95, floorMs: floors.p95Ms, baseMs: p95.base };
      const judged = [
        judgeTime(p95, limits, { worse: slower[index] ?? 1, better: 1 }, size),
        judgeErrors(errors, tolerances.errorRate, { worse: failing[index] ?? 1, better: 1 }, size),
      ];
      return [match, judged.filter(({ outcome }) => outcome === 'regression').map(({ metric }) => metric)];
    }),
  );
}

/**
 * The cells, those that do not regress with the endpoints marked that do so by themselves. An endpoint of one request
 * in twenty may become five times as slow without its cell noticing: p95 is that of the others, and so is the mean.
 */
export function markWorseEndpoints(
  cells: readonly CellVerdict[],
  matchOf: (cell: CellVerdict) => Match | undefined,
  measured: Measured,
  options: JudgeOptions,
): CellVerdict[] {
  const matches = cells.flatMap((cell) => {
    const match = cell.outcome === 'pass' || cell.outcome === 'inconclusive' ? matchOf(cell) : undefined;
    return match === undefined ? [] : endpointMatches(cell, match);
  });
  const worse = [...worseMetrics(matches, contrastCells(matches, measured), options)];
  return cells.map((cell) => ({
    ...cell,
    endpoints: cell.endpoints.map((endpoint) => ({
      ...endpoint,
      worse:
        worse.find(([match]) => match.cell === cellName(cell) && match.endpoint === endpoint.name)?.[1] ?? [],
    })),
  }));
}
