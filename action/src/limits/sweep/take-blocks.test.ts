import { describe, expect, it } from 'vitest';
import type { MeasuredBlock } from '../../measure/index.ts';
import { takeBlocks } from './take-blocks.ts';

/** What blocks of so many seconds leave of a boot that has to end in time. */
async function taken(perBlock: number, until: number) {
  let now = 10;
  const rounds: number[] = [];
  const blocks = await takeBlocks(
    async (nth) => {
      rounds.push(nth);
      now += perBlock;
      return { block: { round: nth } } as unknown as MeasuredBlock;
    },
    { elapsed: () => now, until },
  );
  expect(blocks.length).toBe(rounds.length);
  return { rounds, now };
}

describe('the blocks of a boot', () => {
  it('end before its time is over', async () => {
    expect(await taken(10, 59)).toEqual({ rounds: [0, 1, 2, 3], now: 50 });
    expect(await taken(10, 62)).toEqual({ rounds: [0, 1, 2, 3, 4], now: 60 });
  });

  it('are at least two and at most eight', async () => {
    expect((await taken(10, 11)).rounds).toEqual([0, 1]);
    expect((await taken(1, 1000)).rounds.length).toBe(8);
  });
});
