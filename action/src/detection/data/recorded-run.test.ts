import { expect, it } from 'vitest';
import { recordedRun } from '../../../test/recorded/recorded-runs.ts';
import { measuredRegime } from './recorded-run.ts';

const run = recordedRun('01-unchanged');
const withStolen = (share: number) => ({
  ...run,
  cells: run.cells.map((cell) => ({
    ...cell,
    blocks: cell.blocks.map((block, at) => ({ ...block, stealShare: at % 2 === 0 ? 2 * share : 0 })),
  })),
});

it('the regime of a run follows from the CPU time that others took, on average', () => {
  expect(measuredRegime(withStolen(0.008))).toBe('quiet');
  expect(measuredRegime(withStolen(0.012))).toBe('stolen');
});
