import { describe, expect, it } from 'vitest';
import type { Plan, PlannedCell } from './plan.ts';
import { takeRounds } from './rounds.ts';

const cell = (scenario: string): PlannedCell => ({
  scenario,
  load: 'l',
  vus: 1,
  script: 's.ts',
  env: {},
  stages: [],
  guardSeconds: 1,
  countedSeconds: 1,
});
const planOf = (rounds: number, ...scenarios: string[]): Plan => ({
  suite: 'pr',
  cells: scenarios.map(cell),
  rounds,
  loadSeconds: 1,
});

/** Takes a plan on a machine of which `reasonOf` says how it spoils the nth block, counted from 1, and returns what happened. */
async function take(plan: Plan, sides: readonly string[], reasonOf: (taken: number) => string | undefined) {
  const log: string[] = [];
  let count = 0;
  const taken = await takeRounds(plan, sides, {
    take: async ({ side, cell: { scenario }, round }) => {
      count += 1;
      log.push(`${side} ${scenario} ${round}`);
      const code = reasonOf(count);
      return { round, number: count, invalid: code === undefined ? [] : [{ code, cause: '', nextStep: '' }] };
    },
    postponed: ({ cell: { scenario } }) => log.push(`postpone ${scenario}`),
    untilQuiet: async ({ cell: { scenario } }) => {
      log.push(`quiet for ${scenario}`);
    },
  });
  const blocks = sides.map((side) =>
    plan.cells.map(
      (one) =>
        taken
          .get(side)
          ?.get(one)
          ?.map(({ round, number }) => [round, number]) ?? [],
    ),
  );
  return { log, blocks };
}

const spoiledBlocks =
  (...numbers: number[]) =>
  (count: number) =>
    numbers.includes(count) ? 'I_OTHERS_CPU' : undefined;

describe('takeRounds', () => {
  it('takes every block of every side, interleaved, forwards and backwards', async () => {
    const { log } = await take(planOf(2, 'a', 'b'), ['base', 'head'], () => undefined);
    expect(log).toEqual([
      ...['base a 0', 'head a 0', 'head b 0', 'base b 0'],
      ...['base b 1', 'head b 1', 'head a 1', 'base a 1'],
    ]);
  });

  it('takes a disturbed block again at the end of its round, in its place, once the machine is quiet', async () => {
    const { log, blocks } = await take(planOf(2, 'a', 'b', 'c'), ['head'], spoiledBlocks(1));
    expect(log).toEqual([
      ...['head a 0', 'postpone a', 'head b 0', 'head c 0', 'quiet for a', 'head a 0'],
      ...['head c 1', 'head b 1', 'head a 1'],
    ]);
    expect(blocks[0]?.[0]).toEqual([
      [0, 4],
      [1, 7],
    ]);
  });

  it('goes on taking again what is disturbed again, the others first', async () => {
    const { log, blocks } = await take(planOf(1, 'a', 'b'), ['head'], spoiledBlocks(1, 2, 3));
    expect(log.filter((line) => line.startsWith('head'))).toEqual([
      ...['head a 0', 'head b 0'],
      ...['head a 0', 'head b 0', 'head a 0'],
    ]);
    expect(blocks).toEqual([[[[0, 5]], [[0, 4]]]]);
  });

  it('ends with the fifth block that is disturbed in a run', async () => {
    const four = await take(planOf(5, 'a'), ['head'], spoiledBlocks(1, 3, 5, 7));
    expect(four.blocks[0]?.[0]).toHaveLength(5);
    const five = await take(planOf(5, 'a'), ['head'], spoiledBlocks(1, 3, 5, 7, 9));
    expect(five.log.at(-1)).toBe('head a 4');
    expect(five.log.filter((line) => line.startsWith('quiet'))).toHaveLength(4);
    const inOneRound = await take(planOf(1, 'a', 'b', 'c', 'd', 'e', 'f'), ['head'], () => 'I_STEAL');
    expect(inOneRound.log.filter((line) => line.startsWith('head'))).toHaveLength(5);
  });

  it('ends at once where no retake helps', async () => {
    const { log } = await take(planOf(2, 'a', 'b'), ['head'], (count) =>
      count === 2 ? 'I_EXCEPTIONS' : undefined,
    );
    expect(log).toEqual(['head a 0', 'head b 0']);
  });
});
