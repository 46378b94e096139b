import { describe, expect, it } from 'vitest';
import {
  runOf,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
} from '../../../test/simulation/simulated-run.ts';
import type { Cell } from '../../model/run.ts';
import { judge } from '../judge.ts';
import { judgeMeasurements } from '../measurements.ts';
import { mixReasons } from './mix.ts';

type Mix = Readonly<Record<string, number>>;

/** Four blocks with so many requests of each endpoint. */
function cellOf(mix: Mix, tps = 500, errors = 0): Cell {
  const block = simulatedBlock(0, tps, 100_000 / tps, errors);
  const { latency } = block;
  const endpoints = Object.entries(mix).map(([name, requests]) => ({ name, requests, errors: 0, latency }));
  return simulatedCell(
    0,
    [0, 1, 2, 3].map((round) => ({ ...block, round, endpoints })),
  );
}

const usual = { login: 500, list: 2500, edit: 1800, report: 200 };
const codes = (base: Mix, head: Mix) => mixReasons(cellOf(base), cellOf(head)).map(({ code }) => code);

describe('mixReasons', () => {
  it('are none where the mix is the same, or as good as', () => {
    expect(codes(usual, usual)).toEqual([]);
    expect(codes(usual, { login: 520, list: 2440, edit: 1830, report: 230 })).toEqual([]);
  });

  it('are none for how many requests there are', () => {
    const half = Object.fromEntries(Object.entries(usual).map(([name, count]) => [name, count / 2]));
    expect(codes(usual, half)).toEqual([]);
  });

  it('name an endpoint of base that head never reached', () => {
    const [reason, ...more] = mixReasons(cellOf(usual), cellOf({ login: 500, list: 2700, edit: 1800 }));
    expect(reason).toMatchObject({
      code: 'I_ENDPOINT_LOST',
      cause: "no request went to report (4.0% of base's requests)",
    });
    expect(more).toEqual([]);
  });

  it('name a share that moved by more than half of itself, or by five points', () => {
    expect(codes(usual, { ...usual, report: 80 })).toEqual(['I_MIX']);
    const [reason] = mixReasons(cellOf(usual), cellOf({ ...usual, edit: 1200 }));
    expect(reason?.cause).toContain('edit from 36.0% to 27.3%');
  });

  it('do not take few requests for a mix', () => {
    expect(codes({ login: 3, list: 5, rare: 1 }, { login: 3, list: 5 })).toEqual([]);
    expect(codes({}, usual)).toEqual([]);
    expect(codes(usual, {})).toEqual([]);
  });
});

describe('a cell with another mix than base', () => {
  const options = { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 1) };
  const when = { createdAt: '2026-01-01T00:00:00Z', seconds: 1 };
  const quick = { login: 500, list: 4500 };
  const stored = (newest: Mix) =>
    ['a', 'b', 'c', 'd'].map((id, index) => runOf(id, [cellOf(index === 3 ? newest : usual)]));
  const judged = (head: Cell, newest = usual as Mix) =>
    judge({ run: runOf('head', [head]), base: { kind: 'stored', runs: stored(newest) }, options, ...when });

  it('is not improved by what it no longer asks for: it is invalid', () => {
    const verdict = judged(cellOf(quick, 800));
    expect(verdict.outcome).toBe('invalid');
    expect(verdict.cells[0]).toMatchObject({ outcome: 'invalid', metrics: [] });
    expect(verdict.cells[0]?.invalid.map(({ code }) => code)).toEqual(['I_ENDPOINT_LOST', 'I_MIX']);
  });

  it('is a regression where it proves one', () => {
    expect(judged(cellOf(quick, 200)).outcome).toBe('regression');
    expect(judged(cellOf(quick, 500, 500)).outcome).toBe('regression');
  });

  it('is held to the newest run, so that a new baseline settles it', () => {
    expect(judged(cellOf(quick), quick).outcome).toBe('pass');
  });

  it('is no part of what all cells share', () => {
    const cells = (mix: Mix, tps: number) => [
      cellOf(mix, tps),
      { ...cellOf(mix, tps), scenario: 'scenario-1' },
    ];
    const runs = Array.from({ length: 10 }, (_, index) => runOf(`run-${index}`, cells(usual, 500)));
    const against = (mix: Mix) =>
      judge({
        run: runOf('head', cells(mix, 476)),
        base: { kind: 'stored', runs },
        options: { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 2) },
        ...when,
      });
    expect(
      against(usual)
        .groups.flatMap(({ metrics }) => metrics)
        .some(({ suspect }) => suspect),
    ).toBe(true);
    expect(against(quick)).toMatchObject({ outcome: 'invalid', groups: [] });
  });

  it('decides nothing as a second measurement', () => {
    const runs = ['a', 'b', 'c', 'd'].map((id) => runOf(id, [cellOf(usual)]));
    const run = runOf('head', [cellOf(usual, 400)]);
    const outcomeOf = (mix: Mix) => {
      const again = {
        base: runOf('base', [cellOf(usual, 400)]),
        head: runOf('again', [cellOf(mix, 400)]),
      };
      return judgeMeasurements({ run, stored: runs, again }, { options, ...when }).outcome;
    };
    expect(['pass', 'coarse']).toContain(outcomeOf(usual));
    expect(outcomeOf(quick)).toBe('undecided');
  });

  it('ignores the names that the gate itself gives: a dropped or cut-off request is an error, not another journey', () => {
    const dropping: Mix = { ...usual, '(dropped)': 400, '(cut off)': 300, '(preparation)': 500 };
    expect(mixReasons(cellOf(usual), cellOf(dropping))).toEqual([]);
    expect(mixReasons(cellOf(dropping), cellOf(usual))).toEqual([]);
  });
});
