import { describe, expect, it } from 'vitest';
import { config } from '../../../test/fakes/simulated-service.ts';
import { type MeasuredBlock, type PlannedCell, planSuite } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Block } from '../../model/run.ts';
import type { StaircaseStep } from '../../model/staircase.ts';
import { createRandom } from '../../stats/random.ts';
import { limitingPart } from './limiting-part.ts';
import { climb, type StaircaseOptions, staircaseConfig, staircaseOf, staircaseSuite } from './staircase.ts';
import { usersAtTarget } from './target.ts';
import { readUsers, usualUsers } from './users.ts';

const machine = { cpuModel: 'simulated', cpuCount: 2, memoryGiB: 4 };
const about = {
  id: 'run',
  startedAt: '2026-01-01T00:00:00Z',
  scenario: 'browse',
  commit: 'a'.repeat(40),
  machine,
};

const block = (tps: number, meanMs: number, more: Partial<Block> = {}): MeasuredBlock => ({
  block: {
    round: 0,
    startedAt: '2026-01-01T00:00:00Z',
    countedSeconds: 4,
    requests: Math.round(4 * tps),
    errors: 0,
    iterations: Math.round(4 * tps),
    tps,
    latency: {
      meanMs,
      p50Ms: meanMs,
      p90Ms: meanMs,
      p95Ms: 2 * meanMs,
      p99Ms: 3 * meanMs,
      maxMs: 4 * meanMs,
    },
    endpoints: [],
    usage: { service: { cpuShare: 0.7, rssBytes: 1 }, backing: { cpuShare: 0.2, rssBytes: 1 } },
    stealShare: 0,
    othersCpuShare: 0,
    ioWaitShare: 0,
    signals: {},
    invalid: [],
    ...more,
  },
});

describe('climbing', () => {
  const cellsFor = (users: readonly number[]): readonly PlannedCell[] =>
    planSuite(staircaseConfig(config, 'browse', users), staircaseSuite, 'gate.yml').cells;

  /** A service whose throughput does not grow beyond 40 users, with a scatter. */
  async function climbed(users: readonly number[], more: Partial<StaircaseOptions> = {}, noise = 0.02) {
    const random = createRandom(7);
    let seconds = 60;
    const order: number[] = [];
    const notes: string[] = [];
    const into: MeasuredBlock[][] = [];
    const options = { users, precision: 0.05, seconds: 480, elapsed: () => seconds, all: false };
    await climb(
      cellsFor(users),
      { ...options, ...more },
      {
        take: async ({ vus }) => {
          seconds += 8;
          order.push(vus);
          const tps = 20 * Math.min(vus, 40) * (1 + noise * (2 * random() - 1));
          return block(tps, (1000 * vus) / tps);
        },
        note: (text) => notes.push(text),
      },
      into,
    );
    return { order, notes, into };
  }

  it('goes up, then down, and measures until throughput is known well enough', async () => {
    const { order, into, notes } = await climbed([10, 20, 40]);
    expect(order.slice(0, 9)).toEqual([10, 20, 40, 40, 20, 10, 10, 20, 40]);
    expect(into.map((blocks) => blocks.length)).toEqual([3, 3, 3]);
    expect(notes).toEqual([]);
  });

  it('ends where throughput no longer grows, unless all steps are wanted', async () => {
    const users = [10, 20, 40, 80, 160, 320, 640];
    const stopped = await climbed(users);
    expect(Math.max(...stopped.order)).toBe(160);
    expect(stopped.notes.join()).toContain('no longer grows');
    expect(Math.max(...(await climbed(users, { all: true, seconds: 900 })).order)).toBe(640);
  });

  it('keeps to its time, with what ends the stack and makes the page', async () => {
    const { order, notes } = await climbed([10, 20, 40], { seconds: 120 }, 0.3);
    // Blocks of 8 s from second 60 on, and 15 s for the end.
    expect(order).toHaveLength(5);
    expect(notes.join()).toContain('the time is over');
  });

  it('wants a scenario that exists', () => {
    expect(() => staircaseConfig(config, 'constructor', [1, 2])).toThrow(Fault);
  });

  it('turns blocks into steps, a law and a limit, and blocks with reasons against them count last', async () => {
    const users = [10, 20, 40, 80, 160];
    const { into } = await climbed(users);
    const spoiled = { code: 'I_STEAL', cause: 'stolen', nextStep: '' };
    into[0]?.push(block(1, 1, { invalid: [spoiled] }));
    const steps = into.map((blocks, index) => ({ users: users[index] ?? 0, blocks }));
    const result = staircaseOf(about, steps, 50);
    expect(result.steps.map((step) => step.users)).toEqual(users);
    expect(result.steps[0]?.tps.value).toBeGreaterThan(190);
    expect(result.steps[0]?.invalid).toEqual(['stolen']);
    expect(result.limit.part).toBe('serviceCpu');
    expect(result.fit?.knee.value).toBeGreaterThan(20);
    expect(result.fit?.knee.value).toBeLessThan(70);
    expect(result.target).toEqual({ p95Ms: 50, users: 10 });
  });
});

it('counts no failed request as throughput, so a service that only refuses is not the fastest', () => {
  const failing = (tps: number, share: number) =>
    block(tps, 3000, { errors: Math.round(4 * tps * share), requests: 4 * tps });
  const { steps, fit } = staircaseOf(
    about,
    [
      { users: 10, blocks: [block(100, 100), block(110, 91)] },
      { users: 50, blocks: [block(220, 227), block(220, 227)] },
      { users: 200, blocks: [failing(500, 0.6), failing(500, 0.6)] },
      { users: 1000, blocks: [failing(500, 1), failing(500, 1)] },
    ],
    undefined,
  );
  expect(steps.map(({ tps }) => Math.round(tps.value))).toEqual([105, 220, 200, 0]);
  expect(steps.at(-1)).toMatchObject({ errorRate: 1, tps: { value: 0, high: Number.POSITIVE_INFINITY } });
  expect(fit?.peak.value).toBeLessThan(250);
});

it('keeps a step in which nothing was answered, and says that its target does not hold', () => {
  const hung = { users: 400, blocks: [block(0, 0), block(0, 0)] };
  const answered = [10, 50, 200].map((users) => ({
    users,
    blocks: [block(10 * users, 5), block(10 * users, 5)],
  }));
  const { steps, target, limit } = staircaseOf(about, [...answered, hung], 500);
  expect(steps.at(-1)).toMatchObject({ users: 400, errorRate: 1, tps: { value: 0 } });
  expect(target).toEqual({ p95Ms: 500, users: 400 });
  expect(limit.part).not.toBe('none');
});

describe('a step of which some blocks failed altogether', () => {
  const reason = (code: string) => ({ code, cause: code, nextStep: '' });

  it.each([
    ['all requests failed', block(100, 1, { errors: 400, invalid: [reason('I_ALL_FAILED')] })],
    ['no request was sent', block(0, 0, { invalid: [reason('I_NO_SAMPLES')] })],
    [
      'passes threw, so later steps of the script were missing',
      block(100, 1, { errors: 400, invalid: [reason('I_EXCEPTIONS'), reason('I_ENDPOINT_MISSING')] }),
    ],
  ])('counts them: %s', (_, failing) => {
    const { steps } = staircaseOf(
      about,
      [{ users: 10, blocks: [block(100, 5), failing, block(100, 5), failing] }],
      undefined,
    );
    expect(steps[0]).toMatchObject({
      blocks: 4,
      errorRate: 0.5,
      tps: { value: 50, low: 0, high: Number.POSITIVE_INFINITY },
    });
  });

  it('has the response times of its requests, and none of a block without any', () => {
    const silent = block(0, 0, { invalid: [reason('I_NO_SAMPLES')] });
    const { steps } = staircaseOf(about, [{ users: 10, blocks: [block(100, 5), silent] }], undefined);
    expect(steps[0]?.meanMs).toBe(5);
    expect(steps[0]?.p95Ms.value).toBeCloseTo(10);
  });
});

it('leaves the intervals of the law open if a step has one block', () => {
  const steps = [10, 50, 200].map((users) => ({
    users,
    blocks: [block(10 * users, 5), block(11 * users, 5)],
  }));
  const last = { users: 400, blocks: [block(2500, 100)] };
  const open = { low: 0, high: Number.POSITIVE_INFINITY };
  expect(staircaseOf(about, [...steps, last], undefined).fit).toMatchObject({ knee: open, peak: open });
  expect(staircaseOf(about, steps, undefined).fit?.peak.high).toBeLessThan(10_000);
});

it('climbs on past blocks that cannot be trusted', async () => {
  const users = [10, 20, 40, 80, 160, 320];
  const cells = planSuite(staircaseConfig(config, 'browse', users), staircaseSuite, 'gate.yml').cells;
  const stolen = [{ code: 'I_STEAL', cause: 'stolen', nextStep: '' }];
  const order: number[] = [];
  await climb(
    cells,
    { users, precision: 0.05, seconds: 1000, elapsed: () => 0, all: false },
    {
      take: async ({ vus }) => {
        order.push(vus);
        return [40, 80].includes(vus) ? block(100, 10, { invalid: stolen }) : block(10 * vus, 10);
      },
      note: () => {},
    },
    [],
  );
  expect(order.slice(0, users.length)).toEqual(users);
});

it('stops climbing where every request fails, and says so', async () => {
  const [cell] = planSuite(staircaseConfig(config, 'browse', [1]), staircaseSuite, 'gate.yml').cells;
  if (cell === undefined) throw new Error('the plan has no cell');
  const into: MeasuredBlock[][] = [];
  const users = [10, 20, 40, 80, 160, 320];
  await climb(
    users.map(() => cell),
    { users, precision: 0.05, seconds: 1000, elapsed: () => 0, all: false },
    {
      take: async () =>
        block(50, 10, { errors: 200, invalid: [{ code: 'I_ALL_FAILED', cause: 'failed', nextStep: '' }] }),
      note: () => {},
    },
    into,
  );
  // Three blocks of each step are enough.
  expect(into.map((blocks) => blocks.length)).toEqual([3, 3, 3]);
  const steps = into.map((blocks, index) => ({ users: users[index] ?? 0, blocks }));
  const { limit } = staircaseOf(about, steps, undefined);
  expect(limit).toEqual({ part: 'unknown', evidence: 'every request failed; see service.log' });
});

describe('what limits the service', () => {
  const idle = { service: 0.2, backing: 0.1, generator: 0.05, others: 0, stolen: 0 };
  const step = (users: number, more: Partial<StaircaseStep> = {}): StaircaseStep => ({
    users,
    blocks: 3,
    tps: { value: 500, low: 490, high: 510 },
    meanMs: users * 2,
    p95Ms: { value: users * 3, low: users * 3, high: users * 3 },
    errorRate: 0,
    cpu: idle,
    seen: {},
    invalid: [],
    generatorLimits: false,
    ...more,
  });
  const of = (more: Partial<StaircaseStep>, first: Partial<StaircaseStep> = {}, cpuCount = 4) =>
    limitingPart(
      [step(10, { tps: { value: 100, low: 90, high: 110 } }), step(50, first), step(200, more)],
      cpuCount,
    );

  it.each<[string, Partial<StaircaseStep>, Partial<StaircaseStep>?]>([
    ['serviceCpu', { cpu: { ...idle, service: 0.7, backing: 0.2 } }],
    ['backingCpu', { cpu: { ...idle, service: 0.3, backing: 0.6 } }],
    ['stolenCpu', { cpu: { ...idle, stolen: 0.6 } }],
    ['serviceCore', { cpu: { ...idle, service: 0.25 } }],
    ['pool', { seen: { poolPending: 30, poolActive: 10 } }],
    ['threads', { seen: { poolPending: 0, busyThreads: 20, mostThreads: 20 } }],
    ['outside', { seen: { poolPending: 0, busyThreads: 4, mostThreads: 200, serviceTime: 8 } }],
    [
      'lock',
      { seen: { poolPending: 0, busyThreads: 150, mostThreads: 200, serviceTime: 390 } },
      { seen: { serviceTime: 95 } },
    ],
    ['unknown', {}],
  ])('is found: %s', (part, more, first) => {
    const limit = of(more, first);
    expect(limit.part).toBe(part);
    expect(limit.evidence).toMatch(/\d/);
  });

  it('is found where throughput fell after its peak', () => {
    const steps = [
      step(10, { tps: { value: 300, low: 290, high: 310 }, seen: { poolPending: 0, serviceTime: 30 } }),
      step(50, { seen: { poolPending: 0, serviceTime: 95 } }),
      step(200, { tps: { value: 350, low: 340, high: 360 }, seen: { poolPending: 0, serviceTime: 560 } }),
    ];
    expect(limitingPart(steps, 4).part).toBe('lock');
  });

  it('is the service at the cores that its instances may use, though the machine has more', () => {
    const steps = [step(10), step(200, { cpu: { ...idle, service: 0.24 } })];
    expect(limitingPart(steps, 4, { instances: 2, cpus: 0.5 })).toEqual({
      part: 'serviceCpu',
      evidence: 'with 200 users it used 1.0 of the 1.0 cores that it may use',
    });
    expect(limitingPart(steps, 4, { cpus: 2 }).part).toBe('serviceCore');
  });

  it('is the pool that requests wait for, though the service happens to use one core', () => {
    expect(of({ cpu: { ...idle, service: 0.25 }, seen: { poolPending: 30 } }).part).toBe('pool');
  });

  it('is the lock that keeps all worker threads busy, and the threads if requests take no longer in them', () => {
    const lightly = { seen: { serviceTime: 20 } };
    const busy = (serviceTime: number) => ({ seen: { busyThreads: 100, mostThreads: 100, serviceTime } });
    const [lock, threads] = [200, 25].map((serviceTime) =>
      limitingPart([step(10, lightly), step(100, busy(serviceTime)), step(400, busy(serviceTime))], 4),
    );
    expect(lock?.part).toBe('lock');
    expect(threads?.part).toBe('threads');
  });

  it('is one core only if each instance uses one', () => {
    const using = (service: number) => [step(10), step(200, { cpu: { ...idle, service } })];
    expect(limitingPart(using(0.25), 4, { instances: 2 }).part).toBe('unknown');
    expect(limitingPart(using(0.5), 4, { instances: 2 })).toMatchObject({
      part: 'serviceCore',
      evidence: expect.stringContaining('each of 2 instances used 1.0 of 4 cores'),
    });
  });

  it('is not the generator if that had too much to do only after the peak', () => {
    const generatorLimits = true;
    expect(of({ generatorLimits, seen: { poolPending: 30 } }).part).toBe('pool');
    expect(of({}, { generatorLimits }).part).toBe('generator');
  });

  it('is no lock if requests took hardly longer within the service', () => {
    const seen = { poolPending: 0, busyThreads: 150, mostThreads: 200, serviceTime: 140 };
    expect(of({ seen, meanMs: 300 }, { seen: { serviceTime: 95 } }).part).toBe('unknown');
  });

  it('is nothing while throughput grows', () => {
    const growing = [
      step(10, { tps: { value: 100, low: 99, high: 101 } }),
      step(20, { tps: { value: 200, low: 199, high: 201 } }),
    ];
    expect(limitingPart(growing, 4).part).toBe('none');
  });

  it('is not known of one step, or of steps that are too close together', () => {
    const slower = step(12, { tps: { value: 490, low: 480, high: 500 } });
    expect(limitingPart([step(10)], 4).part).toBe('unknown');
    expect(limitingPart([step(10), slower], 4)).toMatchObject({
      part: 'unknown',
      evidence: expect.stringContaining('did not grow from 10 to 12 users'),
    });
  });
});

describe('the users with which p95 reaches the target', () => {
  const steps = [10, 100, 1000].map((users) => ({
    users,
    p95Ms: { value: users, low: users, high: users },
    errorRate: 0,
  }));
  it('lie between two steps, or are none', () => {
    expect(usersAtTarget(steps, 316)).toBe(316);
    expect(usersAtTarget(steps, 5)).toBe(10);
    expect(usersAtTarget(steps, 2000)).toBeUndefined();
  });

  it('are at most those of the first step whose requests fail, however fast they do', () => {
    const fast = { users: 2000, p95Ms: { value: 1, low: 1, high: 1 }, errorRate: 0.6 };
    expect(usersAtTarget([...steps, fast], 1500)).toBe(2000);
  });
});

describe('--users', () => {
  it('is a list, or doubles', () => {
    expect(readUsers('10,25, 50')).toEqual([10, 25, 50]);
    expect(readUsers('10..100')).toEqual([10, 20, 40, 80, 100]);
    expect(usualUsers.at(-1)).toBe(2000);
  });

  it.each(['', '10', '10,5', '0,5', '10..5', '1.5,2', 'x..y', '1..99999', '1,1'])('refuses %j', (text) => {
    expect(() => readUsers(text)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code: 'E_STAIRCASE_USERS' }) }),
    );
  });
});
