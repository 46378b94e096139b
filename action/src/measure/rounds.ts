import type { Block } from '../model/run.ts';
import { mayPass } from './block-validity.ts';
import { type Plan, type PlannedCell, roundOrder, sideOrder } from './plan.ts';

/** Blocks that may be repeated because the machine was disturbed, before the run becomes invalid. */
const repeatsAllowed = 4;

/** One block of a plan. */
export interface Turn<Side> {
  readonly side: Side;
  readonly cell: PlannedCell;
  /** Counted from 0. */
  readonly round: number;
}

/** The part of a block that decides about repeating it. */
type Taken = Pick<Block, 'round' | 'invalid'>;

export interface RoundsWork<Side, One extends Taken> {
  take(turn: Turn<Side>): Promise<One>;
  /** Called when a disturbed block will be repeated at the end of its round. */
  postponed(turn: Turn<Side>, block: One): void;
  /** Resolves once the machine is probably quiet, right before a block is repeated. */
  untilQuiet(turn: Turn<Side>): Promise<void>;
}

/**
 * Takes every block of the plan, with the sides of a cell right after each other. A block that a disturbed machine
 * spoiled is repeated at the end of its round, because the disturbance probably lasts longer than the block. Ends early
 * once more blocks cannot change the verdict: when the run can only be invalid.
 */
export async function takeRounds<Side, One extends Taken>(
  plan: Plan,
  sides: readonly Side[],
  work: RoundsWork<Side, One>,
): Promise<ReadonlyMap<Side, ReadonlyMap<PlannedCell, readonly One[]>>> {
  const taken = new Map(sides.map((side) => [side, new Map<PlannedCell, readonly One[]>()]));
  const keep = ({ side, cell, round }: Turn<Side>, block: One) => {
    const cells = taken.get(side);
    const others = (cells?.get(cell) ?? []).filter((one) => one.round !== round);
    cells?.set(cell, [...others, block]);
  };
  let repeats = 0;
  for (let round = 0; round < plan.rounds; round += 1) {
    const disturbed: Turn<Side>[] = [];
    /** False if repeating the block cannot fix it. */
    const take = async (turn: Turn<Side>): Promise<boolean> => {
      const block = await work.take(turn);
      keep(turn, block);
      if (block.invalid.length === 0) return true;
      if (!mayPass(block.invalid) || repeats + disturbed.length >= repeatsAllowed) return false;
      disturbed.push(turn);
      work.postponed(turn, block);
      return true;
    };
    for (const turn of turnsOf(plan, sides, round)) if (!(await take(turn))) return taken;
    for (let turn = disturbed.shift(); turn !== undefined; turn = disturbed.shift()) {
      repeats += 1;
      await work.untilQuiet(turn);
      if (!(await take(turn))) return taken;
    }
  }
  return taken;
}

function turnsOf<Side>(plan: Plan, sides: readonly Side[], round: number): readonly Turn<Side>[] {
  return roundOrder(plan, round).flatMap((cell) =>
    sideOrder(sides, round, plan.cells.indexOf(cell)).map((side) => ({ side, cell, round })),
  );
}
