import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/fault.ts';
import { type Attempt, fullJitterMs, withBackOff } from './back-off.ts';

const bounds = { firstMs: 100, mostMs: 4_000 };
const gaveUp = (attempts: number, seconds: number) =>
  new Fault({
    code: 'E_X',
    kind: 'measurement',
    place: '',
    cause: `${attempts} in ${seconds} s`,
    nextStep: '',
  });

/** A clock whose time passes by waiting only. */
function fakeMeans(random: () => number) {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    random,
    signal: new AbortController().signal,
    clock: {
      now: () => new Date(now),
      monotonicMs: () => now,
      wait: async (ms: number) => {
        waits.push(ms);
        now += ms;
      },
    },
  };
}

describe('the wait', () => {
  it('doubles its bound up to a maximum', () => {
    const longest = [1, 2, 3, 6, 7, 60].map((failures) => fullJitterMs(bounds, failures, () => 1));
    expect(longest).toEqual([100, 200, 400, 3_200, 4_000, 4_000]);
  });

  it('lies anywhere below its bound', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, part) => {
          expect(fullJitterMs(bounds, failures, () => part)).toBeCloseTo(
            part * fullJitterMs(bounds, failures, () => 1),
          );
        },
      ),
    );
  });
});

describe('attempts', () => {
  const again = async (): Promise<Attempt<string>> => ({ kind: 'again', fault: gaveUp });

  it('continue until one is done', async () => {
    const means = fakeMeans(() => 0.5);
    let attempts = 0;
    const value = await withBackOff({ ...bounds, attempts: 9, withinMs: 1e9 }, means, async () =>
      ++attempts < 3 ? again() : { kind: 'done', value: 'yes' },
    );
    expect(value).toBe('yes');
    expect(means.waits).toEqual([50, 100]);
  });

  it.each([
    ['count', { attempts: 4, withinMs: 1e9 }, '4 in 0.7 s'],
    ['time', { attempts: 99, withinMs: 400 }, '3 in 0.3 s'],
  ])('end with the fault of the last one when their %s is used up', async (_, more, cause) => {
    await expect(
      withBackOff(
        { ...bounds, ...more },
        fakeMeans(() => 1),
        again,
      ),
    ).rejects.toMatchObject({
      details: { cause },
    });
  });
});
