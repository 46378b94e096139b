import { describe, expect, it } from 'vitest';
import { drawNormal } from '../../../test/simulation/simulated-run.ts';
import type { MeasuredBlock } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Block } from '../../model/run.ts';
import { createRandom, type Random } from '../../stats/random.ts';
import { sweepOf } from './found.ts';
import { bootOf, type SweepOptions, type SweepPort, type SweepTaken, sweep } from './sweep.ts';

const about = {
  id: 'run',
  startedAt: '2026-01-01T00:00:00Z',
  cell: 'browse@few',
  commit: '',
  machine: { cpuModel: 'simulated', cpuCount: 2, memoryGiB: 4 },
  figure: 'tps',
  tolerance: 0.05,
} as const;

function blockOf(tps: number, more: Partial<Block> = {}): MeasuredBlock {
  const meanMs = 10_000 / tps;
  return {
    block: {
      round: 0,
      startedAt: about.startedAt,
      countedSeconds: 4,
      requests: Math.round(4 * tps),
      errors: 0,
      iterations: Math.round(4 * tps),
      tps,
      latency: { meanMs, p50Ms: meanMs, p90Ms: meanMs, p95Ms: 2 * meanMs, p99Ms: meanMs, maxMs: meanMs },
      endpoints: [],
      usage: { service: { cpuShare: 0.6, rssBytes: 1 }, backing: { cpuShare: 0.2, rssBytes: 1 } },
      stealShare: 0.03,
      othersCpuShare: 0.02,
      ioWaitShare: 0,
      signals: {},
      invalid: [],
      ...more,
    },
  };
}

const optionsFor = (values: number, passes = 2): SweepOptions => ({
  variants: Array.from({ length: values }, (_, value) => ({ POOL: String(value) })),
  passes,
  seconds: 60 * values * passes,
  figure: 'tps',
  mostErrors: 0.01,
});

/** Sweeps a service whose blocks depend on the value alone, and notes the order of the boots. */
async function swept(
  options: SweepOptions,
  blocksOf: (value: number, boot: number) => readonly MeasuredBlock[],
  secondsPerBoot = 60,
) {
  const taken: SweepTaken[] = [];
  const order: number[] = [];
  const shares: number[] = [];
  const notes: string[] = [];
  const port: SweepPort = {
    measure: async ({ POOL }, { seconds }) => {
      order.push(Number(POOL));
      shares.push(Math.round(seconds));
      return blocksOf(Number(POOL), order.length);
    },
    note: (text) => notes.push(text),
    elapsed: () => secondsPerBoot * order.length,
  };
  const done = sweep(options, port, taken);
  return { done, taken, order, shares, notes };
}

const steady = (tps: number) => [blockOf(tps / 2), blockOf(tps), blockOf(tps)];

function fault(code: string, kind: 'usage' | 'measurement' = 'measurement'): Fault {
  return new Fault({ code, kind, place: 'service', cause: 'the service ended', nextStep: 'read its log' });
}

describe('a sweep', () => {
  it('boots each value once a pass, every second pass backwards', async () => {
    const { done, taken, order } = await swept(optionsFor(3), () => steady(100));
    await done;
    expect(order).toEqual([0, 1, 2, 2, 1, 0]);
    expect(sweepOf(about, taken)).toMatchObject({ differs: false, variants: [{}, {}, {}] });
  });

  it('tries hopeless values once, and spends the boots that this saves on the others', async () => {
    const tps = [50, 100, 99, 45, 98];
    const { done, taken, order, notes } = await swept(optionsFor(5), (value, boot) =>
      steady((tps[value] ?? 0) + (boot % 3) / 10),
    );
    await done;
    expect(order).toEqual([0, 1, 2, 3, 4, 4, 2, 1]);
    expect(notes).toEqual([
      'POOL=0 is not tried again: worse than the two best by more than 35%',
      'POOL=3 is not tried again: worse than the two best by more than 35%',
    ]);
    const found = sweepOf(about, taken);
    expect(found).toMatchObject({ best: 1, differs: true });
    expect(found.variants.map(({ hopeless }) => hopeless ?? false)).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
    const more = await swept(optionsFor(5, 3), (value) => steady(tps[value] ?? 0));
    await more.done;
    expect(more.taken.map(({ boots }) => boots.length)).toEqual([1, 4, 4, 1, 4]);
  });

  it('tries far worse values to the end if the question is how they compare', async () => {
    const tps = [50, 100, 190];
    const { done, order } = await swept({ ...optionsFor(3), keepsAll: true }, (value) =>
      steady(tps[value] ?? 0),
    );
    await done;
    expect(order).toEqual([0, 1, 2, 2, 1, 0]);
  });

  it('leaves out values with which the service does not boot or dies, and goes on', async () => {
    const { done, taken, order, notes } = await swept(optionsFor(4), (value, boot) => {
      if (value === 1) throw fault('E_SERVICE_BOOT');
      if (value === 3 && boot > 4) throw fault('E_SERVICE_DIED');
      return value === 0 ? [blockOf(0), blockOf(0)] : steady(100 - value);
    });
    await done.catch(() => undefined);
    expect(order).toEqual([0, 1, 2, 3, 3, 2]);
    expect(taken.map(({ ended }) => ended)).toEqual([
      'no request succeeded',
      'the service ended',
      undefined,
      'the service ended',
    ]);
    expect(notes[1]).toBe('POOL=1 is left out: the service ended');
  });

  it('is a fault if fewer than two values can be measured', async () => {
    const none = await swept(optionsFor(3), () => {
      throw fault('E_SERVICE_BOOT');
    });
    await expect(none.done).rejects.toThrow(
      /E_SWEEP_VALUES.*with none of 3 values[\s\S]*POOL=2: the service ended/,
    );
    expect(none.order).toEqual([0, 1, 2]);
    const one = await swept(optionsFor(3), (value) => {
      if (value > 0) throw fault('E_NOT_READY');
      return steady(100);
    });
    await expect(one.done).rejects.toThrow(/with only one of 3 values/);
    expect(one.order).toEqual([0, 1, 2]);
  });

  it.each([
    ['a full disk', fault('E_DISK_FULL')],
    ['a wrong script', fault('E_SCENARIO_SILENT', 'usage')],
    ['an interruption', new Error('interrupted')],
  ])('ends with %s, and keeps what it has', async (_, error) => {
    const { done, taken } = await swept(optionsFor(3), (_value, boot) => {
      if (boot > 5) throw error;
      return steady(100 + boot);
    });
    await expect(done).rejects.toBe(error);
    expect(taken.map(({ boots, ended }) => [boots.length, ended])).toEqual([
      [1, undefined],
      [2, undefined],
      [2, undefined],
    ]);
    const { best, variants } = sweepOf({ ...about, partial: 'interrupted' }, taken);
    expect([1, 2]).toContain(best);
    expect(variants.map(({ contrast }) => contrast !== undefined)).toEqual([false, true, true]);
  });

  it('never calls a value best whose requests fail more often', async () => {
    const { done, taken } = await swept(optionsFor(2), (value) =>
      value === 0 ? steady(100) : [300, 300, 300].map((tps) => blockOf(tps, { errors: 2 * tps })),
    );
    await done;
    expect(taken[1]).toMatchObject({ hopeless: true, ended: '50.0% of its requests failed' });
    expect(sweepOf(about, taken)).toMatchObject({ best: 0, differs: true });
  });

  it('compares nothing after one pass', async () => {
    const { done, taken } = await swept(optionsFor(3), (_, boot) => {
      if (boot > 3) throw new Error('interrupted');
      return steady(100);
    });
    await done.catch(() => undefined);
    expect(sweepOf(about, taken)).not.toHaveProperty('best');
  });

  it('shares the time that is left among the boots that are left, and starts no further pass without time', async () => {
    const { done, shares, order } = await swept(optionsFor(4), (value) => steady(value > 1 ? 10 : 100), 90);
    await done;
    expect(shares.slice(0, 3)).toEqual([60, 56, 50]);
    expect(order).toEqual([0, 1, 2, 3, 1, 0]);
  });
});

it('a boot counts blocks after the first, without those that something speaks against', () => {
  const disturbed = { invalid: [{ code: 'I_STEAL', cause: 'stolen', nextStep: 'again' }] } as Partial<Block>;
  const clean = bootOf([blockOf(10), blockOf(100), blockOf(900, disturbed)]);
  expect(clean?.tps).toBeCloseTo(100);
  expect(clean?.invalid).toEqual([]);
  const all = bootOf([blockOf(10), blockOf(100, disturbed)]);
  expect(all?.tps).toBeCloseTo(100);
  expect(all).toMatchObject({ invalid: ['stolen'] });
  expect(all?.usedCpu).toBeCloseTo(0.85);
  expect(bootOf([blockOf(10), blockOf(0)])).toBeUndefined();
});

describe('a boot whose service failed altogether in a block', () => {
  const failing = (...codes: readonly string[]): Partial<Block> => ({
    errors: 400,
    invalid: codes.map((code) => ({ code, cause: code, nextStep: '' })),
  });

  it.each([
    ['all requests failed', blockOf(100, failing('I_ALL_FAILED'))],
    ['and steps of the script were missing', blockOf(100, failing('I_ALL_FAILED', 'I_ENDPOINT_MISSING'))],
    ['passes threw', blockOf(100, failing('I_EXCEPTIONS', 'I_ALL_FAILED'))],
    ['no request was sent', blockOf(0, { ...failing('I_NO_SAMPLES'), errors: 0 })],
  ])('is not as good as one whose requests succeed: %s', (_, block) => {
    const boot = bootOf([blockOf(10), blockOf(100), block]);
    expect(boot?.errorRate).toBe(0.5);
    expect(boot?.tps).toBeCloseTo(100);
    expect(boot?.p95Ms).toBeCloseTo(200);
  });

  it('is not meant by steps of the script that are missing although nothing failed', () => {
    const missing = { ...failing('I_ENDPOINT_MISSING'), errors: 0 };
    const boot = bootOf([blockOf(10), blockOf(100), blockOf(900, missing)]);
    expect(boot?.tps).toBeCloseTo(100);
  });

  it('is measured by what succeeded, though something disturbed it', () => {
    const boot = bootOf([blockOf(10), blockOf(50, { ...failing('I_STEAL'), errors: 0 }), blockOf(0)]);
    expect(boot).toMatchObject({ errorRate: 0.5, invalid: ['I_STEAL'] });
    expect(boot?.tps).toBeCloseTo(50);
  });
});

it('a p95 that is longer by more than the tolerance is worse', () => {
  const taken = [100, 104.9, 105.1].map((p95Ms, value): SweepTaken => {
    const boot = { tps: 100, p95Ms, errorRate: 0, serviceCpu: 0.5, usedCpu: 0.8, invalid: [] };
    return { values: { POOL: String(value) }, boots: [boot, boot] };
  });
  const { variants } = sweepOf({ ...about, figure: 'p95' }, taken);
  expect(variants.map(({ contrast }) => contrast?.asGood)).toEqual([true, true, false]);
});

describe('in 200 simulated sweeps of ten values', () => {
  const sweeps = 200;

  /** 4% between boots, 7% between the two counted blocks of each, and a drift of 10% over the sweep. */
  async function simulate(random: Random, truth: readonly number[], noise = 1) {
    const { done, taken } = await swept(optionsFor(truth.length), (value, boot) => {
      const ofBoot = 0.04 * noise * drawNormal(random) - (0.1 * boot) / (2 * truth.length);
      return Array.from({ length: 3 }, () =>
        blockOf(500 * Math.exp((truth[value] ?? 0) + ofBoot + 0.07 * noise * drawNormal(random))),
      );
    });
    await done;
    return sweepOf(about, taken);
  }

  const surfaces = Array.from({ length: sweeps }, (_, index) =>
    Array.from({ length: 10 }, (_value, value) => -0.02 * (value - (index % 10)) ** 2),
  );

  it('finds the best, or one within the tolerance of it, in 95%', async () => {
    const random = createRandom(15);
    let right = 0;
    let asGood = 0;
    for (const [index, truth] of surfaces.entries()) {
      const { best = -1, variants } = await simulate(random, truth);
      if ((truth[best] ?? -1) >= Math.log1p(-about.tolerance)) right += 1;
      if (variants[index % 10]?.contrast?.asGood) asGood += 1;
    }
    expect(right / sweeps).toBeGreaterThanOrEqual(0.95);
    // It is neither left out nor called worse.
    expect(asGood).toBe(sweeps);
  });

  it('leaves out nothing that is as good in 99%, even with twice the noise', async () => {
    const random = createRandom(17);
    let wrong = 0;
    for (const truth of surfaces) {
      const { variants } = await simulate(random, truth, 2);
      if (variants.some(({ hopeless }, value) => hopeless && (truth[value] ?? -1) >= -0.02)) wrong += 1;
    }
    expect(wrong / sweeps).toBeLessThanOrEqual(0.01);
  });

  it('sees no effect where there is none in 95%', async () => {
    const random = createRandom(16);
    const flat = Array.from({ length: 10 }, () => 0);
    let alarms = 0;
    for (let index = 0; index < sweeps; index++) if ((await simulate(random, flat)).differs) alarms += 1;
    expect(alarms / sweeps).toBeLessThanOrEqual(0.05);
  });
});
