import { describe, expect, it } from 'vitest';
import { type Answer, answersOfPeers } from './answers.ts';
import { equalAnswers, equalised, halved } from './equal.ts';
import { type ClusteredAnswer, clusteredRate, independentAnswers } from './rates.ts';
import type { PlannedAnswers } from './run-job.ts';
import { addTallies, tallyOf } from './tally.ts';

function answer(isRed: boolean, more: Partial<Answer> = {}): Answer {
  return {
    rule: 'one',
    isRed,
    isSuspect: false,
    outcome: isRed ? 'regression' : 'pass',
    minutes: 2,
    ...more,
  };
}

function clusters(...reds: readonly (readonly boolean[])[]): readonly ClusteredAnswer[] {
  return reds.flatMap((all, cluster) => all.map((isRed) => ({ ...answer(isRed), cluster })));
}

describe('a rate of clustered checks', () => {
  it('has the bound of as many checks as there are clusters where all agree', () => {
    const six = Array.from({ length: 6 }, () => Array.from({ length: 10 }, () => false));
    expect(clusteredRate(clusters(...six))).toEqual({ rate: 0, low: 0, high: 1 - 0.05 ** (1 / 6) });
    expect(clusteredRate(clusters(...six.map((all) => all.map(() => true))))).toMatchObject({
      rate: 1,
      high: 1,
    });
    expect(clusteredRate([])).toEqual({ rate: 0, low: 0, high: 1 });
  });

  it('is as wide as whole clusters differ, however many checks each has', () => {
    const [red, not] = [Array.from({ length: 50 }, () => true), Array.from({ length: 50 }, () => false)];
    const { rate, low, high } = clusteredRate(clusters(red, not, not, not));
    expect(rate).toBe(0.25);
    expect([low, high]).toEqual([0, 0.75]);
    const mixed = Array.from({ length: 50 }, (_, at) => at % 4 === 0);
    const narrow = clusteredRate(clusters(...Array.from({ length: 60 }, () => mixed)));
    expect(narrow.high - narrow.low).toBeLessThan(0.01);
  });

  it('has no bound below that of clusters that all agree', () => {
    const [one, none] = [
      [true, false, false, false],
      [false, false, false, false],
    ];
    const { rate, high } = clusteredRate(clusters(one, none, none, none, none, none));
    expect(rate).toBeCloseTo(1 / 24, 10);
    expect(high).toBe(1 - 0.05 ** (1 / 6));
  });
});

describe('tallies', () => {
  it('of parts add up to that of the whole', () => {
    const all = [
      answer(true),
      answer(false),
      answer(false, { outcome: 'coarse', isSuspect: true }),
      answer(false, { rule: 'two' }),
    ];
    expect(addTallies([...tallyOf(all.slice(0, 2)), ...tallyOf(all.slice(2))])).toEqual(tallyOf(all));
  });

  it('become shares with Wilson’s interval', () => {
    const [tally] = tallyOf([...Array.from({ length: 99 }, () => answer(false)), answer(true)]);
    if (tally === undefined) throw new Error('nothing was counted');
    const { red, outcomes, minutes } = independentAnswers(tally);
    expect(red.rate).toBe(0.01);
    expect(red.low).toBeCloseTo(0.0018, 3);
    expect(red.high).toBeCloseTo(0.0545, 3);
    expect(outcomes).toEqual({ pass: 0.99, regression: 0.01 });
    expect(minutes).toBe(2);
  });
});

describe('peers with another limit', () => {
  /** A split whose halves have the given scores of a peer, and answers of ours. */
  function planned(scores: readonly number[], own: readonly boolean[]): readonly PlannedAnswers[] {
    return scores.map((score, at) => ({
      plan: { split: 0, half: at % 2 === 0 ? 0 : 1, head: at, history: [], cell: 0, seed: 0 },
      answers: [answer(own[at] ?? false, { rule: 'own' }), answer(score > 1, { rule: 'peer', score })],
      byThroughput: [],
    }));
  }

  it('raise as many false alarms as ours in one half, and are tested on the other', () => {
    const quiet = planned([0.5, 0.6, 1.5, 1.6, 0.7, 0.4], [false, false, false, false, false, false]);
    const loud = planned([1.4, 1.55, 1.7, 1.8, 1.9, 1.2], [true, true, true, true, true, false]);
    const [peer] = equalised(quiet, loud, 'own');
    // Limits 1.5 and 1.6: the other half's 1.6 is above the first. Of its changes, 1.55 and 1.8, then 1.7 and 1.9 are found.
    expect(peer?.atFalseAlarms.falseAlarms).toBeCloseTo((1 / 3 + 0) / 2, 10);
    expect(peer?.atFalseAlarms.power).toBeCloseTo((2 / 3 + 2 / 3) / 2, 10);
  });

  it('find as many changes as ours in one half', () => {
    const quiet = planned([0.5, 0.6, 1.5, 1.6], [false, false, false, false]);
    const loud = planned([1.4, 1.55, 1.7, 1.8], [true, true, true, true]);
    const [peer] = equalised(quiet, loud, 'own');
    expect(peer?.atPower).toEqual({ falseAlarms: 1, power: 1 });
  });
});

it('independent scores are halved in their order', () => {
  const unchanged = halved([0.1, 0.2, 0.3, 0.4, 0.15, 0.25, 0.35, 0.45]);
  const changed = halved([0.5, 0.6, 0.2, 0.7, 0.5, 0.1, 0.3, 0.9]);
  // None of the first four unchanged ones may alarm, so the limit is 0.4; of the changes, three of four have to be found.
  expect(equalAnswers({ unchanged, changed }, { unchanged: 0, changed: 0.75 })).toEqual({
    atFalseAlarms: { falseAlarms: 0.25, power: 0.5 },
    atPower: { falseAlarms: 0.75, power: 0.75 },
  });
});

it('no peers, no work', () => {
  const unread = new Proxy({}, { get: () => expect.unreachable() }) as Parameters<typeof answersOfPeers>[0];
  expect(answersOfPeers(unread, [], { bootSeconds: 1, blockSeconds: 1 })).toEqual([]);
});
