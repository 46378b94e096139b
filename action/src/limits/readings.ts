import { mean } from 'simple-statistics';
import type { MeasuredBlock } from '../measure/index.ts';
import type { ReadingName } from '../model/reading.ts';

/** What a reading showed in the blocks, from that second of each block on, in order of time. */
function valuesOf(
  blocks: readonly Pick<MeasuredBlock, 'seconds'>[],
  name: ReadingName,
  fromSecond: number,
): readonly number[] {
  return blocks.flatMap(({ seconds }) =>
    (seconds?.readings[name] ?? []).filter(
      (value, index): value is number => value !== null && (seconds?.readAtSeconds[index] ?? 0) >= fromSecond,
    ),
  );
}

/** Undefined if the blocks do not have the reading. */
export function meanReading(
  blocks: readonly Pick<MeasuredBlock, 'seconds'>[],
  name: ReadingName,
  fromSecond = 0,
): number | undefined {
  const values = valuesOf(blocks, name, fromSecond);
  return values.length === 0 ? undefined : mean([...values]);
}

/** Undefined if the block does not have the reading. */
export function lastReading(block: Pick<MeasuredBlock, 'seconds'>, name: ReadingName): number | undefined {
  return valuesOf([block], name, 0).at(-1);
}
