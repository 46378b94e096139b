import { describe, expect, it } from 'vitest';
import { waitUntilIdle, waitUntilQuiet } from './idle.ts';
import type { Clock } from './ports.ts';

const signal = new AbortController().signal;
const loaded = {
  usage: { service: { cpuShare: 0.5, rssBytes: 1 }, backing: { cpuShare: 0.3, rssBytes: 1 } },
};

/** A stack of two cores that keeps `cores(atMs)` busy, on a clock that only waiting moves. */
function simulated(cores: (atMs: number) => number) {
  let atMs = 0;
  let cpuSeconds = 0;
  const clock: Clock = {
    now: () => new Date(atMs),
    monotonicMs: () => atMs,
    wait: async (ms) => {
      cpuSeconds += (cores(atMs) * ms) / 1000;
      atMs += ms;
    },
  };
  const readUsage = () => ({
    service: { cpuSeconds: cpuSeconds / 4, rssBytes: 1 },
    backing: { cpuSeconds: (cpuSeconds * 3) / 4, rssBytes: 1 },
  });
  return { clock, service: { readUsage } };
}

const wait = (cores: (atMs: number) => number, former = loaded) => {
  const { clock, service } = simulated(cores);
  return waitUntilIdle(clock, service, former, 2, signal);
};

describe('waitUntilIdle', () => {
  it('reads the machine once if nothing is left to do', async () => {
    expect(await wait(() => 0.02)).toEqual({ idle: true, seconds: 0.25 });
  });

  it('waits for queries that nobody waits for any more', async () => {
    expect(await wait((atMs) => (atMs < 6_000 ? 1.8 : 0.02))).toEqual({ idle: true, seconds: 6.25 });
  });

  it('takes background work for what it is', async () => {
    expect(await wait(() => 0.38)).toMatchObject({ idle: true, seconds: 0.25 });
  });

  it('gives up on what does not end, and says so', async () => {
    expect(await wait(() => 1.5)).toEqual({ idle: false, seconds: 30 });
  });

  it('does not take a light load for a reason to wait', async () => {
    const light = {
      usage: { service: { cpuShare: 0.005, rssBytes: 1 }, backing: { cpuShare: 0.005, rssBytes: 1 } },
    };
    expect(await wait(() => 0.15, light)).toMatchObject({ idle: true, seconds: 0.25 });
  });
});

describe('waitUntilQuiet', () => {
  const limits = { othersCpuShare: 0.15, stealShare: 0.1 };
  /** A machine of two cores of which others use and the host takes so many. */
  const quiet = (cores: (atMs: number) => { busy: number; stolen: number }, secondsAtMost = 100) => {
    let [atMs, busySeconds, stolenSeconds] = [0, 0, 0];
    const clock: Clock = {
      now: () => new Date(atMs),
      monotonicMs: () => atMs,
      wait: async (ms) => {
        const { busy, stolen } = cores(atMs);
        busySeconds += (busy * ms) / 1000;
        stolenSeconds += (stolen * ms) / 1000;
        atMs += ms;
      },
    };
    const read = () => ({
      totalSeconds: (2 * atMs) / 1000,
      busySeconds,
      stolenSeconds,
      ioWaitSeconds: 0,
      load: 0,
    });
    return waitUntilQuiet(clock, { read }, limits, secondsAtMost, signal);
  };

  it('takes one look at a machine that is left alone', async () => {
    expect(await quiet(() => ({ busy: 0.2, stolen: 0.1 }))).toEqual({ idle: true, seconds: 1 });
  });

  it('waits for other programs, and for other guests of the host', async () => {
    const busy = await quiet((atMs) => ({ busy: atMs < 6_000 ? 0.4 : 0.1, stolen: 0 }));
    expect(busy).toEqual({ idle: true, seconds: 7 });
    const stolen = await quiet((atMs) => ({ busy: 0, stolen: atMs < 3_000 ? 0.5 : 0 }));
    expect(stolen).toEqual({ idle: true, seconds: 4 });
  });

  it('gives up on what does not end, and says so', async () => {
    expect(await quiet(() => ({ busy: 2, stolen: 0 }))).toEqual({ idle: false, seconds: 30 });
  });

  it('takes no more time than there is', async () => {
    expect(await quiet(() => ({ busy: 2, stolen: 0 }), 4.5)).toEqual({ idle: false, seconds: 4 });
    expect(await quiet(() => ({ busy: 0, stolen: 0 }), 0)).toEqual({ idle: false, seconds: 0 });
  });
});
