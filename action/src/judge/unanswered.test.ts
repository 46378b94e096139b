import { describe, expect, it } from 'vitest';
import {
  runOfTps as run,
  runOf,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
} from '../../test/simulation/simulated-run.ts';
import { invalidReason } from '../model/invalid-reason.ts';
import type { Block, InvalidReason, Run } from '../model/run.ts';
import { type Verdict, verdictSchema } from '../model/verdict.ts';
import { isSettled, suspectCells, worseCells } from './confirm.ts';
import { judge } from './judge.ts';
import { judgeMeasurements, type Measurements } from './measurements.ts';
import { withWaivers } from './waivers.ts';

const context = {
  options: { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 2) },
  createdAt: '2026-01-01T00:20:00Z',
  seconds: 600,
};
const stored = ['a', 'b', 'c', 'd'].map((id) => run(id, 500, 500));
const name = 'scenario-0@peak';

const allFailed = invalidReason('I_ALL_FAILED', { requests: 4990, firstError: 'status 503' });
const noSamples = invalidReason('I_NO_SAMPLES', { countedSeconds: 10, firstError: undefined });
const crashed = invalidReason('I_GENERATOR_END', { end: 'it crashed', firstError: undefined });
const stolen = invalidReason('I_STEAL', { share: 0.5, limit: 0.3 });
const generatorBusy = invalidReason('I_GENERATOR_CPU', { share: 0.9, limit: 0.8 });

/** A run of two cells, the first of which ends with a block that has the reasons. */
function breaking(id: string, ...reasons: readonly InvalidReason[]): Run {
  const [block, other, last] = blocks();
  return runOf(id, [
    simulatedCell(0, [block, other, { ...last, invalid: [...reasons] }]),
    simulatedCell(1, blocks()),
  ]);
}

/** The first cell is slower, and the second one falls silent. */
function slowFirst(): Run {
  const slow = [0, 1, 2].map((round) => simulatedBlock(round, 300 + round, 330));
  const [block, other, last] = blocks();
  return runOf('head', [
    simulatedCell(0, slow),
    simulatedCell(1, [block, other, { ...last, invalid: [noSamples] }]),
  ]);
}

/** A base that answers that many requests of the last round, and fails the others. */
function baseWithSuccesses(successes: number): Run {
  const [block, other, last] = blocks();
  const errors = last.requests - successes;
  return runOf('base', [simulatedCell(0, [block, other, { ...last, errors }])]);
}

function blocks(): readonly [Block, Block, Block] {
  return [simulatedBlock(0, 495, 200), simulatedBlock(1, 500, 200), simulatedBlock(2, 505, 200)];
}

function judged(measured: Omit<Measurements, 'stored'>): Verdict {
  const verdict = judgeMeasurements({ stored, ...measured }, context);
  expect(() => verdictSchema.parse(verdict)).not.toThrow();
  return verdict;
}

function codesOf({ cells }: Verdict): readonly string[] {
  return cells[0]?.invalid.map(({ code }) => code) ?? [];
}

describe('a head that no longer answers', () => {
  it.each([
    ['fails every request', allFailed],
    ['answers none', noSamples],
  ])('is measured again if it %s, and regressed if it does so next to a base that answers', (_, reason) => {
    const first = judged({ run: breaking('head', reason) });
    expect(first.outcome).toBe('invalid');
    expect(suspectCells(first)).toEqual([name]);
    const verdict = judged({
      run: breaking('head', reason),
      again: { base: run('base', 500), head: breaking('again', reason) },
    });
    expect(verdict.outcome).toBe('regression');
    expect(verdict.cells[0]).toMatchObject({ outcome: 'regression', invalid: [], unanswered: reason });
    expect(verdict.cells[1]?.unanswered).toBeUndefined();
    expect(verdict.comparison).toMatchObject({ confirmed: { cells: [{ name, outcome: 'regression' }] } });
    expect(verdict.comparison).not.toHaveProperty('confirmed.spoiled');
    expect(worseCells(verdict)).toEqual([]);
  });

  it('may fall silent in another cell in the second measurement', () => {
    const [slow, silent] = [slowFirst(), breaking('again', noSamples)];
    expect(suspectCells(judged({ run: slow }))).toEqual([name, 'scenario-1@peak']);
    const verdict = judged({ run: slow, again: { base: run('base', 500, 500), head: silent } });
    expect(verdict.outcome).toBe('regression');
    expect(verdict.cells[0]).toMatchObject({ outcome: 'regression', unanswered: noSamples });
    expect(verdict.cells[1]).toMatchObject({ outcome: 'invalid' });
    expect(verdict.cells[1]?.unanswered).toBeUndefined();
  });

  it('is not proved by the second measurement alone', () => {
    const slow = run('head', 300, 500);
    const again = { base: run('base', 500), head: breaking('again', noSamples) };
    const verdict = judged({ run: slow, again });
    expect(verdict.cells[0]?.unanswered).toBeUndefined();
    expect(verdict.outcome).toBe('undecided');
  });

  it('needs all rounds to do so again, and stays invalid if it does not', () => {
    const verdict = judged({
      run: breaking('head', noSamples),
      again: { base: run('base', 500), head: run('again', 500) },
    });
    expect(verdict.outcome).toBe('invalid');
    expect(codesOf(verdict)).toEqual(['I_NO_SAMPLES']);
    expect(isSettled(verdict)).toBe(false);
  });

  it.each([
    ['fails as well', breaking('base', allFailed)],
    ['has no block of that round', runOf('base', [simulatedCell(0, blocks().slice(0, 2))])],
    ['answers only nine requests of that round', baseWithSuccesses(9)],
  ])('is not proved by a base that %s', (_, base) => {
    const again = { base, head: breaking('again', allFailed) };
    const verdict = judged({ run: breaking('head', allFailed), again });
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.cells[0]?.unanswered).toBeUndefined();
  });

  it.each([
    ['answers ten requests of that round', baseWithSuccesses(10)],
    ['others only disturbed', breaking('base', stolen)],
  ])('is proved by a base that %s', (_, base) => {
    const again = { base, head: breaking('again', allFailed) };
    expect(judged({ run: breaking('head', allFailed), again }).outcome).toBe('regression');
  });

  it.each([
    ['by others', stolen],
    ['by its generator', generatorBusy],
  ])('is not proved by a block that was also disturbed %s', (_, reason) => {
    const again = { base: run('base', 500), head: breaking('again', allFailed, reason) };
    expect(judged({ run: breaking('head', allFailed), again }).outcome).toBe('invalid');
  });

  it('is not suspected where the generator did not finish, or where base did not answer either', () => {
    expect(suspectCells(judged({ run: breaking('head', crashed, noSamples) }))).toEqual([]);
    const both = judge({
      run: breaking('head', allFailed),
      base: { kind: 'side-by-side', run: breaking('base', allFailed) },
      ...context,
    });
    expect(both.outcome).toBe('invalid');
    expect(suspectCells(both)).toEqual([]);
  });

  it.each([
    ['answers from the start', run('base', 500, 500)],
    ['answers, and others disturbed it', breaking('base', stolen)],
  ])('is suspected next to a base that %s', (_, base) => {
    const beside = judge({
      run: breaking('head', allFailed),
      base: { kind: 'side-by-side', run: base },
      ...context,
    });
    expect(suspectCells(beside)).toEqual([name]);
  });

  it('stays a regression when what else failed is accepted', () => {
    const again = { base: run('base', 500), head: breaking('again', noSamples) };
    const verdict = judged({ run: slowFirst(), again });
    const waivers = (verdict.cells[0]?.metrics ?? []).map(({ metric }) => ({
      ...{ cell: name, metric, ceiling: null, until: '2026-12-31', reason: 'known' },
    }));
    const waived = withWaivers(verdict, waivers);
    expect(waived.accepted).not.toBeUndefined();
    expect(waived.cells[0]?.outcome).toBe('regression');
    expect(waived.outcome).toBe('regression');
  });
});
