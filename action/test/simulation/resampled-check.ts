import { mean } from 'simple-statistics';
import type { JudgeOptions } from '../../src/judge/options.ts';
import type { Block, Cell, Run } from '../../src/model/run.ts';
import type { Random } from '../../src/stats/random.ts';
import { recordedOptions } from '../recorded/recorded-options.ts';
import { recordedRun } from '../recorded/recorded-runs.ts';
import { type AutoCheck, autoCheck } from './auto-check.ts';

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

/** What a change does to one cell. The first four are natural logs of what a request takes or costs. */
export interface Effect {
  readonly time?: number;
  /** CPU time of each part. */
  readonly cpu?: number;
  readonly generatorCpu?: number;
  readonly backingCpu?: number;
  /** Counted costs, by the name of the signal: how many times as many. */
  readonly counts?: Readonly<Record<string, number>>;
}
/** The effect on each cell, by its position in the suite. */
export type Change = (cell: number) => Effect;
export const nothing: Change = () => ({});

/** What the machine does while a run is measured, in addition to what it did when the blocks were recorded. */
export interface Hour {
  /** How many times longer everything takes, CPU time included. */
  readonly slower?: number;
  /** Share of the CPU time that other guests take. */
  readonly stolen?: number;
}

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

/** A block of the pattern with other figures, without endpoints; usage follows from throughput and cost. */
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
    endpoints: [],
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
  readonly hour?: Hour;
}

function drawIndex(random: Random): number {
  return Math.floor(random() * sources.length);
}

export function drawRun(random: Random, id: string, options: DrawOptions = {}): Run {
  const { rounds = 4, change = nothing, like = drawIndex(random), hour = {} } = options;
  const { slower = 1, stolen = 0 } = hour;
  const source = sources[like] ?? [];
  const cells = resampledCells.map((cell, index): Cell => {
    const { time = 0, cpu = 0, generatorCpu = 0, backingCpu = 0, counts = {} } = change(index);
    const slow = Math.log(slower);
    // What others take leaves less for everyone, and costs no more CPU time.
    const longer = slow - Math.log1p(-stolen) + time;
    const effect: Levels = {
      tps: -longer,
      p95: longer,
      service: slow + cpu,
      generator: slow + generatorCpu,
      backing: slow + backingCpu,
    };
    const from = source[index];
    if (from === undefined) throw new Error('the recorded run lacks a cell');
    const blocks = Array.from({ length: rounds }, (_, round) => {
      const { off, taken } = pick(random, from.blocks);
      const [first] = cell.blocks;
      const like = cell.blocks[round] ?? first;
      if (like === undefined) throw new Error('the recorded cell has no block');
      const levels = plus(plus(from.level, off), effect);
      const block = blockWith(like, round, levels, stolen + (1 - stolen) * taken);
      const signals = Object.entries(block.signals).map(([name, value]) => [
        name,
        value * (counts[name] ?? 1),
      ]);
      return { ...block, signals: Object.fromEntries(signals) };
    });
    return { ...cell, blocks };
  });
  return { ...(pattern as Run), id, code: { commit: commitOf(id), branch: 'main', dirty: false }, cells };
}

function commitOf(id: string): string {
  return Buffer.from(id).toString('hex').padEnd(40, '0').slice(0, 40);
}

export interface Scene {
  /** Without any, the base commit is measured next to the head from the start. */
  readonly storedRuns: number;
  readonly change?: Change;
  /** The hour of the check; the stored runs have hours of their own. */
  readonly hour?: Hour;
  readonly options?: JudgeOptions;
}

/** Rounds with which suspects are measured again. */
const roundsAgain = 6;

export function resampledCheck(
  random: Random,
  { storedRuns, change = nothing, hour = {}, options = recordedOptions }: Scene,
): AutoCheck {
  const stored = Array.from({ length: storedRuns }, (_, index) => drawRun(random, `stored-${index}`));
  const like = drawIndex(random);
  const run = drawRun(random, 'head', { change, hour, like });
  const first = storedRuns > 0 ? { run, stored } : { run, base: drawRun(random, 'base', { hour, like }) };
  return autoCheck(first, options, () => {
    const shared = { rounds: roundsAgain, like: drawIndex(random), hour };
    return {
      base: drawRun(random, 'base-again', shared),
      head: drawRun(random, 'head-again', { ...shared, change }),
    };
  });
}
