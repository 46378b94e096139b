import { metrics } from '../../model/metric.ts';
import type { CheckRecord } from '../../model/record.ts';
import { type Block, cellName, cleanBlocks, type Run } from '../../model/run.ts';
import type { CellVerdict, MetricVerdict } from '../../model/verdict.ts';
import { formatMs, formatTps } from '../format/number.ts';
import { fixedChart, type Line, type Point } from './fixed-chart.ts';
import { median } from './percentile-chart.ts';

const drawn = [
  {
    metric: 'p95',
    title: 'p95 on the main branch',
    read: ({ latency }: Block) => latency.p95Ms,
    say: formatMs,
  },
  {
    metric: 'tps',
    title: 'Requests per second on the main branch',
    read: ({ tps }: Block) => tps,
    say: formatTps,
  },
] as const;

/** A cell in every stored run, with this one as the last point, and the limit that it is held to. */
export function historyCharts({ stored, head, verdict }: CheckRecord, cell: CellVerdict): string {
  const name = cellName(cell);
  const used = new Set(
    verdict.comparison.kind === 'stored' ? verdict.comparison.base.map(({ runId }) => runId) : [],
  );
  const earlier = stored.filter(
    ({ id, cells }) => id !== head.run.id && cells.some((one) => cellName(one) === name),
  );
  if (earlier.length === 0) return '';
  return drawn
    .map(({ metric, title, read, say }) => {
      const value = (run: Run): number | undefined => {
        const blocks = run.cells.filter((one) => cellName(one) === name).flatMap(cleanBlocks);
        return blocks.length === 0 ? undefined : median(blocks.map(read));
      };
      const point = (run: Run, x: number, what: string): Point[] => {
        const y = value(run);
        const text = `${run.startedAt.slice(0, 10)} ${run.code.commit.slice(0, 8)}`;
        return y === undefined
          ? []
          : [
              {
                x,
                y,
                text: `${text}: ${say(y)}${what}`,
                hollow: run.id !== head.run.id && !used.has(run.id),
              },
            ];
      };
      const past: Line = {
        name: 'stored runs',
        className: 'base',
        points: earlier.flatMap((run, index) =>
          point(run, index, used.has(run.id) ? '' : ', not compared with'),
        ),
        joined: true,
        marked: true,
      };
      const now: Line = {
        name: 'this run',
        className: 'head',
        points: point(head.run, earlier.length, ''),
        joined: false,
        marked: true,
      };
      const limit = limitOf(cell, metric);
      return fixedChart({
        title,
        note: 'medians of blocks, as measured',
        xTicks: [],
        xRange: [-0.5, earlier.length + 0.5],
        y: say,
        yScale: 'linear',
        lines: [past, now, ...(limit === undefined ? [] : [limitLine(limit, earlier.length, say)])],
      });
    })
    .join('');
}

function limitOf({ metrics: judged }: CellVerdict, name: MetricVerdict['metric']): number | undefined {
  const found = judged.find(({ metric }) => metric === name);
  if (found === undefined || metrics[name].scale !== 'ratio') return undefined;
  return found.base * (1 + found.limit);
}

function limitLine(limit: number, last: number, say: (value: number) => string): Line {
  const text = `limit: ${say(limit)}`;
  return {
    name: `limit, ${say(limit)}`,
    className: 'limit',
    points: [
      { x: -0.5, y: limit, text },
      { x: last + 0.5, y: limit, text },
    ],
    joined: true,
    marked: false,
  };
}
