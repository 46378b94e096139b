import { expect, it } from 'vitest';
import { runOfTps, simulatedUsage } from '../../../test/simulation/simulated-run.ts';
import type { Cell } from '../../model/run.ts';
import { countDrift, speedChange } from './speed-change.ts';

const { cells, fingerprint } = runOfTps('run', 500);

/** A cell on a machine that is so many times as fast as usual. */
const at = (speed: number): Cell[] =>
  cells.map((cell) => ({
    ...cell,
    blocks: cell.blocks.map((block) => ({ ...block, usage: simulatedUsage(block.tps / speed) })),
  }));
const change = (head: readonly Cell[], base: readonly Cell[], interleaved = false) =>
  speedChange({ head: head[0] ?? expect.unreachable(), base }, { interleaved, machine: fingerprint });
const drift = (...sides: Parameters<typeof change>) => countDrift(change(...sides).forCounts);

it('grows with the ratio of the speeds, whichever side was faster', () => {
  expect(drift(at(1), at(1))).toBeCloseTo(0);
  expect(drift(at(Math.E), at(1))).toBeCloseTo(0.1);
  expect(drift(at(1), at(Math.E ** 2))).toBeCloseTo(0.2);
});

it('allows for the newest run as well as for all of them together', () => {
  const slow = [...at(1), ...at(1), ...at(1)];
  expect(drift(at(Math.E), [...slow, ...at(Math.E)])).toBeCloseTo(0.1);
  expect(drift(at(1), [...slow, ...at(Math.E)])).toBeCloseTo(0.1);
});

it('is nothing between sides that were measured next to each other, or where nobody measured the generator', () => {
  expect(drift(at(3), at(1), true)).toBe(0);
  const unknown = cells.map((cell) => ({
    ...cell,
    blocks: cell.blocks.map((block) => ({ ...block, usage: {} })),
  }));
  expect(drift(unknown, at(1))).toBe(0);
  expect(drift(at(1), unknown)).toBe(0);
});

it('is none where fewer than half of the blocks show the CPU time of the generator', () => {
  const some = at(1).map((cell) => ({
    ...cell,
    blocks: cell.blocks.map((block, index) =>
      index === 0
        ? { ...block, usage: simulatedUsage(block.tps, { generator: 3 }) }
        : { ...block, usage: {} },
    ),
  }));
  expect(change(some, at(1))).toEqual({ forCounts: 0, forFigures: 0 });
});

it('is none for figures where head waits more and looks slower, because a slower machine is never idler', () => {
  /** The cell with a tenth of the requests, each of which costs the generator so many times as much. */
  const waiting = (times: number): Cell[] =>
    cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({
        ...block,
        tps: block.tps / 10,
        usage: simulatedUsage(block.tps / 10, { generator: times }),
      })),
    }));
  expect(change(waiting(5), at(1))).toEqual({ forCounts: expect.closeTo(Math.log(5)), forFigures: 0 });
  expect(change(waiting(1 / 5), at(1)).forFigures).toBeCloseTo(Math.log(5));
  expect(change(at(1), waiting(1 / 5)).forFigures).toBeCloseTo(Math.log(5));
});

it('knows a head that waits more by the share of the CPU that it no longer uses, where base used little', () => {
  /** A cell that uses a tenth of the CPU, with so many times fewer requests, each of which costs the generator more. */
  const idle = (fewer: number, generator = 1): Cell[] =>
    cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({
        ...block,
        tps: block.tps / fewer,
        usage: simulatedUsage(block.tps / fewer / 10, { generator }),
      })),
    }));
  expect(change(idle(10, 7), idle(1)).forFigures).toBe(0);
  expect(change(idle(1.2, 2), idle(1)).forFigures).toBeCloseTo(Math.log(2));
});
