import { describe, expect, it } from 'vitest';
import {
  runOf,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
} from '../../test/simulation/simulated-run.ts';
import type { Cell, InvalidReason } from '../model/run.ts';
import { verdictSchema } from '../model/verdict.ts';
import { judge } from './judge.ts';
import { judgeMeasurements } from './measurements.ts';
import { endpointsFailingInBase } from './validity.ts';

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
      interleaved: {
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
