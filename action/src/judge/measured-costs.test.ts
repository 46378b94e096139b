import { describe, expect, it } from 'vitest';
import { type AutoCheck, autoCheck, rate } from '../../test/simulation/auto-check.ts';
import {
  drawNormal,
  runOf,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
} from '../../test/simulation/simulated-run.ts';
import type { Run } from '../model/run.ts';
import { createRandom, type Random } from '../stats/random.ts';
import type { JudgeOptions } from './options.ts';

const simulations = 300;
const cellNames = ['scenario-0@peak', 'scenario-1@peak', 'scenario-2@peak', 'scenario-3@peak'];
const options: JudgeOptions = {
  ...simulatedOptions,
  tolerances: {},
  cells: simulatedOptions.cells.slice(0, cellNames.length),
  signals: {
    wait: {
      title: 'wait for a connection per request',
      from: 'service',
      series: ['wait_seconds_sum'],
      per: 'request',
      scale: 1000,
      unit: 'ms',
      gate: 'suspect',
      tolerance: 0.5,
      floor: 1,
      hint: 'The pool is too small.',
    },
  },
};

/** A run with the waits of each cell's blocks. */
function waiting(id: string, cells: readonly (readonly (number | undefined)[])[]): Run {
  return runOf(
    id,
    cells.map((waits, cell) =>
      simulatedCell(
        cell,
        waits.map((wait, round) => ({
          ...simulatedBlock(round, 500, 200),
          endpoints: [],
          signals: wait === undefined ? {} : { wait },
        })),
      ),
    ),
  );
}

function outcomes({ verdict }: AutoCheck): readonly string[] {
  return verdict.cells.map(({ outcome }) => outcome);
}

// Real waits in milliseconds: one run of unchanged code per line, and the pool cut from five connections to two.
const stored = [
  [
    [4.4, 4.8, 5.2],
    [8.2, 6.9, 8.4],
    [21.7, 19.2, 24.5],
    [0.1, 0, 0.1],
  ],
  [
    [4.2, 3.3, 7.5],
    [6.5, 7.7, 6.4],
    [17, 26.8, 19.7],
    [0, 0.1, 0.1],
  ],
  [
    [6.5, 5.4, 7],
    [8, 11.7, 5.7],
    [21.5, 22.1, 23.8],
    [0.1, 0.1, 0.1],
  ],
].map((cells, index) => waiting(`stored-${index}`, cells));
const ofSmallPool = [
  [16.5, 19.3, 18.3],
  [24.1, 21.9, 31.1],
  [42.7, 40.3, 48.9],
  [1.7, 1.5, 2.3],
];
const ofBase = [
  [6.4, 4.8, 9.1],
  [5.7, 20.9, 7.2],
  [31.3, 40.2, 31.9],
  [0.1, 0.2, 0.1],
];
const smallPool = waiting('head', ofSmallPool);

describe('a wait that varies widely from block to block', () => {
  const again = (base: typeof ofBase, head: typeof ofBase) => () => ({
    base: waiting('base-again', base),
    head: waiting('head-again', head),
  });

  it('is suspect where a smaller pool triples it, and red where that repeats', () => {
    const check = autoCheck({ run: smallPool, stored }, options, again(ofBase, ofSmallPool));
    expect(check.suspects).toEqual(cellNames.slice(0, 3));
    expect(check.screened.outcome).toBe('undecided');
    // The first one fails the check, so the others need not be measured again.
    expect(outcomes(check)).toEqual(['regression', 'undecided', 'undecided', 'pass']);
  });

  it('is cleared by base waiting as long in the same hour', () => {
    const check = autoCheck({ run: smallPool, stored }, options, again(ofSmallPool, ofSmallPool));
    expect(outcomes(check)).toEqual(['pass', 'pass', 'pass', 'pass']);
  });

  it('is cleared by a second measurement in which nobody waits', () => {
    const short = [0.3, 0.2, 0.4];
    const check = autoCheck(
      { run: smallPool, stored },
      options,
      again([short, short, short], [short, short, short]),
    );
    expect(outcomes(check)).toEqual(['pass', 'pass', 'pass', 'pass']);
  });

  it('stays undecided where the second measurement did not see it', () => {
    const unseen = () => ({ base: waiting('base-again', ofBase), head: waiting('again', [[undefined]]) });
    expect(outcomes(autoCheck({ run: smallPool, stored }, options, unseen)).slice(0, 2)).toEqual([
      'undecided',
      'undecided',
    ]);
  });

  it('is no suspect below the floor, however many times it grew', () => {
    const few = (id: string, wait: number) => waiting(id, [[wait, wait, wait]]);
    const check = autoCheck({ run: few('head', 0.99), stored: [few('a', 0.001)] }, options, () => {
      throw new Error('nothing is to be measured again');
    });
    expect(check.screened.cells[0]).toMatchObject({ outcome: 'pass', signals: [{ moved: false }] });
  });
});

it('is proved by a loss where less is worse, and only there', () => {
  const { wait } = options.signals;
  if (wait === undefined) throw new Error('the options have this cost');
  const lower: JudgeOptions = {
    ...options,
    signals: { wait: { ...wait, worse: 'lower', tolerance: 0.3, floor: 0.01 } },
  };
  const hits = (id: string, level: number) => waiting(id, [[level, 1.02 * level, 0.98 * level, level]]);
  const check = (before: number, after: number) =>
    autoCheck({ run: hits('head', after), stored: [hits('a', before), hits('b', before)] }, lower, () => ({
      base: hits('base-again', before),
      head: hits('head-again', after),
    })).verdict.cells[0];
  expect(check(0.9, 0.05)).toMatchObject({
    outcome: 'regression',
    signals: [{ failed: true, worse: 'lower' }],
  });
  expect(check(0.05, 0.9)).toMatchObject({ outcome: 'pass', signals: [{ failed: false, moved: false }] });
});

/** One figure for each cell. */
type PerCell = readonly [number, number, number, number];

/** Standard deviations of the log. */
interface Noise {
  readonly block: PerCell;
  readonly boot: number;
  readonly run: number;
}

const milliseconds: PerCell = [5, 8, 22, 30];
const unchanged: PerCell = [1, 1, 1, 1];

function drawn(id: string, random: Random, { block, boot, run }: Noise, growth = unchanged, rounds = 4): Run {
  const ofRun = run * drawNormal(random);
  return waiting(
    id,
    growth.map((factor, cell) => {
      const level = (milliseconds[cell] ?? 0) * factor * Math.exp(ofRun + boot * drawNormal(random));
      return Array.from({ length: rounds }, () => level * Math.exp((block[cell] ?? 0) * drawNormal(random)));
    }),
  );
}

/** Checks by `storedRuns` stored runs; against the base commit next to head without any. */
function checks(noise: Noise, storedRuns: number, growth = unchanged): readonly AutoCheck[] {
  const random = createRandom(7);
  const sameHour = { ...noise, run: 0 };
  return Array.from({ length: simulations }, () => {
    const stored = Array.from({ length: storedRuns }, (_, index) => drawn(`run-${index}`, random, noise));
    const first =
      storedRuns === 0
        ? { run: drawn('head', random, sameHour, growth), base: drawn('base', random, sameHour) }
        : { run: drawn('head', random, noise, growth), stored };
    return autoCheck(first, options, () => ({
      base: drawn('base-again', random, sameHour, unchanged, 6),
      head: drawn('head-again', random, sameHour, growth, 6),
    }));
  });
}

const red = (some: readonly AutoCheck[]) => rate(some, ({ verdict }) => verdict.outcome === 'regression');
const measuredAgain = (some: readonly AutoCheck[]) => rate(some, ({ suspects }) => suspects.length > 0);
const asMeasured: Noise = { block: [0.3, 0.5, 0.2, 0.2], boot: 0.1, run: 0.2 };

describe('a measured cost', () => {
  it.each([0, 1, 3, 10])('of unchanged code is never red, with %d stored runs', (storedRuns) => {
    const some = checks(asMeasured, storedRuns);
    expect(red(some)).toBe(0);
    expect(measuredAgain(some)).toBeLessThanOrEqual(0.05);
  });

  it.each([1, 3])(
    'that varies twice as widely as expected is hardly ever red, with %d stored runs',
    (count) => {
      expect(red(checks({ block: [0.6, 1, 0.4, 0.4], boot: 0.2, run: 0.4 }, count))).toBeLessThanOrEqual(
        0.01,
      );
    },
  );

  const ofPool: PerCell = [3.3, 3.1, 2, 1.9];
  it.each([
    [3, 0.8],
    [10, 0.9],
  ])('that a smaller pool multiplies is red, with %d stored runs', (storedRuns, share) => {
    expect(red(checks(asMeasured, storedRuns, ofPool))).toBeGreaterThanOrEqual(share);
  });
});
