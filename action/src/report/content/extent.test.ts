import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shrinkToFit } from './extent.ts';

describe('an extent', () => {
  it('stays whole if it fits', () => {
    expect(shrinkToFit({ a: 3, b: 4 }, ['a', 'b'], () => true)).toEqual({ a: 3, b: 4 });
  });

  it('loses of the first part before anything of the second', () => {
    const upTo = (room: number) => shrinkToFit({ a: 3, b: 4 }, ['a', 'b'], ({ a, b }) => a + b <= room);
    expect(upTo(5)).toEqual({ a: 1, b: 4 });
    expect(upTo(4)).toEqual({ a: 0, b: 4 });
    expect(upTo(2)).toEqual({ a: 0, b: 2 });
  });

  it('is empty if nothing fits', () => {
    expect(shrinkToFit({ a: 3, b: 4 }, ['a', 'b'], () => false)).toEqual({ a: 0, b: 0 });
  });

  it('uses all the room there is', () => {
    const part = fc.record({ entries: fc.nat(300), size: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(part, part, fc.nat(20_000), (a, b, room) => {
        const used = (extent: { readonly a: number; readonly b: number }) =>
          extent.a * a.size + extent.b * b.size;
        const extent = shrinkToFit({ a: a.entries, b: b.entries }, ['a', 'b'], (some) => used(some) <= room);
        expect(used(extent)).toBeLessThanOrEqual(room);
        if (extent.b === b.entries && extent.a < a.entries)
          expect(used({ ...extent, a: extent.a + 1 })).toBeGreaterThan(room);
        if (extent.b < b.entries) expect(used({ ...extent, b: extent.b + 1 })).toBeGreaterThan(room);
      }),
    );
  });
});
