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
  /** Requests that were read. */
  readonly requests: number;
  /** Resident memory of the process once it had read them, bytes. */
  readonly rssBytes: number;
  /** CPU time to parse and count one request, microseconds. */
  readonly microsPerRequest: number;
}

export interface BenchFigures {
  /** Seconds by step of a start with an empty cache. */
  readonly cold: Readonly<Record<string, number>>;
  readonly run: Run;
  readonly verdict: Verdict;
  readonly engine: readonly EngineFigures[];
  readonly resultDirectory: string;
}

/** What measuring costs and what the machine gives, as a table: what, figure, and what it is made of. */
export function benchReport(figures: BenchFigures, paint: Paint): string {
  const rows: TableRow[] = [
    ...Object.entries(figures.cold).map(([step, seconds]) => row(`cold ${step}`, formatSeconds(seconds))),
    ...figures.run.phases.map(({ phase, seconds }) => row(phase, formatSeconds(seconds))),
    row('check in all', formatSeconds(figures.verdict.seconds)),
    ...figures.verdict.cells.flatMap((cell) => [
      row(
        cellName(cell),
        `${formatTps(cell.head.tps)} TPS`,
        `mean ${formatMs(cell.head.meanMs)}, p95 ${formatMs(cell.head.p95Ms)}, p99 ${formatMs(cell.head.p99Ms)}, errors ${formatShare(cell.head.errorRate)}${goalsText(cell)}${usageText(figures.run, cell)}`,
      ),
    ]),
    ...figures.engine.map(({ requests, rssBytes, microsPerRequest }) =>
      row(
        `engine, ${formatCount(requests)} requests`,
        formatBytes(rssBytes),
        `${microsPerRequest.toFixed(1)} us of CPU a request`,
      ),
    ),
  ];
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

/** The cell's objectives, whether it met them or not. */
function goalsText({ objectives }: CellVerdict): string {
  const goals = objectives.map(({ objective, met }) => `${objective} ${met ? 'met' : 'missed'}`);
  return goals.length === 0 ? '' : `, goals ${goals.join(', ')}`;
}

/** Who used the CPU: the mean over the cell's blocks, of all cores. */
function usageText(run: Run, cell: { readonly scenario: string; readonly load: string }): string {
  const blocks = run.cells.find((one) => cellName(one) === cellName(cell))?.blocks ?? [];
  const roles = [...new Set(blocks.flatMap(({ usage }) => Object.keys(usage)))];
  const meanOf = (share: (block: Block) => number) =>
    formatShare(blocks.reduce((sum, block) => sum + share(block), 0) / blocks.length);
  const shares = roles.map((role) => `${role} ${meanOf(({ usage }) => usage[role]?.cpuShare ?? 0)}`);
  const others = `other programs ${meanOf(({ othersCpuShare }) => othersCpuShare)}`;
  return shares.length === 0 ? '' : `, CPU ${[...shares, others].join(', ')}`;
}
