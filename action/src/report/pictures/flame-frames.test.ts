import { expect, it } from 'vitest';
import { cellProfile } from '../../../test/golden/example-profile.ts';
import type { StackProfile } from '../../model/profile.ts';
import { changedFrames, type FlameFrame, flameFrames, isComparable } from './flame-frames.ts';
import { flameGraph } from './flame-graph.ts';

/** A profile of samples by stack: `a;b` is `b`, called by `a`. */
function profile(folded: Readonly<Record<string, number>>, more: Partial<StackProfile> = {}): StackProfile {
  const frames = [...new Set(Object.keys(folded).flatMap((stack) => stack.split(';')))];
  const stacks = Object.entries(folded).map(([stack, weight]) => ({
    frames: stack.split(';').map((name) => frames.indexOf(name)),
    weight,
    count: weight,
  }));
  const total = stacks.reduce((sum, { weight }) => sum + weight, 0);
  return { ...cellProfile({}), frames, cpu: { total, stacks }, ...more };
}

const drawn = (base: Readonly<Record<string, number>>, head = base) =>
  flameFrames({ base: profile(base), head: profile(head) });
const named = (frames: readonly FlameFrame[], name: string) =>
  frames.find(({ names }) => names.includes(name));
/** Without the error of adding up. */
const share = (value: number) => Number(value.toFixed(9));
const noChange = { grown: [], shrunk: [] };

it('puts every call below its caller, as wide as its share of head', () => {
  const frames = drawn({ 'a;b': 500, 'a;c': 500 }, { a: 100, 'a;b': 600, 'a;b;d': 100, 'a;c': 200 });
  expect(frames.map(({ names, row, from, to }) => [names.join(), row, share(from), share(to)])).toEqual([
    ['a', 0, 0, 1],
    ['b', 1, 0, 0.7],
    ['c', 1, 0.7, 0.9],
    ['d', 2, 0, 0.1],
  ]);
  expect(named(frames, 'b')).toMatchObject({ base: 0.5, head: 0.7, change: 'grew-much' });
  expect(named(frames, 'c')).toMatchObject({ base: 0.5, head: 0.2, change: 'shrank-much' });
});

it('calls a change that chance makes the same', () => {
  expect(named(drawn({ 'a;b': 50, a: 50 }, { 'a;b': 60, a: 40 }), 'b')?.change).toBe('same');
  expect(named(drawn({ 'a;b': 5_000, a: 5_000 }, { 'a;b': 5_300, a: 4_700 }), 'b')?.change).toBe('same');
  expect(named(drawn({ 'a;b': 1_000, a: 9_000 }, { 'a;b': 1_400, a: 8_600 }), 'b')?.change).toBe('grew');
  expect(named(drawn({ 'a;b': 50_000, a: 50_000 }, { 'a;b': 50_900, a: 49_100 }), 'b')?.change).toBe('same');
});

it('puts library methods that only pass a call on into one row, but no own method', () => {
  const frames = drawn({ 'java.A.run;java.B.run;java.C.run;shop.D.go;java.E.go': 96, 'java.A.run': 4 });
  expect(frames.map(({ names }) => names)).toEqual([
    ['java.A.run', 'java.B.run', 'java.C.run'],
    ['shop.D.go'],
    ['java.E.go'],
  ]);
});

it('leaves out what is too narrow, and shows stacks that the profile left out as nothing', () => {
  const head = profile({ 'a;b': 500, 'a;c': 1 });
  const frames = flameFrames({ base: head, head: { ...head, cpu: { ...head.cpu, total: 1_000 } } });
  expect(frames.map(({ names, to }) => [names[0], to])).toEqual([
    ['a', 0.501],
    ['b', 0.5],
  ]);
});

it('draws nothing of an empty profile, and one frame of one', () => {
  expect(isComparable({ base: profile({}), head: profile({ a: 1 }) })).toBe(false);
  expect(isComparable({ base: profile({ a: 1 }, { sampledBy: 'execution' }), head: profile({ a: 1 }) })).toBe(
    false,
  );
  expect(flameGraph([], noChange, 'trip-edit@peak')).toBe('');
  expect(drawn({ a: 1 })).toEqual([
    { names: ['a'], row: 0, from: 0, to: 1, base: 1, head: 1, change: 'same' },
  ]);
});

it.each([
  ['of one method', ['shop.Tree.walk'], 1],
  ['of two methods', ['shop.Tree.walk', 'shop.Node.walk'], 50],
])('draws a recursion of 500 frames %s', (_, methods, rows) => {
  const stack = Array.from({ length: 500 }, (_, index) => methods[index % methods.length]).join(';');
  expect(Math.max(...drawn({ [stack]: 10 }).map(({ row }) => row))).toBe(rows - 1);
});

it('stays below 60 kB with 2,000 stacks', () => {
  const folded = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [
      Array.from({ length: 60 }, (_, depth) => {
        const branch = index % 2 ** Math.min(depth, 9);
        return `perfgate.app.members.domain.Service${depth}.method${branch}`;
      }).join(';'),
      1 + (index % 7),
    ]),
  );
  const frames = drawn(folded);
  expect(frames.length).toBeGreaterThan(100);
  expect(frames.length).toBeLessThanOrEqual(250);
  for (const { row, from, to } of frames.filter((frame) => frame.row > 0)) {
    const callers = frames.filter((caller) => caller.row === row - 1);
    expect(callers.some((caller) => caller.from <= from + 1e-9 && caller.to >= to - 1e-9)).toBe(true);
  }
  expect(Buffer.byteLength(flameGraph(frames, noChange, 'trip-edit@peak'))).toBeLessThan(60_000);
});

it.each([
  ['markup', '</title><script>alert(1)</script>'],
  ['emoji', '👩‍👩‍👧‍👦'.repeat(50)],
  ['10,000 characters', 'x'.repeat(10_000)],
  ['nothing', ''],
  ['control characters', '\u001b[31m\u202e\u0000'],
])('writes a name of %s as one title', (_, name) => {
  const markup = flameGraph(drawn({ [name]: 10 }), noChange, 'trip-edit@peak');
  expect(markup.match(/<title>/g)).toHaveLength(1);
  expect(markup).toMatch(/<title>[^<]+: 100% → 100%<\/title>/);
  expect(markup).not.toContain('<script');
  expect(markup.length).toBeLessThan(2_500);
});

it('lists methods that grew and that vanished, own code first', () => {
  const base = profile({ 'java.A.run;shop.Old.find': 300, 'java.A.run;java.B.run': 700 });
  const head = profile({ 'java.A.run;java.B.run': 500, 'java.A.run;java.C.run;shop.New.find': 500 });
  const { grown, shrunk } = changedFrames({ base, head });
  expect(grown).toEqual([
    { name: 'shop.New.find', base: 0, head: 0.5 },
    { name: 'java.C.run', base: 0, head: 0.5 },
  ]);
  expect(shrunk).toEqual([
    { name: 'shop.Old.find', base: 0.3, head: 0 },
    { name: 'java.B.run', base: 0.7, head: 0.5 },
  ]);
});
