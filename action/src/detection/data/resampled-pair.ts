import { mean } from 'simple-statistics';
import type { Block, Cell, Interleaved, Latency, Run } from '../../model/run.ts';
import type { Random } from '../../stats/index.ts';

/** The first round is seldom like the others, so both sides leave it out. */
const steadyBlocks = ({ blocks }: Cell) => (blocks.length > 1 ? blocks.slice(1) : blocks);

/**
 * An interleaved pair of unchanged code, made of one stored run: both sides draw their blocks from it, cell by cell. It
 * stands in for recorded pairs. Both sides share the hour, and the luck of their boots is missing.
 */
export function resampledPair(random: Random, run: Run, name: string, rounds: number): Interleaved {
  const side = (id: string): Run => ({
    ...run,
    id: `${name}-${id}`,
    cells: run.cells.map((cell) => drawCell(random, cell, rounds)),
  });
  return { base: side('base'), head: side('head') };
}

function drawCell(random: Random, cell: Cell, rounds: number): Cell {
  const source = steadyBlocks(cell);
  if (source.length === 0) return cell;
  const levels = levelsOf(source);
  // Blocks lie closer to the mean of their own n than to the true one, by the root of (n - 1) / n.
  const stretch = source.length < 2 ? 0 : Math.sqrt(source.length / (source.length - 1)) - 1;
  const blocks = Array.from({ length: rounds }, (_, round): Block => {
    const drawn = source[Math.floor(random() * source.length)];
    if (drawn === undefined) throw new Error('the cell has no block');
    return { ...stretched(drawn, levels, stretch), round };
  });
  return { ...cell, blocks };
}

/** Means of logs over the blocks. */
interface Levels {
  readonly tps: number;
  readonly p95Ms: number;
  /** CPU share over TPS, by role. */
  readonly cpu: Readonly<Record<string, number>>;
}

const logCpu = ({ usage, tps }: Block, role: string) => Math.log((usage[role]?.cpuShare ?? 0) / tps);

function levelsOf(blocks: readonly Block[]): Levels {
  const level = (read: (block: Block) => number) => mean(blocks.map(read));
  const roles = Object.keys(blocks[0]?.usage ?? {});
  return {
    tps: level(({ tps }) => Math.log(tps)),
    p95Ms: level(({ latency }) => Math.log(latency.p95Ms)),
    cpu: Object.fromEntries(roles.map((role) => [role, level((block) => logCpu(block, role))])),
  };
}

/** The block, farther from the mean of its cell. */
function stretched(block: Block, levels: Levels, stretch: number): Block {
  const factor = (log: number, level: number) => {
    const exact = Math.exp(stretch * (log - level));
    return Number.isFinite(exact) ? exact : 1;
  };
  const tps = factor(Math.log(block.tps), levels.tps);
  const latency = factor(Math.log(block.latency.p95Ms), levels.p95Ms);
  return {
    ...block,
    tps: block.tps * tps,
    latency: Object.fromEntries(
      Object.entries(block.latency).map(([name, value]) => [
        name,
        typeof value === 'number' ? value * latency : value,
      ]),
    ) as Latency,
    usage: Object.fromEntries(
      Object.entries(block.usage).map(([role, usage]) => {
        const cpu = factor(logCpu(block, role), levels.cpu[role] ?? Number.NaN);
        return [role, { ...usage, cpuShare: usage.cpuShare * cpu * tps }];
      }),
    ),
  };
}
