import type { CheckRecord } from '../../model/record.ts';
import type { Block } from '../../model/run.ts';
import { formatMs, formatTps } from '../format/number.ts';
import { blocksOf, type SideName, takenText } from './cell-blocks.ts';
import { fixedChart } from './fixed-chart.ts';

interface Figure {
  readonly title: string;
  readonly read: (block: Block) => number;
  readonly say: (value: number) => string;
}

const figures: readonly Figure[] = [
  { title: 'p95 by block', read: ({ latency }) => latency.p95Ms, say: formatMs },
  { title: 'Requests per second by block', read: ({ tps }) => tps, say: formatTps },
];

/** p95 and TPS of every block of a cell, both sides, in the order in which they were taken. */
export function blockCharts(record: CheckRecord, name: string): string {
  const blocks = blocksOf(record, name);
  const second = blocks.findIndex(({ measurement }) => measurement === 2);
  return figures
    .map(({ title, read, say }) => {
      const line = (side: SideName) => ({
        name: side,
        className: side,
        joined: true,
        marked: true,
        points: blocks.flatMap((taken, index) =>
          taken.side !== side
            ? []
            : [
                {
                  x: index,
                  y: read(taken.block),
                  text: `${takenText({ ...taken, round: taken.block.round })}: ${say(read(taken.block))}`,
                  hollow: taken.block.invalid.length > 0,
                },
              ],
        ),
      });
      return fixedChart({
        title,
        ...(blocks.some(({ block }) => block.invalid.length > 0) ? { note: 'hollow: left out' } : {}),
        xTicks: blocks.length <= 24 ? blocks.map((_, index) => ({ x: index, text: String(index + 1) })) : [],
        xRange: [-0.5, Math.max(0.5, blocks.length - 0.5)],
        dividers: second > 0 ? [second - 0.5] : [],
        y: say,
        yScale: 'linear',
        lines: [line('base'), line('head')],
      });
    })
    .join('');
}
