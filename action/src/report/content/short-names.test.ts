import { describe, expect, it } from 'vitest';
import { verdicts } from '../../../test/golden/verdicts.ts';
import { cellName } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import { acceptedSignals } from './accepted.ts';
import { missedObjectives } from './findings.ts';
import { machineSpeed } from './machine-speed.ts';
import { withShortNames } from './short-names.ts';

it('leaves the unit of a long objective', () => {
  const verdict = verdicts.pass ?? expect.unreachable();
  const objective = `blocks within the script's thresholds of checks{name:${'x'.repeat(60)}} = 100%`;
  const objectives = [{ objective, value: 0.5, limit: 1, met: false }];
  const { cells } = withShortNames({
    ...verdict,
    cells: verdict.cells.slice(0, 1).map((cell) => ({ ...cell, objectives })),
  });
  expect(missedObjectives(cells).map(({ text }) => text)).toEqual([`${objective}, measured 50%`]);
});

describe.each([60, 200])('a cell whose scenario and load have names of %i characters', (length) => {
  const from = verdicts.accepted ?? expect.unreachable();
  const long = from.cells.map((cell, index) => ({
    ...cell,
    scenario: `${index}${'s'.repeat(length)}`,
    load: 'l'.repeat(length),
  }));

  it('is found by the rows that somebody accepted', () => {
    const [cell, ...others] = long;
    const [signal] = from.cells.flatMap(({ signals }) => signals);
    if (cell === undefined || signal === undefined) throw new Error('the example has no cost');
    const row = { metric: signal.name, growth: 1, until: '2026-03-02', reason: 'intended' };
    const verdict: Verdict = {
      ...from,
      cells: [{ ...cell, signals: [signal] }, ...others],
      accepted: [{ ...row, cell: cellName(cell) }],
    };
    const short = withShortNames(verdict);
    expect(short.cells.slice(0, 1).flatMap((one) => acceptedSignals(short, one))).toHaveLength(1);
  });

  it('is found by the list of those that were measured again', () => {
    if (from.comparison.kind === 'none') throw new Error('the example compares nothing');
    const confirmed = {
      baseCommit: 'a'.repeat(40),
      cells: long.map((cell) => ({ name: cellName(cell), outcome: cell.outcome })),
    };
    const verdict: Verdict = { ...from, cells: long, comparison: { ...from.comparison, confirmed } };
    expect(machineSpeed(withShortNames(verdict))).toEqual([]);
  });
});
