import { describe, expect, it } from 'vitest';
import type { StackProfile } from '../../model/profile.ts';
import { flameBoxes } from './flame-tree.ts';

/** Weights by folded stack, outermost frame first: `a;b;c`. */
function profile(folded: Readonly<Record<string, number>>): StackProfile {
  const names = [...new Set(Object.keys(folded).flatMap((stack) => stack.split(';')))];
  const stacks = Object.entries(folded).map(([stack, weight]) => ({
    frames: stack.split(';').map((name) => names.indexOf(name)),
    weight,
    count: weight,
  }));
  const total = Object.values(folded).reduce((sum, weight) => sum + weight, 0);
  return {
    seconds: 10,
    sampledBy: 'cpu-time',
    frames: names,
    cpu: { total, stacks },
    locks: { total: 0, stacks: [] },
  };
}

const said = (base: StackProfile, head: StackProfile) =>
  flameBoxes(base, head).map(
    ({ node: { names, base: before, head: after }, row, from, to }) =>
      `${row} ${names.join('+')} ${before.toFixed(2)}→${after.toFixed(2)} at ${from.toFixed(2)}-${to.toFixed(2)}`,
  );

describe('flame boxes', () => {
  it('are as wide as shares of head, with the change since base', () => {
    const base = profile({ 'shop.Trips.list': 80, 'shop.Trips.list;shop.Plans.find': 20 });
    const head = profile({ 'shop.Trips.list': 60, 'shop.Trips.list;shop.Plans.find': 140 });
    expect(said(base, head)).toEqual([
      '0 all 1.00→1.00 at 0.00-1.00',
      '1 shop.Trips.list 1.00→1.00 at 0.00-1.00',
      '2 shop.Plans.find 0.20→0.70 at 0.00-0.70',
    ]);
  });

  it('are one for a chain within libraries, and one each for own methods', () => {
    const chain = 'java.lang.Thread.run;org.apache.Processor.run;org.apache.Valve.invoke;shop.A.a;shop.B.b';
    const head = profile({ [chain]: 100 });
    expect(said(head, head)).toEqual([
      '0 all 1.00→1.00 at 0.00-1.00',
      '1 java.lang.Thread.run+org.apache.Processor.run+org.apache.Valve.invoke 1.00→1.00 at 0.00-1.00',
      '2 shop.A.a 1.00→1.00 at 0.00-1.00',
      '3 shop.B.b 1.00→1.00 at 0.00-1.00',
    ]);
  });

  it('leave out what could not be seen, and what only base has', () => {
    const head = profile({ 'shop.A.a': 998, 'shop.B.b': 2 });
    const base = profile({ 'shop.A.a': 500, 'shop.C.c': 500 });
    expect(said(base, head).map((line) => line.split(' ')[1])).toEqual(['all', 'shop.A.a']);
  });

  it('are none without samples of head, and all of head where base has none', () => {
    const some = profile({ 'shop.A.a': 10 });
    expect(flameBoxes(some, profile({}))).toEqual([]);
    expect(said(profile({}), some)).toEqual([
      '0 all 0.00→1.00 at 0.00-1.00',
      '1 shop.A.a 0.00→1.00 at 0.00-1.00',
    ]);
  });

  it('follow a recursion down', () => {
    const deep = Array.from({ length: 500 }, (_, depth) => (depth % 2 === 0 ? 'shop.A.a' : 'shop.B.b')).join(
      ';',
    );
    expect(flameBoxes(profile({}), profile({ [deep]: 5 }))).toHaveLength(501);
  });

  it('stay few enough to draw however many stacks there are', () => {
    const stacks = Array.from({ length: 2_000 }, (_, index) => {
      const path = Array.from({ length: 30 }, (__, depth) => `shop.C${depth}.m${index % (depth + 2)}`);
      return [path.join(';'), 1 + (index % 7)] as const;
    });
    const boxes = flameBoxes(profile({}), profile(Object.fromEntries(stacks)));
    expect(boxes.length).toBeGreaterThan(30);
    expect(boxes.length).toBeLessThanOrEqual(600);
    for (const { from, to } of boxes) expect(to).toBeGreaterThan(from);
  });
});
