import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shrinkToFit } from './fit-report.ts';
import { type Extent, expendableParts } from './report-parts.ts';

const full: Extent = { folded: 3, endpoints: 0, notes: 4, changed: 2 };

describe('the extent of a report', () => {
  it('stays whole if it fits', () => {
    expect(shrinkToFit(full, () => true)).toEqual(full);
  });

  it('loses the most expendable part first', () => {
    const upTo = (room: number) =>
      shrinkToFit(full, ({ folded, notes, changed }) => folded + notes + changed <= room);
    expect(upTo(7)).toEqual({ ...full, folded: 1 });
    expect(upTo(6)).toEqual({ ...full, folded: 0 });
    expect(upTo(4)).toEqual({ ...full, folded: 0, notes: 2 });
    expect(upTo(1)).toEqual({ ...full, folded: 0, notes: 0, changed: 1 });
  });

  it('is empty if nothing fits', () => {
    expect(shrinkToFit(full, () => false)).toEqual({ folded: 0, endpoints: 0, notes: 0, changed: 0 });
  });

  it('uses all the room available', () => {
    const part = fc.record({ entries: fc.nat(300), size: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(
        fc.record({ folded: part, endpoints: part, notes: part, changed: part }),
        fc.nat(40_000),
        (parts, room) => {
          const used = (extent: Extent) =>
            expendableParts.reduce((sum, name) => sum + extent[name] * parts[name].size, 0);
          const all = {
            folded: parts.folded.entries,
            endpoints: parts.endpoints.entries,
            notes: parts.notes.entries,
            changed: parts.changed.entries,
          };
          const extent = shrinkToFit(all, (some) => used(some) <= room);
          expect(used(extent)).toBeLessThanOrEqual(room);
          const shrunk = expendableParts.findLast((name) => extent[name] < all[name]);
          if (shrunk !== undefined) {
            expect(used({ ...extent, [shrunk]: extent[shrunk] + 1 })).toBeGreaterThan(room);
          }
        },
      ),
    );
  });
});
