import { mean } from 'simple-statistics';
import { cellsToConfirm, judgeMeasurements } from '../../src/judge/measurements.ts';
import type { JudgeOptions } from '../../src/judge/options.ts';
import { type Block, type Cell, cellName, type Run } from '../../src/model/run.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { recordedRun } from '../recorded/recorded-runs.ts';
import type { Random } from './random.ts';

/*
 * Checks of a known truth, made of recorded blocks: a synthetic run takes what one recorded run of unchanged code
 * differs from the others by, and draws its blocks from that run's. Throughput, p95, CPU time and stolen time of a block
 * stay together, so whatever they share is kept.
 */

const unchanged = (
  [
    '01-unchanged',
    '02-unchanged',
    '07-unchanged',
    '08-unchanged-faster-hour',
    '09-unchanged-speed-changed-midway',
    '12-unchanged',
  ] as const
).map(recordedRun);

const figures = ['tps', 'p95', 'service', 'generator', 'backing'] as const;
/** Natural logs. */
type Levels = Readonly<Record<(typeof figures)[number], number>>;

/** What a change does to one cell, as natural logs: to the time of a request, and to the service's CPU time for it. */
export interface Effect {
  readonly time?: number;
  readonly cpu?: number;
}
/** The effect on each cell, by its position in the suite. */
export type Change = (cell: number) => Effect;
export const nothing: Change = () => ({});

/** How much of the difference between runs of one cell is that cell's own; the rest is chance of its four blocks. */
const ownShare = 0.33;

const cores = 2;

function levelsOf({ tps, latency, usage }: Block): Levels {
  const cpu = (role: string) => Math.log(((usage[role]?.cpuShare ?? 0) * cores) / tps);
  return {
    tps: Math.log(tps),
    p95: Math.log(latency.p95Ms),
    service: cpu('service'),
    generator: cpu('generator'),
    backing: cpu('backing'),
  };
}

function combine(parts: readonly Levels[], value: (all: readonly number[]) => number): Levels {
  const [tps = 0, p95 = 0, service = 0, generator = 0, backing = 0] = figures.map((name) =>
    value(parts.map((part) => part[name])),
  );
  return { tps, p95, service, generator, backing };
}
const average = (parts: readonly Levels[]) => combine(parts, (all) => mean([...all]));
const minus = (a: Levels, b: Levels) => combine([a, b], ([x = 0, y = 0]) => x - y);
const plus = (a: Levels, b: Levels, times = 1) => combine([a, b], ([x = 0, y = 0]) => x + times * y);

interface SourceCell {
  readonly level: Levels;
  /** Blocks: how each differs from the level, and the CPU time that others took during it. */
  readonly blocks: readonly { readonly off: Levels; readonly taken: number }[];
}

/** By run and cell. */
const sources: readonly (readonly SourceCell[])[] = (() => {
  const means = unchanged.map(({ cells }) => cells.map(({ blocks }) => average(blocks.map(levelsOf))));
  const typical = (means[0] ?? []).map((first, cell) => average(means.map((run) => run[cell] ?? first)));
  const shared = means.map((run) => average(run.map((level, cell) => minus(level, typical[cell] ?? level))));
  return unchanged.map(({ cells }, run) =>
    cells.map(({ blocks }, cell): SourceCell => {
      const measured = means[run]?.[cell] ?? average(blocks.map(levelsOf));
      const usual = typical[cell] ?? measured;
      const ofRun = shared[run] ?? minus(usual, usual);
      const own = minus(minus(measured, usual), ofRun);
      // Residuals of n blocks are too small by (n - 1) / n.
      const scale = Math.sqrt(blocks.length / (blocks.length - 1));
      return {
        level: plus(plus(usual, ofRun), own, ownShare),
        blocks: blocks.map((block) => ({
          off: combine([minus(levelsOf(block), measured)], ([off = 0]) => off * scale),
          taken: block.stealShare + block.othersCpuShare,
        })),
      };
    }),
  );
})();

const [pattern] = unchanged;
if (pattern === undefined) throw new Error('there is no recorded run');

export const resampledCells = pattern.cells;

function pick<One>(random: Random, list: readonly One[]): One {
  const one = list[Math.floor(random() * list.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
}

/** A block of the pattern with other figures; what the machine did not use stays as it was. */
function blockWith(like: Block, round: number, levels: Levels, taken: number): Block {
  const tps = Math.exp(levels.tps);
  const share = (role: 'service' | 'generator' | 'backing') => ({
    rssBytes: like.usage[role]?.rssBytes ?? 0,
    cpuShare: (Math.exp(levels[role]) * tps) / cores,
  });
  return {
    ...like,
    round,
    tps,
    requests: Math.round(tps * like.countedSeconds),
    latency: { ...like.latency, p95Ms: Math.exp(levels.p95) },
    usage: { service: share('service'), generator: share('generator'), backing: share('backing') },
    stealShare: taken,
    othersCpuShare: 0,
    ioWaitShare: 0,
    invalid: [],
  };
}

interface DrawOptions {
  readonly rounds?: number;
  readonly change?: Change;
  /** The recorded run that it resembles; any of them by default. */
  readonly like?: number;
}

export function drawRun(random: Random, id: string, options: DrawOptions = {}): Run {
  const { rounds = 4, change = nothing, like = Math.floor(random() * sources.length) } = options;
  const source = sources[like] ?? [];
  const cells = resampledCells.map((cell, index): Cell => {
    const { time = 0, cpu = 0 } = change(index);
    const effect: Levels = { tps: -time, p95: time, service: cpu, generator: 0, backing: 0 };
    const from = source[index];
    if (from === undefined) throw new Error('the recorded run lacks a cell');
    const blocks = Array.from({ length: rounds }, (_, round) => {
      const { off, taken } = pick(random, from.blocks);
      const [first] = cell.blocks;
      const pattern = cell.blocks[round] ?? first;
      if (pattern === undefined) throw new Error('the recorded cell has no block');
      return blockWith(pattern, round, plus(plus(from.level, off), effect), taken);
    });
    return { ...cell, blocks };
  });
  return { ...(pattern as Run), id, code: { commit: commitOf(id), branch: 'main', dirty: false }, cells };
}

function commitOf(id: string): string {
  return Buffer.from(id).toString('hex').padEnd(40, '0').slice(0, 40);
}

export interface Scene {
  readonly storedRuns: number;
  readonly change?: Change;
}

export interface Simulated {
  readonly verdict: Verdict;
  /** Names of the cells that were measured again. */
  readonly suspects: readonly string[];
}

/** Rounds with which suspects are measured again. */
const roundsAgain = 6;

/** One check as `--compare auto` makes it: against stored runs, with suspects measured again beside the base commit. */
export function simulateCheck(random: Random, options: JudgeOptions, scene: Scene): Simulated {
  const { storedRuns, change = nothing } = scene;
  const context = { options, createdAt: '2026-11-22T00:00:00.000Z', seconds: 0 };
  const stored = Array.from({ length: storedRuns }, (_, index) => drawRun(random, `stored-${index}`));
  const run = drawRun(random, 'head', { change });
  const screened = judgeMeasurements({ run, stored }, context);
  const suspects = cellsToConfirm(screened);
  if (suspects.length === 0) return { verdict: screened, suspects };
  // Both sides share the hour.
  const like = Math.floor(random() * sources.length);
  const again = (id: string, made: Change) => {
    const one = drawRun(random, id, { rounds: roundsAgain, change: made, like });
    return { ...one, cells: one.cells.filter((cell) => suspects.includes(cellName(cell))) };
  };
  const interleaved = { base: again('again-base', nothing), head: again('again-head', change) };
  return { verdict: judgeMeasurements({ run, stored, interleaved }, context), suspects };
}
