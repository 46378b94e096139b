import { mean } from 'simple-statistics';
import { type MachinePart, machineParts } from '../../model/metric.ts';
import { cellName } from '../../model/run.ts';
import type { CellVerdict, MetricVerdict, Verdict } from '../../model/verdict.ts';
import { formatChange } from '../format/number.ts';
import { namesText } from '../format/phrase.ts';

const partNames: Readonly<Record<MachinePart, string>> = {
  generator: 'the load generator',
  backing: 'the backing services',
};

function throughput({ metrics }: CellVerdict): MetricVerdict | undefined {
  return metrics.find(({ metric }) => metric === 'tps');
}

/** How much faster the machine was than for base, as a log: what the change of TPS leaves out. */
function speedup({ base, head, change }: MetricVerdict): number {
  return Math.log(head / base) - Math.log1p(change);
}

/** A smaller change of speed is not worth a figure. */
const smallestShown = 0.005;

function speedText(change: number): string {
  if (Math.abs(change) < smallestShown) return 'on average the machine was as fast as for base';
  const size = formatChange(change).replace(/^[+-]/, '');
  return `on average the machine was ${size} ${change > 0 ? 'faster' : 'slower'} than for base`;
}

/**
 * What the changes are free of, as a label and a text: the machine's speed, by whose CPU time per request, and the
 * cells in which nothing could tell it. Leaves out cells that were measured again, whose change is that of both measurements.
 * Empty if nothing is left.
 */
export function machineSpeed({ cells, comparison }: Verdict): readonly (readonly [string, string])[] {
  const again = comparison.kind === 'none' ? [] : (comparison.confirmed?.cells ?? []);
  const repeated = new Set(again.map(({ name }) => name));
  const rows = cells.flatMap((cell) => {
    const row = throughput(cell);
    const isLeftOut = row === undefined || row.base <= 0 || row.head <= 0 || repeated.has(cellName(cell));
    return isLeftOut ? [] : [{ cell, row }];
  });
  const divided = rows.filter(({ row }) => row.yardstick.length > 0);
  const raw = rows.filter(({ row }) => row.yardstick.length === 0);
  if (rows.length === 0) return [];
  const parts = machineParts.filter((part) => divided.some(({ row }) => row.yardstick.includes(part)));
  const change = divided.length === 0 ? 0 : Math.expm1(mean(divided.map(({ row }) => speedup(row))));
  const texts = [
    ...(divided.length === 0
      ? []
      : [
          `${speedText(change)}, by the CPU time per request of ${parts.map((part) => partNames[part]).join(' and ')}; the changes leave that out`,
        ]),
    ...(raw.length === 0 ? [] : [`not divided out in ${namesText(raw.map(({ cell }) => cellName(cell)))}`]),
  ];
  return [['speed', texts.join('; ')]];
}
