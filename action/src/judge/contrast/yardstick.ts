import { mean } from 'simple-statistics';
import type { SignalConfig } from '../../model/config.ts';
import {
  cpuPerRequest,
  type MachinePart,
  machineParts,
  type RatioMetric,
  type ReadingMachine,
} from '../../model/metric.ts';
import type { Block, Cell } from '../../model/run.ts';
import { isReceivedBytes } from '../../model/signal-config.ts';
import { isUnmoved } from '../figures/signals.ts';

/** Parts whose CPU time per request shows how slow the machine is. Without any, figures stay as measured. */
export type Yardstick = readonly MachinePart[];

/** From the best to the last resort: the CPU time of all parts, of one of them, and the raw figures. */
const yardsticks: readonly Yardstick[] = [machineParts, ['backing'], ['generator'], []];

/** The yardsticks that a metric may use where only `parts` serve. */
export function candidates(
  { yardstick }: Pick<RatioMetric, 'yardstick'>,
  parts: readonly MachinePart[],
): readonly Yardstick[] {
  return yardsticks.filter((one) => one.every((part) => yardstick.includes(part) && parts.includes(part)));
}

/** What other guests and programs may take at most, so that the log of the rest stays finite. */
const mostTaken = 0.95;

/**
 * How slow the machine was during the block, as a log: the geometric mean of the parts' CPU times per request. A machine
 * that its neighbours slow down needs more CPU time for the same work. What they took of the CPU time slows requests
 * down as well, but costs no more CPU time. Undefined where a part was not measured.
 */
export function slowness(
  { family }: Pick<RatioMetric, 'family'>,
  block: Block,
  yardstick: Yardstick,
  machine: ReadingMachine,
): number | undefined {
  if (yardstick.length === 0) return 0;
  let sum = 0;
  for (const part of yardstick) {
    const cpu = cpuPerRequest(part, block, machine);
    if (cpu === undefined) return undefined;
    sum += Math.log(cpu);
  }
  const taken = family === 'time' ? Math.min(mostTaken, block.stealShare + block.othersCpuShare) : 0;
  return sum / yardstick.length - Math.log1p(-taken);
}

/**
 * The mean over the blocks of a cell, by one part; NaN if fewer than half of them show it, because the part used the most CPU
 * time in those.
 */
export function meanSlowness(
  { blocks }: Pick<Cell, 'blocks'>,
  machine: ReadingMachine,
  part: MachinePart,
  family: RatioMetric['family'],
): number {
  const levels = blocks.flatMap((block) => slowness({ family }, block, [part], machine) ?? []);
  return levels.length === 0 || levels.length < blocks.length / 2 ? Number.NaN : mean(levels);
}

/** A cell's idle share may move by as much. Two unchanged runs differed by up to 6.7 points. */
const idleTolerance = 0.1;

/**
 * What other guests and programs leave to the stack at least, had it asked for more. What they take beyond that is what
 * a stack that mostly waits has no use for.
 */
const leastLeft = 0.5;

/**
 * Mean share that the stack left idle of the CPU time that other guests and programs left to it, 0 to 1. What they use
 * while the stack waits does not make it busy.
 */
function idleShare(cells: readonly Cell[]): number {
  const shares = cells.flatMap(({ blocks }) =>
    blocks.map(({ usage, stealShare, othersCpuShare }) => {
      const used = Object.values(usage).reduce((sum, { cpuShare }) => sum + cpuShare, 0);
      const left = Math.max(leastLeft, 1 - stealShare - othersCpuShare);
      return Math.max(0, 1 - used / left);
    }),
  );
  return shares.length === 0 ? 0 : mean(shares);
}

/** By how much the machine waits more than in base, as a share of its CPU time; negative if it waits less. */
function addedIdle(head: Cell, base: readonly Cell[]): number {
  return idleShare([head]) - idleShare(base);
}

/**
 * True if the machine waits more than in base, or less. A generator that waits needs more CPU time per request: behind
 * a lock it reports a slow machine, and hides the lock.
 */
export function waitsOtherwise(head: Cell, base: readonly Cell[]): boolean {
  return Math.abs(addedIdle(head, base)) > idleTolerance;
}

/** Where the stack uses little CPU, that use may change by up to this share of itself. */
const usedTolerance = 1 / 3;

/** True if the machine waits more than in base. */
export function waitsMore(head: Cell, base: readonly Cell[]): boolean {
  return addedIdle(head, base) > Math.min(idleTolerance, usedTolerance * (1 - idleShare(base)));
}

/** Above this idle share a machine is too idle to tell its speed. */
const mostIdle = 0.5;

/**
 * True if either side left the machine idle for most of the time. Requests then take as long as they wait, and what a part
 * does once per second outweighs what it does per request.
 */
function isMostlyIdle(head: Cell, base: readonly Cell[]): boolean {
  return idleShare([head]) > mostIdle || idleShare(base) > mostIdle;
}

/**
 * The parts to which head gives the same work as base. Exact counts show the work: the bytes that the generator receives, and
 * what of the backing services may fail a check. Backing services that nobody counts can only be held against the generator, so
 * they need that.
 */
function unmovedParts(
  head: Cell,
  base: readonly Cell[],
  signals: Readonly<Record<string, SignalConfig>>,
  { withGenerator }: { readonly withGenerator: boolean },
): readonly MachinePart[] {
  const countsOf = (part: MachinePart) =>
    Object.entries(signals).filter(([, signal]) =>
      part === 'generator' ? isReceivedBytes(signal) : signal.from === part && signal.gate === 'fail',
    );
  const isSame = (part: MachinePart) =>
    countsOf(part).every(([name, signal]) =>
      base.every((run) => isUnmoved(run.blocks, head.blocks, name, signal)),
    );
  const generator = withGenerator && countsOf('generator').length > 0 && isSame('generator');
  const backing = isSame('backing') && (generator || countsOf('backing').length > 0);
  const serves: Readonly<Record<MachinePart, boolean>> = { generator, backing };
  return machineParts.filter((part) => serves[part]);
}

/**
 * The parts that may show the machine's speed in a cell: those to which head gives the same work as base, while the machine
 * is busy.
 */
export function servingParts(
  head: Cell,
  base: readonly Cell[],
  signals: Readonly<Record<string, SignalConfig>>,
): readonly MachinePart[] {
  if (isMostlyIdle(head, base)) return [];
  return unmovedParts(head, base, signals, { withGenerator: !waitsOtherwise(head, base) });
}

/**
 * If base was idler than this, it may wait for something that takes as long on any machine. The cells of 53 unchanged runs were
 * idle for 18% at most.
 */
const mostIdleOfBusy = 0.3;

/**
 * Users who pause for more of their time than this leave a faster machine idle with the same code. Those of the recorded runs
 * ask for the next answer at once.
 */
const longestPause = 0.1;

/** Mean share of their time in which users do not wait for an answer. */
function pauseShare(cells: readonly Cell[]): number {
  const shares = cells.flatMap(({ vus, blocks }) =>
    blocks.map(({ tps, latency }) => 1 - (tps * latency.meanMs) / 1000 / vus),
  );
  return shares.length === 0 ? 0 : mean(shares);
}

/**
 * The parts whose work did not change, in a cell where head waits more and base was busy. Waiting makes requests dearer for them,
 * so dividing by them makes head look better than it is. None in other cells.
 */
export function partsOfWaiting(
  head: Cell,
  base: readonly Cell[],
  signals: Readonly<Record<string, SignalConfig>>,
): readonly MachinePart[] {
  const waits =
    head.arrival === undefined &&
    waitsMore(head, base) &&
    idleShare(base) <= mostIdleOfBusy &&
    pauseShare(base) <= longestPause;
  return waits ? unmovedParts(head, base, signals, { withGenerator: true }) : [];
}
