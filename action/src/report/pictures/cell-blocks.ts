import type { StackProfile } from '../../model/profile.ts';
import type { CheckRecord, MeasuredSide } from '../../model/record.ts';
import { type Block, type Cell, cellName } from '../../model/run.ts';
import type { LoadSeconds } from '../../model/series.ts';

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

/** The newest profiles of a cell; undefined unless both sides have one. Those of both may be kept with head. */
export function profilesOf(
  record: CheckRecord,
  name: string,
): Readonly<Record<SideName, StackProfile>> | undefined {
  const own = sidesOf(record)
    .flatMap(({ profiles }) => profiles)
    .filter((profile) => cellName(profile) === name);
  const [base, head] = (['base', 'head'] as const).map((side) => own.findLast((one) => one.side === side));
  return base === undefined || head === undefined ? undefined : { base, head };
}

/** A load on the time axis. */
export interface AxisPart extends LoadSeconds {
  readonly side: SideName;
  /** Such as `head, round 2`. */
  readonly name: string;
  /** The same where room is short. */
  readonly label: string;
  readonly guardSeconds: number;
  readonly countedSeconds: number;
}

/**
 * The blocks of a cell in the order in which they were taken. Which side they are of is up to the record: a run that was
 * measured as head may be the base of another comparison.
 */
export function axisOfCell(record: CheckRecord, name: string): readonly AxisPart[] {
  return sidesOf(record)
    .flatMap(({ series, side, measurement }) =>
      series
        .filter((one) => one.phase === 'block')
        .filter((one) => cellName(one) === name)
        .map((one) => ({
          ...one,
          side,
          name: takenText({ side, measurement, round: one.round }),
          label: `${side} ${one.round + 1}`,
        })),
    )
    .toSorted(byStart);
}

/** The windows of all warm-ups, in which nothing is left out. */
export function axisOfWarmUp(record: CheckRecord): readonly AxisPart[] {
  return sidesOf(record)
    .flatMap(({ series, side }) =>
      series
        .filter((one) => one.phase === 'warm-up')
        .map((one, index) => ({
          ...one,
          side,
          name: `${side}, window ${index + 1}`,
          label: `${side} ${index + 1}`,
          guardSeconds: 0,
          countedSeconds: one.all.requests.length,
        })),
    )
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
