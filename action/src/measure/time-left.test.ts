import { describe, expect, it } from 'vitest';
import { timeLeft } from './time-left.ts';

const nothing = { loadSeconds: 0, wallSeconds: 0 };

describe('timeLeft', () => {
  it('guesses before a block is over', () => {
    expect(timeLeft({ loadSeconds: 100, finished: nothing, block: nothing })).toEqual({
      done: 0,
      secondsLeft: 130,
    });
  });

  it('expects that a long block takes hardly longer than its load', () => {
    const block = { loadSeconds: 2000, wallSeconds: 200 };
    expect(timeLeft({ loadSeconds: 2000, finished: nothing, block })).toEqual({
      done: 0.1,
      secondsLeft: expect.closeTo(1803),
    });
  });

  it('goes on within a long block', () => {
    const finished = { loadSeconds: 20, wallSeconds: 22 };
    const at = (wallSeconds: number) =>
      timeLeft({ loadSeconds: 100, finished, block: { loadSeconds: 60, wallSeconds } });
    expect(at(0)).toEqual({ done: 0.2, secondsLeft: expect.closeTo(88) });
    expect(at(30)).toEqual({ done: 0.5, secondsLeft: expect.closeTo(58) });
    expect(at(66)).toEqual({ done: 0.8, secondsLeft: expect.closeTo(22) });
  });

  it('is never below nothing, nor above all', () => {
    const finished = { loadSeconds: 100, wallSeconds: 110 };
    expect(timeLeft({ loadSeconds: 100, finished, block: { loadSeconds: 10, wallSeconds: 30 } })).toEqual({
      done: 1,
      secondsLeft: 0,
    });
  });
});
