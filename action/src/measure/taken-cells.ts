import type { Block, Cell } from '../model/run.ts';
import type { LoadSeconds } from '../model/series.ts';
import { type CountedLoad, courseOf } from '../stats/index.ts';
import type { Plan, PlannedCell } from './plan.ts';

/** The seconds of the loads that count, by cell, from which follows what happened over the time of each. */
export class TakenLoads {
  readonly #loads = new Map<PlannedCell, Map<number, CountedLoad>>();

  /** A load replaces the one of the same round that it repeats. `cell` has the times of the load. */
  keep(of: PlannedCell, round: number, cell: PlannedCell, seconds: LoadSeconds): void {
    const { guardSeconds, countedSeconds } = cell;
    const loads = this.#loads.get(of) ?? new Map<number, CountedLoad>();
    // In the order in which they were taken.
    loads.delete(round);
    loads.set(round, { seconds, guardSeconds, countedSeconds });
    this.#loads.set(of, loads);
  }

  /** The cells of one side, in the plan's order. */
  cells(plan: Plan, blocks: ReadonlyMap<PlannedCell, readonly Block[]> | undefined): Cell[] {
    return plan.cells.map((cell) => {
      const course = courseOf([...(this.#loads.get(cell)?.values() ?? [])]);
      return {
        scenario: cell.scenario,
        load: cell.load,
        vus: cell.vus,
        ...(cell.arrival === undefined ? {} : { arrival: cell.arrival.perSecond }),
        blocks: [...(blocks?.get(cell) ?? [])],
        ...(course && { course }),
      };
    });
  }
}
