import type { CheckRecord, MeasuredSide } from '../../model/record.ts';
import { type Block, type Cell, cellName } from '../../model/run.ts';
import type { BlockSeries } from '../../model/series.ts';

export type SideName = 'base' | 'head';

/** A block of a cell, whichever measurement it belongs to. */
export interface TakenBlock {
  readonly side: SideName;
  /** 1 for the first measurement, 2 for the second one. */
  readonly measurement: 1 | 2;
  readonly block: Block;
}

interface MeasuredSideOf extends MeasuredSide {
  readonly side: SideName;
  readonly measurement: 1 | 2;
}

function sidesOf({ head, base, again }: CheckRecord): readonly MeasuredSideOf[] {
  return [
    { side: 'head', measurement: 1, ...head },
    ...(base === undefined ? [] : [{ side: 'base', measurement: 1, ...base } as const]),
    ...(again === undefined
      ? []
      : [
          { side: 'base', measurement: 2, ...again.base } as const,
          { side: 'head', measurement: 2, ...again.head } as const,
        ]),
  ];
}

const byStart = (a: { readonly startedAt: string }, b: { readonly startedAt: string }) =>
  a.startedAt < b.startedAt ? -1 : 1;

/** The blocks of a cell in the order in which they were taken. */
export function blocksOf(record: CheckRecord, name: string): readonly TakenBlock[] {
  return sidesOf(record)
    .flatMap(({ run, side, measurement }) =>
      run.cells
        .filter((cell: Cell) => cellName(cell) === name)
        .flatMap(({ blocks }) => blocks.map((block) => ({ side, measurement, block }))),
    )
    .toSorted((a, b) => byStart(a.block, b.block));
}

export type TakenSeries = BlockSeries & Pick<TakenBlock, 'measurement'>;

/**
 * The series of a cell's blocks in the order in which they were taken. Which side they are of is up to the record: a
 * run that was measured as head may be the base of another comparison.
 */
export function seriesOf(record: CheckRecord, name: string): readonly TakenSeries[] {
  return sidesOf(record)
    .flatMap(({ series, side, measurement }) =>
      series.filter((one) => one.phase === 'block').map((one) => ({ ...one, side, measurement })),
    )
    .filter((one) => cellName(one) === name)
    .toSorted(byStart);
}

/** `head, round 2, second measurement`. */
export function takenText({
  side,
  round,
  measurement,
}: { readonly round: number } & Omit<TakenBlock, 'block'>): string {
  return `${side}, round ${round + 1}${measurement === 2 ? ', second measurement' : ''}`;
}
