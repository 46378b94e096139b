import fc from 'fast-check';
import { expect, it } from 'vitest';
import { batchesOf } from './branch.ts';

it('files are read in their order, and no more at once than there is room for', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30)), (sizes) => {
      const batches = batchesOf(
        sizes.map((bytes) => ({ bytes })),
        20,
      );
      expect(batches.flat().map(({ bytes }) => bytes)).toEqual(sizes);
      for (const batch of batches) {
        const total = batch.reduce((sum, { bytes }) => sum + bytes, 0);
        expect(batch.length === 1 || total <= 20).toBe(true);
      }
    }),
  );
});

it('what fits together is read together', () => {
  const sizes = [5, 5, 10, 1, 30, 2].map((bytes) => ({ bytes }));
  expect(batchesOf(sizes, 20).map((batch) => batch.map(({ bytes }) => bytes))).toEqual([
    [5, 5, 10],
    [1],
    [30],
    [2],
  ]);
});
