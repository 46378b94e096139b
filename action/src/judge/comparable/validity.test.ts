import { describe, expect, it } from 'vitest';
import {
  runOf,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
} from '../../../test/simulation/simulated-run.ts';
import { invalidReason } from '../../model/invalid-reason.ts';
import { type Cell, cleanBlocks, type InvalidReason } from '../../model/run.ts';
import { verdictSchema } from '../../model/verdict.ts';
import { judge } from '../judge.ts';
import { judgeMeasurements } from '../measurements.ts';
import { cellInvalidity, endpointsFailingInBase, isTrusted, judgedCell } from './validity.ts';

/** Requests and errors by endpoint. */
type Answers = Readonly<Record<string, readonly [requests: number, errors: number]>>;

function cellOf(answers: Answers, tps = 500, invalid: readonly InvalidReason[] = [], index = 0): Cell {
  const block = simulatedBlock(0, tps, 100_000 / tps);
  const { latency } = block;
  const endpoints = Object.entries(answers).map(([name, [requests, errors]]) => ({
    name,
    requests,
    errors,
    latency,
  }));
  const errors = endpoints.reduce((sum, one) => sum + one.errors, 0);
  return simulatedCell(
    index,
    [0, 1, 2, 3].map((round) => ({ ...block, round, endpoints, errors, invalid: [...invalid] })),
  );
}

const answered: Answers = { list: [900, 0], export: [100, 0] };
const refused: Answers = { list: [900, 0], export: [100, 100] };

const stolen = invalidReason('I_STEAL', { share: 0.5, limit: 0.3 });
const busy = invalidReason('I_GENERATOR_CPU', { share: 0.5, limit: 0.4 });
const jumped = invalidReason('I_CLOCK', { stepSeconds: 3600 });
const failed = invalidReason('I_ALL_FAILED', { requests: 100, firstError: undefined });

/** A cell of one block for each list of reasons; those with reasons are five times as slow. */
function blocksWith(...reasons: readonly (readonly InvalidReason[])[]): Cell {
  return simulatedCell(
    0,
    reasons.map((invalid, round) => ({
      ...simulatedBlock(round, invalid.length === 0 ? 500 : 100, 200),
      invalid: [...invalid],
    })),
  );
}

describe('a cell with disturbed blocks', () => {
  const rounds = (cell: Cell) => cell.blocks.map(({ round }) => round);

  it('has its clean blocks', () => {
    expect(rounds({ ...blocksWith(), blocks: cleanBlocks(blocksWith([], [stolen], [failed], [])) })).toEqual([
      0, 3,
    ]);
  });

  it.each([
    ['nothing is wrong', [[], [], []], []],
    ['one of three is disturbed', [[], [stolen], []], []],
    ['two of four are', [[], [stolen, busy], [], [jumped]], []],
    ['one clean block is left', [[], [stolen], [jumped]], ['I_STEAL', 'I_CLOCK']],
    ['none is left', [[stolen], [stolen]], ['I_STEAL']],
    ['one block is broken', [[], [stolen], [], [failed]], ['I_ALL_FAILED']],
    ['a disturbed block is broken too', [[], [], [stolen, failed]], ['I_ALL_FAILED']],
  ] satisfies [string, InvalidReason[][], string[]][])('where %s', (_, reasons, expected) => {
    expect(cellInvalidity(blocksWith(...reasons)).map(({ code }) => code)).toEqual(expected);
  });

  it('is judged on its clean blocks if two are left, and otherwise keeps them all for the report', () => {
    expect(rounds(judgedCell(blocksWith([], [stolen], [])))).toEqual([0, 2]);
    expect(rounds(judgedCell(blocksWith([], [stolen])))).toEqual([0, 1]);
    expect(rounds(judgedCell(blocksWith([], [], [failed])))).toEqual([0, 1, 2]);
  });

  it('gets the verdict of its clean blocks, with a base that has disturbed blocks too', () => {
    const [steady, disturbed] = [blocksWith([], [], []), blocksWith([], [stolen], [])];
    const stored = ['a', 'b', 'c'].map((id) => runOf(id, [disturbed]));
    expect(stored.every(isTrusted)).toBe(true);
    const when = { createdAt: '2026-01-01T00:00:00Z', seconds: 1 };
    const options = { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 1) };
    const verdictOf = (cell: Cell, baseCell: Cell) =>
      judge({
        run: runOf('head', [cell]),
        base: { kind: 'stored', runs: stored.map((run) => ({ ...run, cells: [baseCell] })) },
        options,
        ...when,
      }).cells[0];
    const found = verdictOf(disturbed, disturbed);
    expect(found?.head).toMatchObject({ blocks: 2, tps: expect.closeTo(500, 6) });
    const tps = found?.metrics.find(({ metric }) => metric === 'tps');
    expect(tps?.base).toBeCloseTo(500, 6);
    expect(verdictOf(steady, disturbed)?.metrics.map(({ outcome }) => outcome)).not.toContain('regression');
  });
});

describe('endpointsFailingInBase', () => {
  it('are those that head answers and base fails for the most part', () => {
    expect(endpointsFailingInBase(cellOf(refused), cellOf(answered))).toEqual(['export']);
    expect(endpointsFailingInBase(cellOf({ list: [900, 0], export: [100, 40] }), cellOf(answered))).toEqual(
      [],
    );
  });

  it('are none where head fails them too, nor where base was never asked', () => {
    expect(endpointsFailingInBase(cellOf(refused), cellOf(refused))).toEqual([]);
    expect(endpointsFailingInBase(cellOf({ list: [900, 0] }), cellOf(answered))).toEqual([]);
  });
});

describe('a cell whose base does not have what head is asked for', () => {
  const when = { createdAt: '2026-01-01T00:00:00Z', seconds: 1 };
  const options = { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 2) };
  const judged = (base: readonly Cell[], head: readonly Cell[]) =>
    judge({
      run: runOf('head', head),
      base: { kind: 'side-by-side', run: runOf('base', base) },
      options,
      ...when,
    });
  const calm = (index: number) => cellOf({ list: [1000, 0] }, 500, [], index);

  it('is measured and not compared: a base that refuses is quick', () => {
    const verdict = judged([cellOf(refused, 900), calm(1)], [cellOf(answered, 500), calm(1)]);
    expect(() => verdictSchema.parse(verdict)).not.toThrow();
    expect(verdict.cells[0]).toMatchObject({ outcome: 'pass', metrics: [], head: { blocks: 4 } });
    expect(verdict.cells[1]?.metrics).not.toEqual([]);
    expect(verdict.comparison).toMatchObject({
      beyondBase: [{ cell: 'scenario-0@peak', endpoints: ['export'] }],
    });
    expect(verdict.outcome).toBe('undecided');
  });

  it('is so for a scenario of which base fails everything', () => {
    const reason = { code: 'I_ALL_FAILED', cause: 'all 100 requests failed', nextStep: 'read its log' };
    const base = cellOf({ export: [100, 100] }, 900, [reason]);
    const verdict = judged([base, calm(1)], [cellOf({ export: [100, 0] }), calm(1)]);
    expect(verdict.cells[0]).toMatchObject({ outcome: 'pass', metrics: [], invalid: [] });
    expect(verdict.outcome).toBe('undecided');
  });

  it('does not hide what another cell proves, nor what makes head invalid', () => {
    const slow = cellOf({ list: [1000, 0] }, 200, [], 1);
    expect(judged([cellOf(refused), calm(1)], [cellOf(answered), slow]).outcome).toBe('regression');
    const reason = { code: 'I_EXCEPTIONS', cause: 'threw', nextStep: 'mend' };
    const broken = cellOf(answered, 500, [reason]);
    expect(judged([cellOf(refused), calm(1)], [broken, calm(1)]).cells[0]?.outcome).toBe('invalid');
    const stolen = { code: 'I_STEAL', cause: 'stolen', nextStep: 'again' };
    const disturbed = judged([cellOf(refused), calm(1)], [cellOf(answered, 500, [stolen]), calm(1)]);
    expect(disturbed.cells[0]?.outcome).toBe('noise');
    expect(disturbed.outcome).toBe('noise');
  });

  it('clears no suspicion as a confirmation', () => {
    const stored = ['a', 'b', 'c', 'd'].map((id) => runOf(id, [cellOf(answered), calm(1)]));
    const head = runOf('head', [cellOf(answered, 200), calm(1)]);
    const looks = (base: Answers) => ({
      run: head,
      stored,
      again: {
        base: runOf('base', [cellOf(base, 200), calm(1)]),
        head: runOf('head-2', [cellOf(answered, 200), calm(1)]),
      },
    });
    const outcomeOf = (base: Answers) => judgeMeasurements(looks(base), { options, ...when }).outcome;
    expect(judgeMeasurements({ run: head, stored }, { options, ...when }).outcome).toBe('regression');
    expect(outcomeOf(refused)).toBe('undecided');
    expect(['pass', 'coarse']).toContain(outcomeOf(answered));
  });
});
