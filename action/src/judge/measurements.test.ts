import { describe, expect, it } from 'vitest';
import { runOfTps as run, simulatedOptions, simulatedUsage } from '../../test/simulation/simulated-run.ts';
import type { Run } from '../model/run.ts';
import { verdictSchema } from '../model/verdict.ts';
import { suspectCells } from './confirm.ts';
import { incomparability, judgeMeasurements, type Measurements } from './measurements.ts';
import type { JudgeOptions } from './options.ts';

const commit = 'c0ffee'.padEnd(40, '0');

function baseRun(...tps: readonly number[]): Run {
  return { ...run('base', ...tps), code: { commit, branch: '', dirty: false } };
}

const stored = ['a', 'b', 'c', 'd'].map((id) => run(id, 500, 500));

function storedWith(difference: Partial<Run['fingerprint']>): readonly Run[] {
  return stored.map((one) => ({ ...one, fingerprint: { ...one.fingerprint, ...difference } }));
}

function verdictOn(looks: Measurements, more: Partial<JudgeOptions> = {}) {
  const options = { ...simulatedOptions, cells: simulatedOptions.cells.slice(0, 2), ...more };
  const verdict = judgeMeasurements(looks, { options, createdAt: '2026-01-01T00:30:00Z', seconds: 900 });
  expect(() => verdictSchema.parse(verdict)).not.toThrow();
  return verdict;
}

describe('the verdict on what was measured', () => {
  it('comes from the stored baseline without an interleaved base', () => {
    expect(verdictOn({ run: run('head', 300, 500), stored })).toMatchObject({
      outcome: 'regression',
      comparison: { kind: 'stored' },
    });
    expect(verdictOn({ run: run('head', 300, 500) }).comparison).toMatchObject({ reason: 'not-asked' });
  });

  it('comes from the interleaved base, and names the outcome of the stored baseline', () => {
    const slow = { run: run('head', 300, 500), base: baseRun(300, 500) };
    // Three blocks next to base see no less than 10%.
    expect(verdictOn(slow)).toMatchObject({
      outcome: 'coarse',
      comparison: { kind: 'side-by-side', baseCommit: commit },
    });
    expect(verdictOn(slow).comparison).not.toHaveProperty('stored');
    expect(verdictOn({ ...slow, stored }).comparison).toMatchObject({
      stored: { outcome: 'regression', regressed: ['scenario-0@peak'] },
    });
    expect(verdictOn({ ...slow, stored: [] }).comparison).toMatchObject({
      stored: { outcome: null, regressed: [] },
    });
  });

  it('lets the confirmation decide the cells that look worse', () => {
    const again = { base: baseRun(300), head: run('head-2', 300) };
    expect(verdictOn({ run: run('head', 300, 500), again, stored })).toMatchObject({
      outcome: 'coarse',
      comparison: {
        kind: 'stored',
        confirmed: { baseCommit: commit, cells: [{ name: 'scenario-0@peak', outcome: 'coarse' }] },
      },
      cells: [{ head: { tps: expect.closeTo(300, 0) } }, { head: { tps: expect.closeTo(500, 0) } }],
    });
  });

  it('asks a second look for nothing else, however much that measured', () => {
    // By its own figures the second cell became slower; the stored baseline has nothing against it.
    const again = { base: baseRun(300, 500), head: run('head-2', 300, 200) };
    const verdict = verdictOn({ run: run('head', 300, 500), again, stored });
    expect(verdict.cells[1]).toMatchObject({ outcome: 'pass', head: { tps: expect.closeTo(500, 0) } });
    const calm = verdictOn({ run: run('head', 500, 500), again, stored });
    expect(calm.comparison).not.toHaveProperty('confirmed');
    expect(calm.outcome).toBe('pass');
  });

  it('lets the second measurement replace stored runs that are no longer comparable when the report is judged', () => {
    const other = storedWith({ dataKey: 'other' });
    const again = { base: baseRun(500, 500), head: run('head-2', 300, 500) };
    const verdict = verdictOn({ run: run('head', 300, 500), again, stored: other });
    expect(verdict).toMatchObject({
      outcome: 'regression',
      comparison: { kind: 'side-by-side', baseCommit: commit, mismatches: expect.any(Array) },
    });
    expect(verdictOn({ run: run('head', 300, 500), stored: other }).outcome).toBe('undecided');
  });

  it('lets the base replace stored runs that the change made incomparable', () => {
    const base = baseRun(500, 500);
    expect(
      verdictOn({ run: run('head', 300, 500), base, stored: storedWith({ dataKey: 'other' }) }),
    ).toMatchObject({
      outcome: 'regression',
      runId: 'head',
      comparison: {
        kind: 'side-by-side',
        baseCommit: commit,
        mismatches: [{ runId: 'a' }, { runId: 'b' }, { runId: 'c' }, { runId: 'd' }],
      },
    });
    // Another machine is nobody's change: there the stored runs have just nothing to say.
    const elsewhere = storedWith({ cpuModel: 'other' });
    expect(verdictOn({ run: run('head', 300, 500), base, stored: elsewhere }).comparison).toEqual({
      kind: 'side-by-side',
      baseCommit: commit,
      stored: { outcome: null, regressed: [] },
    });
  });

  it('leaves out the stored runs before an accepted change', () => {
    const accepted = [{ cell: 'scenario-0@peak', metric: 'tps', reason: 'an index', by: 'mona' }];
    const slow = { ...run('e', 300, 500), accepted };
    const verdict = verdictOn({ run: run('head', 300, 500), stored: [...stored, slow, run('f', 300, 500)] });
    expect(verdict).toMatchObject({
      outcome: expect.stringMatching(/pass|coarse/),
      comparison: { kind: 'stored', base: [{ runId: 'e' }, { runId: 'f' }] },
    });
    expect(verdictOn({ run: run('head', 100, 500), stored: [...stored, slow] }).outcome).toBe('regression');
  });

  it.each([
    ['another machine', { cpuModel: 'other' }, []],
    ['other data, which say nothing about these', { dataKey: 'other' }, ['a', 'b', 'c', 'd']],
  ] as const)('leaves them out too where it was accepted on %s', (_, more, left) => {
    const accepted = [{ cell: 'scenario-0@peak', metric: 'tps', reason: 'an index', by: 'mona' }];
    const slow = run('e', 300, 500);
    const elsewhere = { ...slow, accepted, fingerprint: { ...slow.fingerprint, ...more } };
    const { comparison } = verdictOn({ run: run('head', 300, 500), stored: [...stored, elsewhere] });
    const compared = comparison.kind === 'stored' ? comparison.base.map(({ runId }) => runId) : [];
    expect(compared).toEqual(left);
    // Every run is either compared with, or has its reason.
    expect(comparison.mismatches).toHaveLength(5 - left.length);
  });

  it('is known to be beyond the stored runs before head takes load', () => {
    const head = run('head');
    expect(incomparability(head, storedWith({ dataKey: 'other' }))).toBe('other-checkout');
    expect(incomparability(head, [...storedWith({ dataKey: 'other' }), run('e')])).toBeUndefined();
    expect(incomparability(head, storedWith({ cpuModel: 'other' }))).toBe('other-machine');
    expect(incomparability(head, [])).toBe('no-baseline');
  });

  it('asks for no confirmation of a run that was too disturbed or broken to be judged', () => {
    for (const [code, outcome] of [
      ['I_STEAL', 'noise'],
      ['I_WARM_UP', 'invalid'],
    ] as const) {
      const reason = { code, cause: 'A cause.', nextStep: 'A step.' };
      const head = { ...run('head', 300, 500), invalid: [reason] };
      const screened = verdictOn({ run: head, stored });
      expect(screened.outcome).toBe(outcome);
      expect(suspectCells(screened)).toEqual([]);
    }
  });

  describe('where the job of a pull request measured the base commit', () => {
    const storedStands = { storedStands: true };
    const slow = run('head', 100, 500);

    it('keeps what the stored runs prove, however the second measurement came out', () => {
      const cleared = { base: baseRun(100), head: run('head-2', 100) };
      expect(verdictOn({ run: slow, again: cleared, stored }).outcome).toBe('coarse');
      const verdict = verdictOn({ run: slow, again: cleared, stored }, storedStands);
      expect(verdict).toMatchObject({ outcome: 'regression', comparison: { unconfirmed: true } });
      expect(verdict.cells).toEqual(verdictOn({ run: slow, stored }).cells);
      const broken = { code: 'I_WARM_UP', cause: 'A cause.', nextStep: 'A step.' };
      const spoiled = { base: { ...cleared.base, invalid: [broken] }, head: cleared.head };
      expect(verdictOn({ run: slow, again: spoiled, stored }, storedStands).outcome).toBe('regression');
    });

    it('counts the second measurement too if that confirms all of it', () => {
      const again = { base: baseRun(500), head: run('head-2', 100) };
      expect(verdictOn({ run: slow, again, stored }, storedStands).comparison).toMatchObject({
        kind: 'stored',
        confirmed: { cells: [{ outcome: 'regression' }] },
      });
    });

    it('keeps what they prove if the base was interleaved from the start', () => {
      const looks = { run: slow, base: baseRun(100, 500), stored };
      expect(verdictOn(looks).outcome).toBe('coarse');
      expect(verdictOn(looks, storedStands)).toMatchObject({
        outcome: 'regression',
        comparison: { kind: 'stored' },
      });
    });

    it('lets the second measurement clear what a change of the machine speed may explain', () => {
      /** All cells lost a quarter, on a machine that is so many times as fast. */
      const onMachine = (speed: number) => {
        const head = run('head', 375 * speed, 375 * speed);
        return {
          ...head,
          cells: head.cells.map((cell) => ({
            ...cell,
            blocks: cell.blocks.map((block) => ({ ...block, usage: simulatedUsage(block.tps / speed) })),
          })),
        };
      };
      const cleared = { base: baseRun(100, 100), head: run('head-2', 100, 100) };
      const confirmed = { base: baseRun(500, 500), head: run('head-2', 375, 375) };
      const [alone, clear, worse] = [undefined, cleared, confirmed].map((again) => (speed: number) => {
        const looks = { run: onMachine(speed), stored, ...(again && { again }) };
        return verdictOn(looks, storedStands).outcome;
      });
      expect([alone?.(1), clear?.(1), worse?.(1)]).toEqual(['regression', 'regression', 'regression']);
      expect([alone?.(3), clear?.(3), worse?.(3)]).toEqual(['undecided', 'coarse', 'regression']);
    });

    it('lets it clear a loss as large as that of the machine where nothing can be divided out', () => {
      const other = (speed: number, statements: number) => (one: Run) => ({
        ...one,
        cells: one.cells.map((cell) => ({
          ...cell,
          blocks: cell.blocks.map((block) => ({
            ...block,
            usage: simulatedUsage(block.tps / speed),
            signals: { ...block.signals, statements, received: 100 * statements },
          })),
        })),
      });
      const loss = (speed: number) => {
        // Other counts than before: nothing shows that the parts did the same work.
        const head = other(speed, 5)(run('head', 250, 250));
        const again = { base: baseRun(100, 100), head: run('head-2', 100, 100) };
        const verdict = verdictOn({ run: head, again, stored: stored.map(other(1, 6)) }, storedStands);
        return [verdict.cells[0]?.metrics.find(({ metric }) => metric === 'tps')?.yardstick, verdict.outcome];
      };
      expect(loss(1)).toEqual([[], 'regression']);
      expect(loss(0.5)).toEqual([[], 'coarse']);
    });

    it('lets the second measurement clear a suspicion', () => {
      const looks = {
        run: run('head', 500, 447),
        stored: stored.slice(0, 1),
        again: { base: baseRun(447, 447), head: run('head-2', 447, 447) },
      };
      expect(verdictOn({ run: looks.run, stored: looks.stored }).outcome).toBe('undecided');
      expect(verdictOn(looks, storedStands).outcome).toBe('coarse');
    });
  });

  it('leaves a suspect cell undecided that the confirmation left out', () => {
    const again = { base: baseRun(300), head: run('head-2', 300) };
    const verdict = verdictOn({ run: run('head', 300, 300), again, stored });
    expect(verdict.cells.map(({ outcome }) => outcome)).toEqual(['coarse', 'undecided']);
    expect(verdict.outcome).toBe('undecided');
  });
});
