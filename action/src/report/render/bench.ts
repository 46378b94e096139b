import { type Block, cellName, type Run } from '../../model/run.ts';
import type { CellVerdict, Verdict } from '../../model/verdict.ts';
import {
  formatBytes,
  formatCount,
  formatMs,
  formatSeconds,
  formatShare,
  formatTps,
} from '../format/number.ts';
import type { Paint } from '../format/paint.ts';
import { renderTable, type TableRow } from '../format/text-layout.ts';

export interface EngineFigures {
  readonly requests: number;
  /** Resident memory of the process after it read them, in bytes. */
  readonly rssBytes: number;
  /** CPU time to parse and count one request, in microseconds. */
  readonly microsPerRequest: number;
}

export interface BenchFigures {
  /** Seconds per step of a start with an empty cache. */
  readonly cold: Readonly<Record<string, number>>;
  readonly run: Run;
  readonly verdict: Verdict;
  readonly engine: readonly EngineFigures[];
  readonly resultDirectory: string;
}

/** The cost of measuring and the speed of the machine, as a table. */
export function benchReport(figures: BenchFigures, paint: Paint): string {
  const rows: TableRow[] = [
    ...Object.entries(figures.cold).map(([step, seconds]) => row(`cold ${step}`, formatSeconds(seconds))),
    ...figures.run.phases.map(({ phase, seconds }) => row(phase, formatSeconds(seconds))),
    row('whole check', formatSeconds(figures.verdict.seconds)),
    ...figures.verdict.cells.flatMap((cell) => [
      row(
        cellName(cell),
        `${formatTps(cell.head.tps)} TPS`,
        `mean ${formatMs(cell.head.meanMs)}, p95 ${formatMs(cell.head.p95Ms)}, p99 ${formatMs(cell.head.p99Ms)}, errors ${formatShare(cell.head.errorRate)}${objectivesText(cell)}${usageText(figures.run, cell)}`,
      ),
    ]),
    ...figures.engine.map(({ requests, rssBytes, microsPerRequest }) =>
      row(
        `engine, ${formatCount(requests)} requests`,
        formatBytes(rssBytes),
        `${microsPerRequest.toFixed(1)} us of CPU per request`,
      ),
    ),
  ];
  return tableOf(rows, paint);
}

/** What the page and the points of a check cost. */
export interface PageCost {
  readonly requests: number;
  readonly blocks: number;
  /** Milliseconds to read the files of the check. */
  readonly readMs: number;
  /** Milliseconds to make the page. */
  readonly pageMs: number;
  /** The most memory of the process until the page was made, in bytes. */
  readonly peakBytes: number;
  readonly pageBytes: number;
  readonly points: number;
  /** Milliseconds to make the points. */
  readonly pointsMs: number;
}

/** The cost of a page, as a table. */
export function pageCostReport(cost: PageCost, paint: Paint): string {
  const { requests, blocks, readMs, pageMs, peakBytes, pageBytes, points, pointsMs } = cost;
  return tableOf(
    [
      row('the check', `${formatCount(requests)} requests`, `in ${formatCount(blocks)} blocks`),
      row('read its files', formatMs(readMs)),
      row(
        'make its page',
        formatMs(pageMs),
        `${formatBytes(pageBytes)}, ${formatBytes(peakBytes)} of memory at most`,
      ),
      row('make its points', formatMs(pointsMs), `${formatCount(points)} points`),
    ],
    paint,
  );
}

function tableOf(rows: readonly TableRow[], paint: Paint): string {
  const table = {
    columns: [
      { title: 'what', align: 'left' },
      { title: 'measured', align: 'right' },
      { title: 'with', align: 'left' },
    ],
    rows,
  } as const;
  return `${renderTable(table, Number.POSITIVE_INFINITY, paint).join('\n')}\n`;
}

function row(what: string, measured: string, made = ''): TableRow {
  return [{ text: what }, { text: measured }, { text: made }];
}

function objectivesText({ objectives }: CellVerdict): string {
  const texts = objectives.map(({ objective, met }) => `${objective} ${met ? 'met' : 'missed'}`);
  return texts.length === 0 ? '' : `, objectives ${texts.join(', ')}`;
}

/** Each program's share of all cores, as the mean over the cell's blocks. */
function usageText(run: Run, cell: { readonly scenario: string; readonly load: string }): string {
  const blocks = run.cells.find((one) => cellName(one) === cellName(cell))?.blocks ?? [];
  const roles = [...new Set(blocks.flatMap(({ usage }) => Object.keys(usage)))];
  const meanOf = (share: (block: Block) => number) =>
    formatShare(blocks.reduce((sum, block) => sum + share(block), 0) / blocks.length);
  const shares = roles.map((role) => `${role} ${meanOf(({ usage }) => usage[role]?.cpuShare ?? 0)}`);
  const others = `other programs ${meanOf(({ othersCpuShare }) => othersCpuShare)}`;
  return shares.length === 0 ? '' : `, CPU ${[...shares, others].join(', ')}`;
}
