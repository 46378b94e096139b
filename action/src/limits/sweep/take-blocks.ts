import type { MeasuredBlock } from '../../measure/index.ts';

/** The first of them still warms up. */
const leastBlocks = 2;
export const mostBlocks = 8;
/** To stop the service afterwards. */
const closingSeconds = 2;

interface Time {
  /** Seconds since the sweep began. */
  readonly elapsed: () => number;
  /** When the boot has to end, in the same seconds. */
  readonly until: number;
}

/** The blocks of one boot: as many as end in time, as the one before lets expect. */
export async function takeBlocks(
  take: (nth: number) => Promise<MeasuredBlock>,
  { elapsed, until }: Time,
): Promise<readonly MeasuredBlock[]> {
  const blocks: MeasuredBlock[] = [];
  let perBlock = 0;
  const hasTime = () => elapsed() + perBlock + closingSeconds <= until;
  while (blocks.length < leastBlocks || (blocks.length < mostBlocks && hasTime())) {
    const from = elapsed();
    blocks.push(await take(blocks.length));
    perBlock = elapsed() - from;
  }
  return blocks;
}
