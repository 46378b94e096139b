import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StackProfile, Stacks } from '../../model/profile.ts';
import { createRandom, drawNormal, type Random } from '../../stats/index.ts';
import { compareProfiles } from './compare-profiles.ts';

/** Weights by folded stack, outermost frame first: `a;b;c`. */
type Folded = Readonly<Record<string, number>>;

/** @param locks milliseconds waited, in waits of 10 ms */
function profile(cpu: Folded, locks: Folded = {}, more: Partial<StackProfile> = {}): StackProfile {
  const numbers = new Map<string, number>();
  const numberOf = (name: string) => {
    const known = numbers.get(name) ?? numbers.size;
    numbers.set(name, known);
    return known;
  };
  const stacksOf = (folded: Folded, unit: number): Stacks => ({
    total: Object.values(folded).reduce((sum, weight) => sum + weight, 0),
    stacks: Object.entries(folded)
      .filter(([, weight]) => weight > 0)
      .map(([stack, weight]) => ({
        frames: stack.split(';').map(numberOf),
        weight,
        count: Math.ceil(weight / unit),
      })),
  });
  const stacks = { cpu: stacksOf(cpu, 1), locks: stacksOf(locks, 10) };
  return { seconds: 10, sampledBy: 'cpu-time', frames: [...numbers.keys()], ...stacks, ...more };
}

const request =
  'java.lang.Thread.run;org.apache.tomcat.Processor.run;shop.TripController.plans;shop.DefaultTrips.plans';
const read = `${request};shop.PlanRepository.find;org.springframework.jdbc.JdbcClient.query;java.net.Socket.read`;
const write = `${request};com.fasterxml.jackson.Writer.write`;
const login = 'java.lang.Thread.run;shop.LoginController.login;org.springframework.security.BCrypt.key';
const hash = `${login};org.springframework.security.BCrypt.mix`;

/** So many samples of as many framework methods as a request of a service passes. */
function frameworks(samples: number): Folded {
  const methods = Array.from({ length: 40 }, (_, index) => `${request};org.hibernate.Step${index}.run`);
  return Object.fromEntries(methods.map((stack) => [stack, samples / methods.length]));
}

describe('the code that uses more CPU', () => {
  it('is the deepest own method that explains the growth, with its own caller', () => {
    const base = profile({ [write]: 900, [request]: 100 });
    const head = profile({ [write]: 900, [request]: 100, [read]: 160 });
    expect(compareProfiles(base, head)).toEqual({
      cpu: [
        { frame: 'shop.PlanRepository.find', caller: 'shop.DefaultTrips.plans', base: 0, head: 160 / 1160 },
      ],
      locks: [],
    });
  });

  it('is the caller where several of its callees grew', () => {
    const others = { 'java.lang.Thread.run;shop.Job.run': 900 };
    const base = profile({ ...others, [`${request};shop.A.a`]: 50, [`${request};shop.B.b`]: 50 });
    const head = profile({ ...others, [`${request};shop.A.a`]: 200, [`${request};shop.B.b`]: 190 });
    expect(compareProfiles(base, head).cpu.map(({ frame }) => frame)).toEqual([
      'shop.DefaultTrips.plans',
      'shop.A.a',
      'shop.B.b',
    ]);
  });

  it('is a library where no own method grew', () => {
    const around = 'java.lang.Thread.run;org.apache.tomcat.Processor.run';
    const base = profile({
      [`${around};shop.TripController.plans`]: 800,
      [`${around};tools.jackson.Writer.write`]: 200,
    });
    const head = profile({
      [`${around};shop.TripController.plans`]: 800,
      [`${around};tools.jackson.Writer.write`]: 500,
    });
    expect(compareProfiles(base, head).cpu).toMatchObject([
      { frame: 'tools.jackson.Writer.write', caller: 'org.apache.tomcat.Processor.run' },
    ]);
  });

  it('is a library that several own methods call a little more', () => {
    const own = ['A', 'B', 'C', 'D', 'E'].map((name) => `java.lang.Thread.run;shop.${name}.run`);
    const each = (samples: number, below = '') =>
      Object.fromEntries(own.map((stack) => [`${stack}${below}`, samples]));
    const base = profile({ ...each(72), 'java.lang.Thread.run;io.netty.Loop.run': 240 });
    const head = profile({
      ...each(61),
      ...each(18, ';org.slf4j.Logger.debug'),
      'java.lang.Thread.run;io.netty.Loop.run': 205,
    });
    expect(compareProfiles(base, head).cpu).toMatchObject([{ frame: 'org.slf4j.Logger.debug', base: 0 }]);
  });

  it('is no library of which two methods below an own one swapped their samples', () => {
    const key = 'java.lang.Thread.run;shop.LoginController.login;org.springframework.Hash.key';
    const [mix, cipher] = [`${key};org.springframework.Hash.mix`, `${key};org.springframework.Hash.cipher`];
    const base = profile({ [write]: 330, [cipher]: 240, [mix]: 31 });
    const head = profile({ [write]: 320, [cipher]: 4, [mix]: 272 });
    expect(compareProfiles(base, head).cpu).toEqual([]);
  });

  it('is a method that replaced a cheaper one', () => {
    const base = profile({ [write]: 450, [request]: 30, [`${request};shop.A.a`]: 120 });
    const head = profile({ [write]: 409, [request]: 27, [`${request};shop.B.b`]: 164 });
    expect(compareProfiles(base, head).cpu).toMatchObject([{ frame: 'shop.B.b', base: 0 }]);
  });

  it('are both of two new methods that take all other code its share', () => {
    const [first, second] = ['java.lang.Thread.run;shop.First.go', 'java.lang.Thread.run;shop.Second.go'];
    const base = profile({ [first]: 240, [second]: 240, 'java.lang.Thread.run;shop.Job.run': 120 });
    const head = profile({
      ...{ [first]: 120, [`${first};shop.A.a`]: 150 },
      ...{ [second]: 120, [`${second};shop.B.b`]: 150 },
      'java.lang.Thread.run;shop.Job.run': 60,
    });
    expect(compareProfiles(base, head).cpu.map(({ frame }) => frame)).toEqual(['shop.A.a', 'shop.B.b']);
  });

  it('counts a recursive method once, and is found in it', () => {
    const once = `${request};shop.Tree.walk;shop.Tree.visit`;
    const base = profile({ [write]: 900, [once]: 50 });
    const head = profile({ [write]: 900, [`${once};shop.Tree.walk;shop.Tree.visit`]: 300 });
    expect(compareProfiles(base, head).cpu).toMatchObject([
      { frame: 'shop.Tree.visit', caller: 'shop.Tree.walk', head: 0.25 },
    ]);
  });

  it('is none where a share only grew because all other code does less', () => {
    const job = 'java.lang.Thread.run;shop.Job.run';
    const base = profile({ [write]: 2000, [job]: 100 });
    const head = profile({ [write]: 500, [job]: 100 });
    expect(compareProfiles(base, head).cpu).toEqual([]);
  });

  it.each([
    [
      'a growth of one percentage point',
      { [write]: 98_000, [read]: 2_000 },
      { [write]: 97_000, [read]: 3_000 },
    ],
    ['a growth of a twentieth', { [write]: 50_000, [read]: 50_000 }, { [write]: 47_500, [read]: 52_500 }],
    ['a growth that may be chance', { [write]: 460, [read]: 40 }, { [write]: 445, [read]: 55 }],
    // A check of 2026-11-30. Its change added a query, and did not touch the login.
    [
      'a growth that boots may show',
      { ...frameworks(389), [login]: 56, [hash]: 284 },
      { ...frameworks(376), [login]: 45, [hash]: 422 },
    ],
    ['too few samples', { [write]: 99 }, { [write]: 99, [read]: 99 }],
    ['nothing at all', {}, {}],
  ])('is none after %s', (_, base, head) => {
    expect(compareProfiles(profile(base), profile(head)).cpu).toEqual([]);
  });

  it('is none where the sides were sampled differently', () => {
    const head = profile({ [write]: 500, [read]: 500 }, {}, { sampledBy: 'execution' });
    expect(compareProfiles(profile({ [write]: 500 }), head).cpu).toEqual([]);
  });
});

describe('the code that waits longer', () => {
  const take = `${request};shop.Stock.take`;
  const idle =
    'java.lang.Thread.run;java.util.concurrent.ThreadPoolExecutor.getTask;jdk.internal.misc.Unsafe.park';

  it('is the own method that waits, in milliseconds per second', () => {
    const { locks } = compareProfiles(profile({}, { [take]: 100 }), profile({}, { [take]: 4_000 }));
    expect(locks).toEqual([
      { frame: 'shop.Stock.take', caller: 'shop.DefaultTrips.plans', base: 10, head: 400 },
    ]);
  });

  it.each([
    ['a thread is idle', { [idle]: 1_000 }, { [idle]: 90_000 }],
    ['waiting grew by less than it varies', { [take]: 4_000 }, { [take]: 11_000 }],
    ['waiting is too short to matter', {}, { [take]: 1_900 }],
  ])('is none where %s', (_, base, head) => {
    expect(compareProfiles(profile({}, base), profile({}, head)).locks).toEqual([]);
  });
});

/** A tree of calls, as folded stacks of which the first are the most common ones. */
const program = fc
  .array(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 8 }), {
    minLength: 2,
    maxLength: 60,
  })
  .map((stacks) => stacks.map((path) => path.map((at, depth) => `shop.C${depth}.m${at}`).join(';')));

/** @param shift of the log odds of every second stack, as boots of one commit have it */
function sampled(stacks: readonly string[], samples: number, random: Random, shift = 0): Folded {
  const folded: Record<string, number> = {};
  for (let drawn = 0; drawn < samples; ) {
    const at = Math.floor(stacks.length * random() ** 2);
    const isRarer = at % 2 === 0 ? shift < 0 : shift > 0;
    if (isRarer && random() > Math.exp(-Math.abs(shift))) continue;
    const stack = stacks[at] ?? '';
    folded[stack] = (folded[stack] ?? 0) + 1;
    drawn += 1;
  }
  return folded;
}

it.each([
  ['own code, in boots that are alike', 'shop', 0],
  ['own code, in boots that differ as they do', 'shop', 0.08],
  ['libraries, in boots that differ as they do', 'org.apache', 0.08],
])('names hardly ever a method if both profiles are of the same %s', (_, team, deviation) => {
  let named = 0;
  const runs = 500;
  fc.assert(
    fc.property(program, fc.integer(), fc.integer({ min: 150, max: 3_000 }), (stacks, seed, samples) => {
      const random = createRandom(seed);
      const names = stacks.map((stack) => stack.replaceAll('shop.', `${team}.`));
      const boot = () => profile(sampled(names, samples, random, deviation * drawNormal(random)));
      if (compareProfiles(boot(), boot()).cpu.length > 0) named += 1;
    }),
    { numRuns: runs, seed: 20_260 },
  );
  expect(named / runs).toBeLessThan(0.02);
});

it('names a new method that takes a twelfth of the CPU', () => {
  fc.assert(
    fc.property(program, fc.integer(), (stacks, seed) => {
      const random = createRandom(seed);
      const base = sampled(stacks, 1_000, random);
      const head = { ...sampled(stacks, 1_000, random), [`${stacks[0]};shop.New.code`]: 91 };
      const { cpu } = compareProfiles(profile(base), profile(head));
      expect(cpu.map(({ frame }) => frame)).toContain('shop.New.code');
    }),
    { numRuns: 200, seed: 20_261 },
  );
});
