import type { Block } from '../model/run.ts';
import { mayPass } from './block-validity.ts';
import {
  blockSeconds,
  type Plan,
  type PlannedCell,
  partsOf,
  repeatSeconds,
  roundOrder,
  sideOrder,
} from './plan.ts';

/** One block of a plan. */
export interface Turn<Side> {
  readonly side: Side;
  readonly cell: PlannedCell;
  /** Counted from 0. */
  readonly round: number;
}

/** The part of a block that decides about repeating it. */
type Taken = Pick<Block, 'round' | 'invalid'>;

/** A block that cannot be used as it is. */
export interface Spoiled<Side, One> {
  readonly turn: Turn<Side>;
  readonly block: One;
}

export interface RoundsWork<Side, One extends Taken> {
  take(turn: Turn<Side>): Promise<One>;
  /** True if the rounds go on with a block that cannot be trusted, which is neither repeated nor left out. */
  isKept(turn: Turn<Side>, block: One): boolean;
  /** Called when all sides' blocks of a cell will be repeated at the end of the round, because this one was disturbed. */
  postponed(disturbed: Spoiled<Side, One>): void;
  /** Called when a disturbed block stays, because the time for repeats does not suffice for it. */
  givenUp(disturbed: Spoiled<Side, One>): void;
  /** Asked after every second round, when each side went first as often as the other: whether these cells need no more. */
  isEnough(blocks: TakenRounds<Side, One>['blocks'], cells: readonly PlannedCell[]): Promise<boolean>;
  /** Asked after the rounds of the cell that comes first: whether the others are not needed. */
  sparesOthers(blocks: TakenRounds<Side, One>['blocks']): boolean;
  /** Waits until the machine is probably quiet, right before a cell is repeated. Returns the seconds that it took. */
  untilQuiet(cell: PlannedCell, secondsAtMost: number): Promise<number>;
}

export interface TakenRounds<Side, One> {
  readonly blocks: ReadonlyMap<Side, ReadonlyMap<PlannedCell, readonly One[]>>;
  /** The first block without which others are missing that were planned; absent if there is none. */
  readonly broken?: Spoiled<Side, One>;
}

/** Sums of seconds are off by less than this. */
const roundingSeconds = 0.001;

/**
 * Takes every block of the plan, with the sides of a cell right after each other. If a disturbed machine spoiled a
 * block, it is repeated at the end of its round, because the disturbance probably lasts longer than the block. All
 * sides are repeated together, because the blocks of a pair share the state of the machine. Once the time for repeats is
 * spent, disturbed blocks stay and the rounds go on. Only a broken block ends those of its part, once all sides of its cell
 * are measured, because the cells of the part can no longer pass.
 */
export async function takeRounds<Side, One extends Taken>(
  plan: Plan,
  sides: readonly Side[],
  work: RoundsWork<Side, One>,
): Promise<TakenRounds<Side, One>> {
  const blocks = new Map(sides.map((side) => [side, new Map<PlannedCell, readonly One[]>()]));
  const keep = ({ side, cell, round }: Turn<Side>, block: One) => {
    const cells = blocks.get(side);
    const others = (cells?.get(cell) ?? []).filter((one) => one.round !== round);
    cells?.set(cell, [...others, block]);
  };
  let secondsLeft = repeatSeconds(plan) * sides.length;
  /** Returns whether the cell will be repeated. The time for it is then reserved. */
  const postpone = (disturbed: readonly Spoiled<Side, One>[]): boolean => {
    const [first] = disturbed;
    if (first === undefined) return false;
    const seconds = blockSeconds(first.turn.cell) * sides.length;
    if (seconds > secondsLeft + roundingSeconds) {
      for (const one of disturbed) work.givenUp(one);
      return false;
    }
    secondsLeft -= seconds;
    work.postponed(first);
    return true;
  };
  /** Takes the rounds of these cells, and returns the block that ended them before their last one, if one did. */
  const takePart = async (part: readonly PlannedCell[]): Promise<Spoiled<Side, One> | undefined> => {
    for (let round = 0; round < plan.rounds; round += 1) {
      const broken = await takeRound(part, round);
      if (broken !== undefined) return broken;
      const isLast = round === plan.rounds - 1;
      if (!isLast && round % 2 === 1 && (await work.isEnough(blocks, part))) return undefined;
    }
    return undefined;
  };
  const takeRound = async (
    part: readonly PlannedCell[],
    round: number,
  ): Promise<Spoiled<Side, One> | undefined> => {
    const planned = roundOrder({ cells: part }, round);
    const cells = [...planned];
    // Repeated cells are appended while the loop runs.
    for (const [index, cell] of cells.entries()) {
      if (index >= planned.length) secondsLeft -= await work.untilQuiet(cell, Math.max(0, secondsLeft));
      const disturbed: Spoiled<Side, One>[] = [];
      let broken: Spoiled<Side, One> | undefined;
      for (const side of sideOrder(sides, round, plan.cells.indexOf(cell))) {
        const turn = { side, cell, round };
        const block = await work.take(turn);
        keep(turn, block);
        if (block.invalid.length === 0) continue;
        if (work.isKept(turn, block)) continue;
        if (mayPass(block.invalid)) disturbed.push({ turn, block });
        else broken ??= { turn, block };
      }
      // The other side of the cell shows whether the machine or the code is at fault.
      if (broken !== undefined) {
        const isLast = round === plan.rounds - 1 && index === cells.length - 1;
        return isLast ? undefined : broken;
      }
      if (postpone(disturbed)) cells.push(cell);
    }
    return undefined;
  };
  const parts = partsOf(plan);
  let broken: Spoiled<Side, One> | undefined;
  for (const [index, part] of parts.entries()) {
    const endedBy = await takePart(part);
    broken ??= endedBy;
    if (index < parts.length - 1 && work.sparesOthers(blocks)) break;
  }
  return { blocks, ...(broken !== undefined && { broken }) };
}
