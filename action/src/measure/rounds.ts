import type { Block } from '../model/run.ts';
import { mayPass } from './block-validity.ts';
import { type Plan, type PlannedCell, roundOrder, turnOrder } from './plan.ts';

/** Blocks that a disturbed machine may cost before the run is given up. */
const retakesAllowed = 4;

/** One block of a plan. */
export interface Turn<Side> {
  readonly side: Side;
  readonly cell: PlannedCell;
  /** Counted from 0. */
  readonly round: number;
}

/** What the rounds need to know of a block. */
type Taken = Pick<Block, 'round' | 'invalid'>;

export interface RoundsWork<Side, One extends Taken> {
  take(turn: Turn<Side>): Promise<One>;
  /** Told when a disturbed block is to be taken again at the end of its round. */
  postponed(turn: Turn<Side>, block: One): void;
  /** Resolves once the machine is likely to be left alone; a block is taken again right after it. */
  untilQuiet(turn: Turn<Side>): Promise<void>;
}

/**
 * Takes every block of the plan, the sides of a cell right after one another. A block that a disturbed machine spoiled
 * is taken again at the end of its round: what disturbed it most likely lasts for longer than the block. Ends early
 * where the verdict can only be "invalid" any more, or what is proved already; more load would only take time.
 */
export async function takeRounds<Side, One extends Taken>(
  plan: Plan,
  sides: readonly Side[],
  work: RoundsWork<Side, One>,
): Promise<ReadonlyMap<Side, ReadonlyMap<PlannedCell, readonly One[]>>> {
  const taken = new Map(sides.map((side) => [side, new Map<PlannedCell, readonly One[]>()]));
  const keep = ({ side, cell, round }: Turn<Side>, block: One) => {
    const ofSide = taken.get(side);
    const others = (ofSide?.get(cell) ?? []).filter((one) => one.round !== round);
    ofSide?.set(cell, [...others, block]);
  };
  let retakes = 0;
  for (let round = 0; round < plan.rounds; round += 1) {
    const disturbed: Turn<Side>[] = [];
    /** False if nothing can mend the block any more. */
    const take = async (turn: Turn<Side>): Promise<boolean> => {
      const block = await work.take(turn);
      keep(turn, block);
      if (block.invalid.length === 0) return true;
      if (!mayPass(block.invalid) || retakes + disturbed.length >= retakesAllowed) return false;
      disturbed.push(turn);
      work.postponed(turn, block);
      return true;
    };
    for (const turn of turnsOf(plan, sides, round)) if (!(await take(turn))) return taken;
    for (let turn = disturbed.shift(); turn !== undefined; turn = disturbed.shift()) {
      retakes += 1;
      await work.untilQuiet(turn);
      if (!(await take(turn))) return taken;
    }
  }
  return taken;
}

function turnsOf<Side>(plan: Plan, sides: readonly Side[], round: number): readonly Turn<Side>[] {
  return roundOrder(plan, round).flatMap((cell) =>
    turnOrder(sides, round, plan.cells.indexOf(cell)).map((side) => ({ side, cell, round })),
  );
}
