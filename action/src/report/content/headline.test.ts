import { expect, it } from 'vitest';
import { verdicts } from '../../../test/golden/verdicts.ts';
import { headline } from './headline.ts';

it('promises a change of a metric only in cells that are judged by it', () => {
  const verdict = verdicts.pass ?? expect.unreachable();
  const promised = (cells: typeof verdict.cells) =>
    headline({ ...verdict, cells }).because.find((text) => text.startsWith('a change of p95'));
  const withoutTps = verdict.cells.map((cell, index) =>
    index > 0 ? cell : { ...cell, metrics: cell.metrics.filter(({ metric }) => metric !== 'tps') },
  );
  expect(promised(verdict.cells)).toMatch(/ or TPS .* would have been caught in any cell$/);
  expect(promised(withoutTps)).toMatch(/ or TPS .* would have been caught in any cell judged by it$/);
});
