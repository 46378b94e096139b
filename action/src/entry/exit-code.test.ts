import { describe, expect, it } from 'vitest';
import { failOnSchema } from '../model/fail-on.ts';
import type { Comparison, Outcome } from '../model/verdict.ts';
import { exitCodeOf, exitCodeOfMeasuring } from './exit-code.ts';

const compared: Comparison = { kind: 'stored', base: [], mismatches: [] };

function nothing(reason: Extract<Comparison, { kind: 'none' }>['reason']): Comparison {
  return { kind: 'none', reason, mismatches: [] };
}

/** The exit code for each outcome, in the order of the list below. */
const outcomes: readonly Outcome[] = ['pass', 'coarse', 'undecided', 'noise', 'regression', 'invalid'];
const codesOf = (failOn: string, comparison: Comparison = compared) =>
  outcomes.map((outcome) => exitCodeOf({ outcome, comparison }, failOnSchema.parse(failOn)));

describe('the exit code of a check', () => {
  it.each([
    ['never', [0, 0, 0, 0, 0, 0]],
    ['regression', [0, 0, 0, 0, 1, 0]],
    ['invalid', [0, 0, 0, 0, 0, 3]],
    ['noise', [0, 0, 0, 4, 0, 0]],
    ['undecided', [0, 0, 4, 0, 0, 0]],
    ['coarse', [0, 1, 0, 0, 0, 0]],
    ['not-compared', [0, 0, 0, 0, 0, 0]],
    ['regression, invalid', [0, 0, 0, 0, 1, 3]],
    ['regression,invalid,noise,undecided', [0, 0, 4, 4, 1, 3]],
    ['regression,invalid,noise,undecided,coarse,not-compared', [0, 1, 4, 4, 1, 3]],
  ])('with fail-on %s', (failOn, codes) => {
    expect(codesOf(failOn)).toEqual(codes);
  });

  it.each(['no-baseline', 'not-comparable'] as const)('is 1 for %s, if that is listed', (reason) => {
    const passing = { outcome: 'pass', comparison: nothing(reason) } as const;
    expect(exitCodeOf(passing, failOnSchema.parse('regression, invalid'))).toBe(0);
    expect(exitCodeOf(passing, failOnSchema.parse('not-compared'))).toBe(1);
    // The outcome says more than that nothing was compared.
    expect(codesOf('undecided, invalid, not-compared', nothing(reason))).toEqual([1, 1, 4, 1, 1, 3]);
  });

  it('is 0 where no comparison was asked for', () => {
    expect(codesOf('not-compared', nothing('not-asked'))).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('the exit code of what is only measured', () => {
  const codes = (failOn?: string) =>
    outcomes.map((outcome) =>
      exitCodeOfMeasuring(
        { outcome, comparison: nothing('no-baseline') },
        failOn === undefined ? undefined : failOnSchema.parse(failOn),
      ),
    );

  it('distinguishes noise from a broken measurement, and nothing else', () => {
    expect(codes()).toEqual([0, 0, 0, 4, 0, 3]);
  });

  it('counts an invalid or disturbed run, which is not stored, unless neither is in the list', () => {
    expect(codes('regression, invalid, coarse, undecided, not-compared')).toEqual([0, 0, 0, 4, 0, 3]);
    expect(codes('noise')).toEqual([0, 0, 0, 4, 0, 3]);
    expect(codes('never')).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
