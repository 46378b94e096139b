import { median } from 'simple-statistics';
import type { SignalConfig } from '../model/config.ts';
import type { Block } from '../model/run.ts';
import type { SignalChange } from '../model/verdict.ts';
import { bounded } from './figures.ts';

function typical(blocks: readonly Block[], name: string): number | undefined {
  const values = blocks.flatMap(({ signals }) => {
    const value = signals[name];
    return value === undefined ? [] : [bounded(value)];
  });
  return values.length === 0 ? undefined : median(values);
}

/** The configured signals that both sides have, by the median of their blocks; signals that moved come first. */
export function compareSignals(
  base: readonly Block[],
  head: readonly Block[],
  signals: Readonly<Record<string, SignalConfig>>,
): SignalChange[] {
  return Object.entries(signals)
    .flatMap(([name, { title, unit, tolerance, floor, hint }]) => {
      const [before, after] = [typical(base, name), typical(head, name)];
      if (before === undefined || after === undefined) {
        return [];
      }
      const growth = after - before;
      const moved = growth > 0 && growth > tolerance * Math.abs(before) && growth > floor;
      const change = before === 0 ? null : bounded(growth / Math.abs(before));
      return [{ name, title, unit, base: before, head: after, change, moved, hint }];
    })
    .sort((left, right) => Number(right.moved) - Number(left.moved));
}
