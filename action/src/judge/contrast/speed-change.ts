import { median } from 'simple-statistics';
import type { Cell } from '../../model/run.ts';
import type { Match, Setup } from './contrast.ts';
import { meanSlowness, waitsMore } from './yardstick.ts';

/** Changes of the machine's speed since the stored runs, as logs of 0 or more. */
export interface SpeedChange {
  /** Also of a head that waits more, whose users get less far in a block as well. */
  readonly forCounts: number;
  /** Of times and CPU. */
  readonly forFigures: number;
}

const none: SpeedChange = { forCounts: 0, forFigures: 0 };

/**
 * How much faster or slower the machine was than in the stored runs together, or than in the newest one, whichever is more. The
 * generator's CPU time per request shows it, also if head gave it other work: then a second measurement decides what could have
 * been decided at once. A slower machine is never idler, so figures take no head that waits more for one. None where both sides
 * were measured next to each other.
 */
export function speedChange(
  { head, base }: Pick<Match, 'head' | 'base'>,
  { interleaved, machine }: Pick<Setup, 'interleaved' | 'machine'>,
): SpeedChange {
  if (interleaved) return none;
  // NaN if it was not measured, or in too few blocks.
  const slownessOf = (cell: Cell) => meanSlowness(cell, machine, 'generator', 'cpu');
  const own = slownessOf(head);
  const stored = base.map(slownessOf).filter(Number.isFinite);
  const newest = stored.at(-1);
  if (newest === undefined || !Number.isFinite(own)) return none;
  const slower = [own - median(stored), own - newest];
  const ofMachine = waitsMore(head, base) ? slower.filter((change) => change < 0) : slower;
  const most = (changes: readonly number[]) => Math.max(0, ...changes.map(Math.abs));
  return { forCounts: most(slower), forFigures: most(ofMachine) };
}

/**
 * The share by which a count per request may change while the machine becomes faster or slower by a factor of e. Users then get
 * further or less far in a block, to other requests, and what is done once per second is shared by more or fewer of them. In
 * the reference service it was up to 0.08, over machines whose speeds differed by a factor of seven.
 */
const perLog = 0.1;

/** The share of base by which counts may differ after a change of the machine's speed. */
export function countDrift(change: number): number {
  return perLog * change;
}

/** The share of a machine's slowness, as a log, that may be left in figures after dividing it out. */
export const mostLeft = 0.5;

/** By how much, as a log, a figure may look worse after a change of the machine's speed. */
export function figureDrift(change: number, isDividedOut: boolean): number {
  return isDividedOut ? mostLeft * change : change;
}
