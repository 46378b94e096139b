import { describe, expect, it } from 'vitest';
import { simulatedBlock, simulatedCell, simulatedOptions } from '../../../test/simulation/simulated-run.ts';
import type { Cell } from '../../model/run.ts';
import { servingParts } from './yardstick.ts';

/** Three quarters of the CPU are busy at 500 requests per second. */
function cell(tps: number, othersCpuShare: number): Cell {
  const blocks = [0, 1, 2].map((round) => ({ ...simulatedBlock(round, tps, 200), othersCpuShare }));
  return simulatedCell(0, blocks);
}

const parts = (head: Cell, base: Cell) => servingParts(head, [base], simulatedOptions.signals);

describe('the parts that show the speed of the machine', () => {
  it('are all of them while the stack is busy, alone or next to other programs', () => {
    expect(parts(cell(500, 0), cell(500, 0))).toEqual(['generator', 'backing']);
    expect(parts(cell(300, 0.4), cell(300, 0.4))).toEqual(['generator', 'backing']);
  });

  it.each([0, 0.4, 0.8, 0.95])(
    'are none where the stack needs a sixth of the machine and other programs use %d of it',
    (share) => {
      expect(parts(cell(110, share), cell(110, share))).toEqual([]);
      expect(parts(cell(11, share), cell(110, share))).toEqual([]);
    },
  );
});
