import { describe, expect, it } from 'vitest';
import { generatorLimit, invalidReasons, mayPass } from './block-validity.ts';
import type { ArrivalLoad, LoadResult } from './ports.ts';

const cell = { endpoints: ['login', 'list'], countedSeconds: 10 };
const limits = { generatorCpuShare: 0.4, stealShare: 0.1, othersCpuShare: 0.15 };
const calm = { generatorCpuShare: 0.2, stealShare: 0, othersCpuShare: 0.02, clockStepSeconds: 0 };
const passes = { iterations: 50, dropped: 0, passesInAll: 50, exceptions: 0 };
const silent = { ...passes, requests: 0, errors: 0, iterations: 0, passesInAll: 0, endpoints: [] };
const finished: LoadResult = { end: { kind: 'finished' }, exceptions: 0, errors: [] };
const latency = { meanMs: 1, p50Ms: 1, p90Ms: 1, p95Ms: 1, p99Ms: 1, maxMs: 1 };
const seen = (...names: string[]) => ({
  ...passes,
  requests: 100,
  errors: 0,
  endpoints: names.map((name) => ({ name, requests: 50, errors: 0, latency })),
});
const codes = (...args: Parameters<typeof invalidReasons>) => invalidReasons(...args).map(({ code }) => code);

describe('passes of an open loop', () => {
  const arrival = { perSecond: 100, vus: 20, seconds: 10 };
  const dropping = (ownSeconds: number) => ({
    ...seen('login', 'list'),
    passesInAll: 1000,
    dropped: 50,
    pass: { seconds: 1, ownSeconds },
  });
  const ofLoad = (load: ArrivalLoad, recording: ReturnType<typeof seen>) =>
    codes({ ...cell, arrival: load }, recording, finished, calm, limits);

  it('are no reason to distrust a block in which the service keeps the users waiting', () => {
    expect(ofLoad(arrival, dropping(0.19))).toEqual([]);
  });

  it('make it invalid if the users would be too few for a service that answers at once', () => {
    expect(ofLoad(arrival, dropping(0.2))).toEqual(['I_FEW_USERS']);
    const [reason] = invalidReasons({ ...cell, arrival }, dropping(0.4), finished, calm, limits);
    expect(reason?.cause).toContain('50.0% of the passes were dropped');
    expect(reason?.cause).toContain('20 users cannot begin 100.0 passes per second');
    expect(reason?.cause).toContain('take 0.40 s of a pass; this load needs about 100 users');
  });

  it('say nothing about pauses as long as none was dropped', () => {
    expect(ofLoad(arrival, { ...dropping(5), dropped: 0 })).toEqual([]);
  });

  const rising = [
    { seconds: 4, perSecond: 100 },
    { seconds: 0, perSecond: 50 },
    { seconds: 6, perSecond: 50 },
  ];

  it.each<[string, ArrivalLoad, number]>([
    ['of every user', { ...arrival, vus: 50, once: { capSeconds: 30 } }, 50],
    ['of nearly all passes of a rate', arrival, 989],
    ['of nearly all passes of a rate that changes', { ...arrival, stages: rising }, 494],
    ['of none that its time is too short for', { ...arrival, perSecond: 0.1 }, 0],
  ])('must be those %s, or the generator was too slow, which may pass', (_, load, enough) => {
    expect(ofLoad(load, { ...seen('login', 'list'), passesInAll: enough })).toEqual([]);
    if (enough === 0) return;
    const late = { ...seen('login', 'list'), passesInAll: enough - 1 };
    expect(ofLoad(load, late)).toEqual(['I_PASSES_MISSING']);
    expect(mayPass(invalidReasons({ ...cell, arrival: load }, late, finished, calm, limits))).toBe(true);
  });

  it('are not called late if the generator ended early', () => {
    const failed: LoadResult = {
      ...finished,
      end: { kind: 'failed', exitCode: 107, signal: null, meaning: 'the script threw an exception' },
    };
    expect(codes({ ...cell, arrival }, seen('login', 'list'), failed, calm, limits)).toEqual([
      'I_GENERATOR_END',
    ]);
  });
});

describe('invalidReasons', () => {
  it('has none for a block as it should be', () => {
    expect(codes(cell, seen('login', 'list'), finished, calm, limits)).toEqual([]);
  });

  it('takes missed thresholds of the script for what they are: good samples', () => {
    const result: LoadResult = {
      ...finished,
      end: { kind: 'thresholds-missed', metrics: ['http_req_duration'] },
    };
    expect(codes(cell, seen('login', 'list'), result, calm, limits)).toEqual([]);
  });

  it('does not believe exit 0 when every request was refused', () => {
    const refused = { ...seen('login', 'list'), errors: 100 };
    expect(codes(cell, refused, finished, calm, limits)).toEqual(['I_ALL_FAILED']);
  });

  it('does not believe exit 0 when most passes threw', () => {
    const result: LoadResult = { ...finished, exceptions: 200, errors: ['TypeError: x is undefined'] };
    const threw = { ...seen('login', 'list'), errors: 26, exceptions: 26 };
    expect(invalidReasons(cell, threw, result, calm, limits)).toMatchObject([
      {
        code: 'I_EXCEPTIONS',
        cause: 'the script threw 26 exceptions in 50 passes; first error: TypeError: x is undefined',
      },
    ]);
  });

  it('does not believe exit 0 when no pass got to its end', () => {
    const threw = { ...seen('login', 'list'), iterations: 0, exceptions: 1 };
    expect(codes(cell, threw, finished, calm, limits)).toEqual(['I_EXCEPTIONS']);
  });

  it('takes few exceptions for errors of the service', () => {
    const result: LoadResult = { ...finished, exceptions: 25, errors: ['TypeError: x is undefined'] };
    const threw = { ...seen('login', 'list'), errors: 25, exceptions: 25 };
    expect(codes(cell, threw, result, calm, limits)).toEqual([]);
  });

  it.each([
    ['forward', 3600],
    ['back', -0.4],
  ])(
    'concludes nothing from samples whose clock was set %s, except that they may be repeated',
    (way, step) => {
      const reasons = invalidReasons(cell, silent, finished, { ...calm, clockStepSeconds: step }, limits);
      expect(reasons.map(({ code }) => code)).toEqual(['I_CLOCK']);
      expect(reasons[0]?.cause).toBe(
        `the wall clock was set ${way} by ${Math.abs(step).toFixed(1)} s during the block`,
      );
      expect(mayPass(reasons)).toBe(true);
    },
  );

  it('does not mind a clock that is adjusted by little', () => {
    const adjusted = { ...calm, clockStepSeconds: -0.05 };
    expect(codes(cell, seen('login', 'list'), finished, adjusted, limits)).toEqual([]);
  });

  it('wants samples of every endpoint', () => {
    expect(invalidReasons(cell, seen('login'), finished, calm, limits)).toMatchObject([
      { code: 'I_ENDPOINT_MISSING', cause: 'no sample of list' },
    ]);
  });

  it('quotes the beginning of an error or a list that is long', () => {
    const long = 'x'.repeat(5_000);
    const threw: LoadResult = { ...finished, exceptions: 1, errors: [long] };
    const many = { ...cell, endpoints: Array.from({ length: 900 }, (_, index) => `endpoint-${index}`) };
    const causes = [
      ...invalidReasons(cell, { ...silent, exceptions: 1 }, threw, calm, limits),
      ...invalidReasons(many, seen('login'), finished, calm, limits),
    ].map(({ cause }) => cause);
    expect(causes).toHaveLength(3);
    for (const cause of causes) {
      expect(cause).toMatch(/: x{400}|no sample of endpoint-0, endpoint-1, /);
      expect(cause).toMatch(/…$/);
      expect(cause.length).toBeLessThan(1_000);
    }
  });

  it('wants samples at all', () => {
    expect(codes(cell, silent, finished, calm, limits)).toEqual(['I_NO_SAMPLES']);
    const stolen = { ...calm, stealShare: 0.9 };
    expect(codes(cell, silent, finished, stolen, limits)).toEqual(['I_NO_SAMPLES', 'I_STEAL']);
  });

  it('detects a killed generator', () => {
    const result: LoadResult = {
      ...finished,
      end: { kind: 'failed', exitCode: null, signal: 'SIGKILL', meaning: 'killed by SIGKILL' },
    };
    expect(codes(cell, seen('login', 'list'), result, calm, limits)).toEqual(['I_GENERATOR_END']);
  });

  it('detects a busy generator, a busy host and busy neighbours, which may pass', () => {
    const busy = { ...calm, generatorCpuShare: 0.5, stealShare: 0.3, othersCpuShare: 0.2 };
    const reasons = invalidReasons(cell, seen('login', 'list'), finished, busy, limits);
    expect(reasons.map(({ code }) => code)).toEqual(['I_GENERATOR_CPU', 'I_STEAL', 'I_OTHERS_CPU']);
    expect(mayPass(reasons)).toBe(true);
  });
});

it.each([
  [0.45, '45% of the CPU, above the limit of 40%'],
  [0.403, '40.3% of the CPU, above the limit of 40.0%'],
  [0.4004, '40.04% of the CPU, above the limit of 40.00%'],
])('does not round %s to the limit that it exceeds', (generatorCpuShare, said) => {
  const [reason] = invalidReasons(
    cell,
    seen('login', 'list'),
    finished,
    { ...calm, generatorCpuShare },
    limits,
  );
  expect(reason?.cause).toBe(`the load generator used ${said}`);
});

describe('mayPass', () => {
  it('is false for what would show again, and for nothing', () => {
    const reason = (code: string) => ({ code, cause: '', nextStep: '' });
    expect(mayPass([])).toBe(false);
    expect(mayPass([reason('I_STEAL'), reason('I_EXCEPTIONS')])).toBe(false);
  });
});

describe('generatorLimit', () => {
  it.each([
    ['shares all CPUs', undefined, 4, 0.4],
    ['has 1 of 4 for itself: 80% of it', 1, 4, 0.2],
    ['has half of them, which is more than the limit anyway', 4, 8, 0.4],
  ])('a generator that %s', (_, ownCpus, cpuCount, expected) => {
    expect(generatorLimit(limits, ownCpus, cpuCount)).toEqual({ ...limits, generatorCpuShare: expected });
  });
});
