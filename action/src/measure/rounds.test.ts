import { describe, expect, it } from 'vitest';
import type { Plan, PlannedCell } from './plan.ts';
import { takeRounds } from './rounds.ts';

const cell = (scenario: string, rounds: number): PlannedCell => ({
  scenario,
  load: 'l',
  vus: 1,
  script: 's.ts',
  env: {},
  stages: [],
  guardSeconds: 1,
  countedSeconds: 1,
  rounds,
  costsAlone: false,
});
const planOf = (rounds: number, ...scenarios: string[]): Plan => ({
  suite: 'pr',
  cells: scenarios.map((scenario) => cell(scenario, rounds)),
  rounds,
  loadSeconds: 2 * rounds * scenarios.length,
});

/** What happens when a plan is taken on a machine of which `reasonOf` says how it spoils the nth block, counted from 1. */
async function take(
  plan: Plan,
  sides: readonly string[],
  reasonOf: (taken: number) => string | undefined,
  {
    secondsUntilQuiet = 0,
    roundsEnough = Number.POSITIVE_INFINITY,
    enoughOf = [] as readonly string[],
    firstIsEnough = false,
  } = {},
) {
  const log: string[] = [];
  let count = 0;
  const { blocks: taken, broken } = await takeRounds(plan, sides, {
    take: async ({ side, cell: { scenario }, round }) => {
      count += 1;
      log.push(`${side} ${scenario} ${round}`);
      const code = reasonOf(count);
      return { round, number: count, invalid: code === undefined ? [] : [{ code, cause: '', nextStep: '' }] };
    },
    isKept: ({ side }, { invalid }) => side === 'base' && invalid[0]?.code === 'I_ALL_FAILED',
    isEnough: async (blocks, cells) =>
      cells.every(({ scenario }) => enoughOf.includes(scenario)) ||
      [...blocks.values()].every((cells) => [...cells.values()].every((some) => some.length >= roundsEnough)),
    sparesOthers: () => firstIsEnough,
    postponed: ({ turn }) => log.push(`postpone ${turn.cell.scenario}`),
    givenUp: ({ turn }) => log.push(`give up ${turn.side} ${turn.cell.scenario}`),
    untilQuiet: async ({ scenario }, secondsAtMost) => {
      log.push(`quiet for ${scenario}`);
      return Math.min(secondsUntilQuiet, secondsAtMost);
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
  const loaded = log.filter((line) => sides.some((side) => line.startsWith(side)));
  return { log, loaded, blocks, broken: broken?.block.number };
}

const spoiledBlocks =
  (...numbers: number[]) =>
  (count: number) =>
    numbers.includes(count) ? 'I_OTHERS_CPU' : undefined;

describe('takeRounds', () => {
  it.each([
    [1, ['base a 0', 'head a 0', 'head a 1', 'base a 1']],
    [3, ['base a 0', 'head a 0', 'head a 1', 'base a 1', 'base a 2', 'head a 2', 'head a 3', 'base a 3']],
  ])('ends after an even round once %i rounds are enough', async (roundsEnough, expected) => {
    const { log } = await take(planOf(6, 'a'), ['base', 'head'], () => undefined, { roundsEnough });
    expect(log).toEqual(expected);
  });

  it.each([
    [false, ['b', 'b', 'a', 'c', 'c', 'a']],
    [true, ['b', 'b']],
  ])(
    'takes all rounds of the first cell before those of the others (it is enough: %s)',
    async (firstIsEnough, expected) => {
      const plan = { ...planOf(2, 'a', 'b', 'c'), first: 'b@l' };
      const { log, blocks } = await take(plan, ['head'], () => undefined, { firstIsEnough });
      expect(log.map((line) => line.split(' ')[1])).toEqual(expected);
      expect(blocks[0]?.[0]).toEqual(
        firstIsEnough
          ? []
          : [
              [0, 3],
              [1, 6],
            ],
      );
    },
  );

  it('ends the rounds of the first cell early, and then those of the others', async () => {
    const plan = { ...planOf(6, 'a', 'b'), first: 'a@l' };
    const { loaded } = await take(plan, ['head'], () => undefined, { roundsEnough: 3 });
    expect(loaded.filter((line) => line.includes(' a '))).toHaveLength(4);
    expect(loaded.filter((line) => line.includes(' b '))).toHaveLength(4);
  });

  it('goes on with the others if a block of the first cell is broken', async () => {
    const plan = { ...planOf(2, 'a', 'b'), first: 'a@l' };
    const { loaded, broken } = await take(plan, ['head'], (count) =>
      count === 1 ? 'I_ALL_FAILED' : undefined,
    );
    expect([loaded, broken]).toEqual([['head a 0', 'head b 0', 'head b 1'], 1]);
  });

  it('lacks nothing because of a last block that is broken, however early the first cell ended', async () => {
    const plan = { ...planOf(4, 'a', 'b'), first: 'a@l' };
    const { loaded, broken } = await take(
      plan,
      ['head'],
      (count) => (count === 6 ? 'I_ALL_FAILED' : undefined),
      { enoughOf: ['a'] },
    );
    expect(loaded).toEqual(['head a 0', 'head a 1', ...[0, 1, 2, 3].map((round) => `head b ${round}`)]);
    expect(broken).toBeUndefined();
  });

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

  it('takes both sides again next to each other, so that they stay a pair', async () => {
    const { log, blocks } = await take(planOf(2, 'a', 'b'), ['base', 'head'], spoiledBlocks(2));
    expect(log).toEqual([
      ...[
        'base a 0',
        'head a 0',
        'postpone a',
        'head b 0',
        'base b 0',
        'quiet for a',
        'base a 0',
        'head a 0',
      ],
      ...['base b 1', 'head b 1', 'head a 1', 'base a 1'],
    ]);
    expect(blocks.map(([first]) => first?.[0])).toEqual([
      [0, 5],
      [0, 6],
    ]);
  });

  it('takes a pair again once if both of its blocks were disturbed', async () => {
    const { loaded } = await take(planOf(2, 'a'), ['base', 'head'], spoiledBlocks(1, 2));
    expect(loaded).toEqual(['base a 0', 'head a 0', 'base a 0', 'head a 0', 'head a 1', 'base a 1']);
  });

  it('goes on taking again what is disturbed again, the others first', async () => {
    const { loaded, blocks } = await take(planOf(1, 'a', 'b', 'c'), ['head'], spoiledBlocks(1, 2, 4));
    expect(loaded).toEqual(['head a 0', 'head b 0', 'head c 0', 'head a 0', 'head b 0', 'head a 0']);
    expect(blocks).toEqual([[[[0, 6]], [[0, 5]], [[0, 3]]]]);
  });

  it('goes on to its end when the time for repeats is spent', async () => {
    const plan = planOf(8, 'a', 'b');
    const { log, loaded, blocks, broken } = await take(plan, ['head'], () => 'I_STEAL');
    // A quarter of 16 blocks, all of them in the first round: a, b, a, b.
    expect(loaded).toHaveLength(16 + 4);
    expect(log.slice(0, 12)).toEqual([
      ...['head a 0', 'postpone a', 'head b 0', 'postpone b'],
      ...['quiet for a', 'head a 0', 'postpone a', 'quiet for b', 'head b 0', 'postpone b'],
      ...['quiet for a', 'head a 0'],
    ]);
    expect(log.filter((line) => line.startsWith('give up'))).toHaveLength(16);
    expect(blocks[0]?.map((taken) => taken.length)).toEqual([8, 8]);
    expect(broken).toBeUndefined();
  });

  it('gives up each block of a pair that was disturbed', async () => {
    const { log } = await take(planOf(4, 'a'), ['base', 'head'], spoiledBlocks(1, 3, 4));
    expect(log.slice(0, 7)).toEqual([
      ...['base a 0', 'head a 0', 'postpone a', 'quiet for a'],
      ...['base a 0', 'head a 0', 'give up base a'],
    ]);
    expect(log[7]).toBe('give up head a');
  });

  it('has time for one block of each cell, even in a short suite', async () => {
    const { loaded, log } = await take(planOf(2, 'a', 'b', 'c'), ['head'], spoiledBlocks(1, 2, 3));
    expect(loaded).toHaveLength(6 + 3);
    expect(log.some((line) => line.startsWith('give up'))).toBe(false);
  });

  it('spends that time on waiting as well, but never what is left for the repeats that it promised', async () => {
    const plan = planOf(8, 'a', 'b');
    // Of 8 s, two repeats take 4 and the first wait 3. The rest is too short for the block that is disturbed later.
    const { log, loaded } = await take(plan, ['head'], spoiledBlocks(1, 2, 5), {
      secondsUntilQuiet: 3,
    });
    expect(loaded).toHaveLength(16 + 2);
    expect(log.filter((line) => line.startsWith('give up'))).toEqual(['give up head b']);
  });

  it('goes on with a base that fails what only head can answer', async () => {
    const refused = (count: number) => (count === 1 ? 'I_ALL_FAILED' : undefined);
    const { log, broken } = await take(planOf(2, 'a'), ['base', 'head'], refused);
    expect(log).toEqual(['base a 0', 'head a 0', 'head a 1', 'base a 1']);
    expect(broken).toBeUndefined();
  });

  it('ends at once with a block that is broken, because no repeat helps', async () => {
    const { log, broken } = await take(planOf(2, 'a', 'b'), ['head'], (count) =>
      count === 2 ? 'I_ALL_FAILED' : undefined,
    );
    expect(log).toEqual(['head a 0', 'head b 0']);
    expect(broken).toBe(2);
  });

  it('measures the other side of a broken block, which shows whose fault it is', async () => {
    const { log, broken } = await take(planOf(4, 'a'), ['base', 'head'], (count) =>
      count === 3 ? 'I_ALL_FAILED' : undefined,
    );
    expect(log).toEqual(['base a 0', 'head a 0', 'head a 1', 'base a 1']);
    expect(broken).toBe(3);
  });
});
