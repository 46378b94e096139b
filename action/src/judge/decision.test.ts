import { describe, expect, it } from 'vitest';
import { decide, type Evidence, isSuspect, provedAloneScore, repeatedScore } from './decision.ts';

const evidence = (score: number, matters = true, beyondLimit = false): Evidence => ({
  score,
  matters,
  beyondLimit,
  held: true,
});
const again = (score: number, together: number, matters = true) => ({
  ...evidence(score),
  together: evidence(together, matters),
});

describe('a row', () => {
  it.each([
    [2.5, true, true],
    [2.3, true, false],
    [8, false, false],
    [-8, true, false],
  ])('with a score of %f that matters (%s) is suspect: %s', (score, matters, expected) => {
    expect(isSuspect(evidence(score, matters))).toBe(expected);
  });

  it.each([
    [2.3, true, 'not-worse'],
    [8, false, 'not-worse'],
    [2.5, true, 'undecided'],
    [4.1, true, 'undecided'],
    [4.3, true, 'worse'],
  ] as const)('measured once, with a score of %f that matters (%s), is %s', (score, matters, expected) => {
    expect(decide({ first: evidence(score, matters), spoiled: false, alone: provedAloneScore })).toBe(
      expected,
    );
  });

  it.each([
    [2.5, again(2, 3.7), 'worse'],
    [2.5, again(2, 3.5), 'not-worse'],
    [8, again(0.9, 8), 'not-worse'],
    [8, again(1.1, 3.7, false), 'not-worse'],
    // What only the second measurement finds, it has to prove alone.
    [0, again(4.1, 3.7), 'not-worse'],
    [0, again(4.3, 3.7), 'worse'],
  ] as const)('with a score of %f, then %j, is %s', (score, second, expected) => {
    expect(decide({ first: evidence(score), second, spoiled: false, alone: provedAloneScore })).toBe(
      expected,
    );
  });

  it('is undecided where a part that shows the speed of the machine contradicts what all of them prove', () => {
    const contradicted = { ...evidence(8), held: false };
    const alone = { spoiled: false, alone: provedAloneScore };
    expect(decide({ first: contradicted, ...alone })).toBe('undecided');
    expect(decide({ first: { ...contradicted, beyondLimit: true }, ...alone })).toBe('undecided');
    const second = { ...evidence(2), together: contradicted };
    expect(decide({ first: evidence(3), second, ...alone })).toBe('undecided');
    expect(decide({ first: evidence(0), second: { ...second, ...contradicted }, ...alone })).toBe(
      'not-worse',
    );
  });

  it('is worse after one measurement if that exceeds the whole limit beyond doubt, with however few blocks', () => {
    const first = evidence(3, true, true);
    expect(decide({ first, spoiled: false, alone: provedAloneScore })).toBe('worse');
    expect(decide({ first, spoiled: true, alone: provedAloneScore })).toBe('undecided');
  });

  it('can be proved by a second measurement that can clear nothing, but not by one that failed', () => {
    const decided = (first: number, second: ReturnType<typeof again>, spoiled = false) =>
      decide({ first: evidence(first), second, spoiled, open: true, alone: provedAloneScore });
    expect(decided(0, again(4.3, 3.7))).toBe('worse');
    expect(decided(0, again(4.3, 3.7), true)).toBe('not-worse');
    expect(decided(2.5, again(2, 3.7))).toBe('worse');
    expect(decided(2.5, again(0.9, 2))).toBe('undecided');
  });

  it('needs a second measurement that is suspect on its own where the first one only shows what head may hide', () => {
    const first = { ...evidence(8), held: false };
    const decided = (second?: ReturnType<typeof again>) =>
      decide({
        first,
        ...(second && { second }),
        spoiled: false,
        alone: provedAloneScore,
        repeated: repeatedScore.hidden,
      });
    expect(decided()).toBe('undecided');
    expect(decided(again(2.3, 6))).toBe('not-worse');
    expect(decided(again(2.5, 6))).toBe('worse');
  });

  it('stays undecided where the second measurement failed, however sure the first one was', () => {
    expect(decide({ first: evidence(8), spoiled: true, alone: provedAloneScore })).toBe('undecided');
    expect(decide({ first: evidence(2.3), spoiled: true, alone: provedAloneScore })).toBe('not-worse');
  });
});
