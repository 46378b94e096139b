import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRun } from '../../../test/contract/run-builder.ts';
import type { Run } from '../../model/run.ts';
import { inHistoryOrder, withRun } from './retention.ts';

const unknown = new Map<string, number>();
const at = (number: number, commit: string): Run =>
  buildRun(number, { code: { commit, branch: 'main', dirty: false } });
const ids = (runs: readonly Run[]) => runs.map(({ id }) => id);

describe('the order of runs', () => {
  it('follows time if no commit is known', () => {
    expect(ids(inHistoryOrder([at(2, 'a'), at(1, 'b')], unknown))).toEqual(['run-1', 'run-2']);
  });

  it('puts no run before that of an ancestor, keeps unknown commits in place, and loses no run', () => {
    const run = fc.record({ time: fc.nat(50), commit: fc.constantFrom('a', 'b', 'c', 'd', 'x', 'y', '') });
    const ancestry = new Map([...'abcd'].map((commit, index) => [commit, index]));
    fc.assert(
      fc.property(fc.array(run), (made) => {
        const runs = made.map(({ time, commit }, index) => ({ ...at(time, commit), id: `${index}` }));
        const ordered = inHistoryOrder(runs, ancestry);
        const byTime = inHistoryOrder(runs, unknown);
        expect(ids(ordered).toSorted()).toEqual(ids(runs).toSorted());
        const positions = ordered.flatMap(({ code }) => ancestry.get(code.commit) ?? []);
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
        const unknownOnes = (all: readonly Run[]) =>
          all.map(({ id, code }) => (ancestry.has(code.commit) ? null : id));
        expect(unknownOnes(ordered)).toEqual(unknownOnes(byTime));
      }),
    );
  });
});

it('keeps the 24 most recently measured fingerprints', () => {
  const { fingerprint } = buildRun(0);
  const made = Array.from({ length: 30 }, (_, number) =>
    buildRun(number, { fingerprint: { ...fingerprint, loadHash: `${number}` } }),
  );
  const kept = made.reduce<Run[]>((runs, run) => withRun(runs, run, 20, unknown), []);
  expect(ids(kept)).toEqual(ids(made.slice(-24)));
});

it('keeps no run from before an accepted change longer than the run that it was accepted in', () => {
  const { fingerprint } = buildRun(0);
  const other = { fingerprint: { ...fingerprint, cpuModel: 'another' } };
  const accepted = [{ cell: '*', metric: 'p95', reason: 'an index', by: 'mona' }];
  const added = [buildRun(1, other), buildRun(2), buildRun(3, { accepted }), buildRun(4, other)];
  const kept = (more: readonly Run[]) =>
    ids([...added, ...more].reduce<Run[]>((runs, run) => withRun(runs, run, 2, unknown), []));
  expect(kept([buildRun(5)])).toEqual(['run-1', 'run-3', 'run-4', 'run-5']);
  expect(kept([buildRun(5), buildRun(6)])).toEqual(['run-4', 'run-5', 'run-6']);
  // Another suite has its own levels.
  const peak = buildRun(0, { suite: 'peak', fingerprint: { ...fingerprint, loadHash: 'peak' } });
  expect(ids(withRun([peak, ...added, buildRun(5)], buildRun(6), 2, unknown))).toContain('run-0');
});
