import { describe, expect, it } from 'vitest';
import { wilson } from '../../stats/index.ts';
import { type Answer, answersOfPeers } from './answers.ts';
import { bothFolds, equalised, type Fold, type Scored } from './equal.ts';
import { type ClusteredAnswer, clusteredRate, independentAnswers, independentRate } from './rates.ts';
import { addTallies, tallyOf } from './tally.ts';

const z95 = 1.96;

function answer(isRed: boolean, more: Partial<Answer> = {}): Answer {
  return {
    rule: 'one',
    ofPair: false,
    score: isRed ? 2 : 0,
    isSuspect: false,
    outcome: isRed ? 'regression' : 'pass',
    minutes: 2,
    ...more,
  };
}

function clusters(...reds: readonly (readonly boolean[])[]): readonly ClusteredAnswer[] {
  return reds.flatMap((all, cluster) => all.map((isRed) => ({ ...answer(isRed), cluster: `${cluster}` })));
}

describe('a rate of clustered checks', () => {
  it('has Wilson’s interval of as many checks as there are clusters where all agree', () => {
    const six = Array.from({ length: 6 }, () => Array.from({ length: 10 }, () => false));
    const none = clusteredRate(clusters(...six));
    expect(none).toMatchObject({ rate: 0, low: 0 });
    expect(none.high).toBeCloseTo(z95 ** 2 / (6 + z95 ** 2), 10);
    const all = clusteredRate(clusters(...six.map((checks) => checks.map(() => true))));
    expect(all).toMatchObject({ rate: 1, high: 1 });
    expect(all.low).toBeCloseTo(1 - none.high, 10);
    expect(clusteredRate([])).toEqual({ rate: 0, low: 0, high: 1 });
  });

  it('is as wide as whole clusters differ, however many checks each has', () => {
    const [red, not] = [Array.from({ length: 50 }, () => true), Array.from({ length: 50 }, () => false)];
    const { rate, low, high } = clusteredRate(clusters(red, not, not, not));
    expect(rate).toBe(0.25);
    expect([low, high]).toEqual([0, 0.75]);
  });

  it('is never narrower than for as many independent checks as there are clusters', () => {
    const quarter = [true, false, false, false];
    const { rate, low, high } = clusteredRate(clusters(...Array.from({ length: 8 }, () => quarter)));
    expect(rate).toBe(0.25);
    expect({ low, high }).toEqual(wilson({ events: 2, trials: 8 }, z95));
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
  const [stored, beside] = ['perf-gate-stored', 'perf-gate-beside'];
  /** Checks of a peer with the given scores, and of our rule that measures alike, red or not. */
  function checks(scores: readonly number[], ownReds: number, ofPair = false): Scored[] {
    const own = ofPair ? beside : stored;
    return [
      ...scores.map((_, at) => ({ rule: own, ofPair, score: at < ownReds ? 2 : 0 })),
      ...scores.map((score) => ({ rule: 'peer', ofPair, score })),
    ];
  }
  const fold = {
    calibrating: { unchanged: checks([0.5, 1.5, 0.7, 0.4], 0), changed: checks([1.4, 1.7, 1.9, 1.2], 3) },
    testing: { unchanged: checks([0.6, 1.6, 0.4, 0.1], 1), changed: checks([1.55, 1.8, 1.2, 1.3], 2) },
  };
  const peerIn = (...folds: readonly Fold<Scored>[]) =>
    equalised(folds, independentRate).find(({ rule }) => rule === 'peer');
  /** The peer, calibrated by changed checks of which ours finds so many. */
  const calibratedBy = (scores: readonly number[], found: number) =>
    peerIn({ ...fold, calibrating: { ...fold.calibrating, changed: checks(scores, found) } });

  it('raise as many false alarms as ours in one half, and are tested on the other', () => {
    // None of the first half may alarm, so the limit is 1.5.
    expect(peerIn(fold)?.atFalseAlarms?.falseAlarms).toMatchObject({ rate: 0.25 });
    expect(peerIn(fold)?.atFalseAlarms?.power).toMatchObject({ rate: 0.5 });
  });

  it('find as many changes as ours in one half', () => {
    // Three of four have to be found, so the limit is just below 1.4.
    expect(peerIn(fold)?.atPower).toMatchObject({ falseAlarms: { rate: 0.25 }, power: { rate: 0.5 } });
  });

  it('fail no more than what ours fails where it finds every change', () => {
    // All four have to be found, so the limit is just below 1.2.
    const found = calibratedBy([1.4, 1.7, 1.9, 1.2], 4);
    expect(found?.atPower).toMatchObject({ falseAlarms: { rate: 0.25 }, power: { rate: 1 } });
  });

  it('find no change that makes head no worse, however many ours finds', () => {
    // The most sensitive limit is 0, just below 0.3.
    const found = calibratedBy([0, -0.2, 0.3, Number.NEGATIVE_INFINITY], 4);
    expect(found?.atPower).toMatchObject({ falseAlarms: { rate: 0.75 }, power: { rate: 1 } });
    expect(calibratedBy([0, 0, 0, 0], 4)?.atPower?.falseAlarms.rate).toBe(1);
  });

  it('find as nearly as many as ours as equal scores allow', () => {
    // Three of four have to be found: the limit is just below 1, which finds four, since 1 would find one.
    expect(calibratedBy([1, 1, 1, 1.7], 3)?.atPower).toMatchObject({ power: { rate: 1 } });
    // Two of four have to be found: the limit is just below 1.7, which finds one, since the next would find three.
    expect(calibratedBy([1, 1, 1.7, 0.2], 2)?.atPower).toMatchObject({ power: { rate: 0.25 } });
  });

  it('get a limit from as many checks as ours, if more of theirs were drawn', () => {
    const more: Scored = { rule: 'peer', ofPair: false, score: 9 };
    const calibrating = { ...fold.calibrating, unchanged: [...fold.calibrating.unchanged, more] };
    expect(peerIn({ ...fold, calibrating })).toEqual(peerIn(fold));
  });

  it('are counted over both halves, each with the limit of the other', () => {
    const both = peerIn(...bothFolds(fold.calibrating, fold.testing));
    const other = peerIn({ calibrating: fold.testing, testing: fold.calibrating });
    for (const figure of ['falseAlarms', 'power'] as const) {
      const halves = [peerIn(fold), other].map((one) => one?.atFalseAlarms?.[figure].rate ?? Number.NaN);
      expect(both?.atFalseAlarms?.[figure].rate).toBeCloseTo(halves.reduce((a, b) => a + b) / 2, 10);
    }
    expect(both?.asItIs.falseAlarms.rate).toBe(0.25);
  });

  it('come with what every rule does in the half that tests', () => {
    const [own, other] = equalised([fold], independentRate);
    expect(own).toMatchObject({
      rule: stored,
      asItIs: { falseAlarms: { rate: 0.25 }, power: { rate: 0.5 } },
    });
    expect(own?.atPower).toBeUndefined();
    expect(other?.asItIs.falseAlarms.rate).toBe(0.25);
    expect(other?.asItIs.falseAlarms.high).toBeGreaterThan(0.5);
  });

  it('are held against our rule that measures as they do', () => {
    const both = (unchanged: readonly Scored[], changed: readonly Scored[]) => ({
      unchanged: [...unchanged, ...checks([0.5, 1.5, 0.7, 0.4], 2, true)],
      changed: [...changed, ...checks([1.4, 1.7, 1.9, 1.2], 4, true)],
    });
    const apart = (all: readonly Scored[]) => all.filter(({ rule }) => rule !== 'peer');
    const found = peerIn({
      calibrating: both(apart(fold.calibrating.unchanged), apart(fold.calibrating.changed)),
      testing: both(apart(fold.testing.unchanged), apart(fold.testing.changed)),
    });
    // Two of four alarms, as ours next to base has; our rule for stored runs has none.
    expect(found?.atFalseAlarms?.falseAlarms.rate).toBe(0.5);
  });

  it('cannot be set without checks in both halves', () => {
    const empty = { unchanged: [], changed: [] };
    expect(equalised([{ ...fold, testing: empty }], independentRate)).toEqual([]);
  });
});

it('no peers, no work', () => {
  const unread = new Proxy({}, { get: () => expect.unreachable() }) as Parameters<typeof answersOfPeers>[0];
  expect(answersOfPeers(unread, [], { bootSeconds: 1, blockSeconds: 1 })).toEqual([]);
});
