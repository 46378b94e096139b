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

const simulations = 80;
const requests = 5000;
const options = { ...simulatedOptions, tolerances: { errorRate: 0.01 } };

interface Errors {
  readonly rate: number;
  /** Standard deviations of its log: between runs, all cells of one alike, and between blocks. */
  readonly run: number;
  readonly block: number;
}

function erring(id: string, random: Random, { rate: typical, run, block }: Errors): Run {
  const ofRun = typical * Math.exp(run * drawNormal(random));
  const cells = Array.from({ length: 6 }, (_, cell) =>
    simulatedCell(
      cell,
      Array.from({ length: 4 }, (__, round) => {
        const expected = requests * ofRun * Math.exp(block * drawNormal(random));
        // Requests of one batch fail together: a design effect of about 2.
        const errors = Math.round(expected + 1.5 * Math.sqrt(expected) * drawNormal(random));
        const failed = Math.min(requests, Math.max(0, errors));
        return { ...simulatedBlock(round, 500, 200, failed), endpoints: [] };
      }),
    ),
  );
  return runOf(id, cells);
}

function unchanged(errors: Errors, storedRuns: number): readonly AutoCheck[] {
  const random = createRandom(99);
  return Array.from({ length: simulations }, () => {
    const stored = Array.from({ length: storedRuns }, (_, index) => erring(`run-${index}`, random, errors));
    const run = erring('head', random, errors);
    return autoCheck({ run, stored }, options, () => ({
      base: erring('base-again', random, errors),
      head: erring('head-again', random, errors),
    }));
  });
}

const red = (checks: readonly AutoCheck[]) => rate(checks, ({ verdict }) => verdict.outcome === 'regression');
const redAtFirst = (checks: readonly AutoCheck[]) =>
  rate(checks, ({ screened }) => screened.outcome === 'regression');

describe('errors that nothing changed', () => {
  it.each<Errors & { readonly storedRuns: number }>([
    { storedRuns: 10, rate: 0.002, run: 0.3, block: 0.3 },
    { storedRuns: 3, rate: 0.02, run: 0, block: 0.3 },
    { storedRuns: 1, rate: 0.02, run: 0.3, block: 0 },
    { storedRuns: 10, rate: 0.02, run: 0.3, block: 0.3 },
    { storedRuns: 3, rate: 0.05, run: 0.3, block: 0.2 },
    { storedRuns: 1, rate: 0.2, run: 0.1, block: 0 },
    { storedRuns: 3, rate: 0.02, run: 0.5, block: 0 },
  ])(
    'are hardly ever red: rate $rate, runs differ by $run, blocks by $block, $storedRuns stored runs',
    ({ storedRuns, ...errors }) => {
      const checks = unchanged(errors, storedRuns);
      expect(red(checks)).toBeLessThanOrEqual(0.0125);
      expect(redAtFirst(checks)).toBeLessThanOrEqual(0.0125);
    },
  );
});

describe('errors of one cell where there were none', () => {
  const counted = (id: string, errors: readonly number[]): Run =>
    runOf(
      id,
      Array.from({ length: 6 }, (_, cell) =>
        simulatedCell(
          cell,
          errors.map((count, round) => simulatedBlock(round, 500, 200, cell === 0 ? count : 0)),
        ),
      ),
    );
  const none = [0, 0, 0, 0];

  it.each([[[100, 100, 100, 100]], [[0, 50, 150, 300]], [[0, 0, 500, 1000]]])(
    'are noticed, however unevenly they come, and red if they come again: %j of 5,000',
    (errors) => {
      for (const history of [['a'], ['a', 'b', 'c']]) {
        const stored = history.map((id) => counted(id, none));
        const checked = (headAgain: readonly number[]) =>
          autoCheck({ run: counted('head', errors), stored }, options, () => ({
            base: counted('base-again', none),
            head: counted('head-again', headAgain),
          }));
        const outcomes = ({ verdict }: AutoCheck) => verdict.cells.map(({ outcome }) => outcome);
        expect(checked(errors).suspects).toEqual(['scenario-0@peak']);
        const [first, ...others] = outcomes(checked(errors));
        expect(first).toBe('regression');
        expect(others.every((outcome) => outcome === 'pass' || outcome === 'coarse')).toBe(true);
        expect(outcomes(checked(none))).not.toContain('regression');
      }
    },
  );

  it('are red at once if there are many', () => {
    const head = counted('head', [500, 500, 500, 500]);
    const { screened } = autoCheck(
      { run: head, stored: ['a', 'b', 'c'].map((id) => counted(id, none)) },
      options,
      () => ({
        base: counted('base-again', none),
        head,
      }),
    );
    expect(screened.cells[0]?.outcome).toBe('regression');
  });
});
