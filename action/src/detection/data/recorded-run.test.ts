import { expect, it } from 'vitest';
import { recordedRun } from '../../../test/recorded/recorded-runs.ts';
import { measuredRegime, recordedOf } from './recorded-run.ts';

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

it('records a head that was measured next to its base as a pair, of which head alone has the change', () => {
  const [base, run] = [withStolen(0.008), withStolen(0.012)];
  const about = (measured: Parameters<typeof recordedOf>[0]) =>
    recordedOf(measured, { change: 'slower' }).map(({ regime, placement, change }) => [
      regime,
      placement,
      change,
    ]);
  expect(about({ run })).toEqual([['stolen', 'stored', 'slower']]);
  expect(about({ run, base })).toEqual([
    ['quiet', 'base', ''],
    ['stolen', 'head', 'slower'],
  ]);
  expect(recordedOf({ run }, { regime: 'neighbour' })[0]?.regime).toBe('neighbour');
});
