import { type EndpointMetricName, endpointMetricNames } from '../model/metric.ts';
import { type Block, type Cell, cellName } from '../model/run.ts';
import { type CellVerdict, isTimed, type Outcome } from '../model/verdict.ts';
import type { Match, Setup } from './contrast/contrast.ts';
import { contrastMatches } from './contrast/machine-speed.ts';
import { judgeContrasts } from './metric-verdict.ts';
import type { JudgeOptions } from './options.ts';

/** With fewer requests than this, a block's p95 is close to its slowest request. */
const fewestRequests = 40;

/** Fewer blocks than this do not show how much blocks differ. */
const fewestBlocks = 2;

/** Outcomes of cells that do not regress. */
const quiet: readonly Outcome[] = ['pass', 'coarse', 'undecided'];

/** One endpoint of a cell, treated as a cell. */
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
      })),
  );
}

function only(cell: Cell, name: string): Cell {
  return { ...cell, blocks: blocksOf(cell, name) };
}

function endpointMatches(
  { endpoints, ...cell }: CellVerdict,
  { base, head, history }: Match,
): EndpointMatch[] {
  return endpoints.flatMap(({ name }) => {
    const enough = (cells: readonly Cell[]) =>
      cells.map((one) => only(one, name)).filter(({ blocks }) => blocks.length >= fewestBlocks);
    const match = {
      cell: cellName(cell),
      endpoint: name,
      head: only(head, name),
      base: enough(base),
      history: enough(history),
    };
    return match.base.length === 0 || match.head.blocks.length < fewestBlocks ? [] : [match];
  });
}

/** In which metrics an endpoint of a cell regressed. */
export type WorseEndpoints = (cell: string, endpoint: string) => readonly EndpointMetricName[];

/**
 * The regressed endpoints of all cells, by the first measurement alone. Those of regressed cells tell the machine's speed as well
 * as others, and are left out when they are marked. If one request in twenty goes to an endpoint, it can become five times as slow without
 * changing the p95 or the mean of its cell.
 */
export function findWorseEndpoints(
  cells: readonly CellVerdict[],
  matchOf: (cell: CellVerdict) => Match | undefined,
  setup: Setup,
  options: JudgeOptions,
): WorseEndpoints {
  const matches = cells.flatMap((cell) => {
    const match = isTimed(cell) ? matchOf(cell) : undefined;
    return match === undefined ? [] : endpointMatches(cell, match);
  });
  const verdicts = [...contrastMatches(matches, setup, endpointMetricNames, options.signals)].map(
    ([match, first]) =>
      [
        match,
        judgeContrasts(
          { first, spoiled: false },
          { vus: match.head.vus, blocks: 0, ofGroup: false, speedChange: 0 },
          options,
        ),
      ] as const,
  );
  return (cell, endpoint) =>
    endpointMetricNames.filter((name) =>
      verdicts.some(
        ([match, judged]) =>
          match.cell === cell &&
          match.endpoint === endpoint &&
          judged.some(({ metric, outcome }) => metric === name && outcome === 'regression'),
      ),
    );
}

/** The cells, with the regressed endpoints marked in cells that do not regress. */
export function markWorseEndpoints(cells: readonly CellVerdict[], worse: WorseEndpoints): CellVerdict[] {
  return cells.map((cell) => ({
    ...cell,
    endpoints: cell.endpoints.map((endpoint) => ({
      ...endpoint,
      worse: quiet.includes(cell.outcome) ? [...worse(cellName(cell), endpoint.name)] : [],
    })),
  }));
}
