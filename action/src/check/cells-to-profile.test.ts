import { expect, it } from 'vitest';
import { verdicts } from '../../test/golden/verdicts.ts';
import type { CellVerdict } from '../model/verdict.ts';
import { cellsToProfile } from './cells-to-profile.ts';

const [example] = verdicts.pass?.cells ?? [];

/** A regressed cell whose named costs grew to so many times what they were. */
function dearer(scenario: string, load: string, times: number, ...costs: readonly string[]): CellVerdict {
  if (example === undefined) throw new Error('the example has no cell');
  const signals = costs.map((name): CellVerdict['signals'][number] => ({
    name,
    title: name,
    unit: '',
    base: 1,
    head: times,
    change: times - 1,
    limit: 0.02,
    moved: true,
    failed: true,
    gate: 'fail',
    hint: '',
  }));
  return { ...example, scenario, load, outcome: 'regression', signals };
}

/** The cell, whose metrics regressed as well. */
function slower(cell: CellVerdict): CellVerdict {
  return { ...cell, metrics: cell.metrics.map((metric) => ({ ...metric, outcome: 'regression' })) };
}

it('leaves out scenarios in which the same costs grew less', () => {
  const browse = [dearer('browse', 'average', 2, 'statements', 'rows'), dearer('browse', 'peak', 3, 'rows')];
  const edit = [dearer('edit', 'average', 2.5, 'rows'), dearer('edit', 'peak', 1.6, 'statements')];
  expect(cellsToProfile([...edit, ...browse])).toEqual({
    names: ['browse@peak', 'browse@average'],
    spared: ['edit@average', 'edit@peak'],
  });
});

it('keeps a scenario in which another cost grew, or something besides costs', () => {
  const browse = dearer('browse', 'peak', 3, 'statements');
  const edit = dearer('edit', 'peak', 2, 'statements');
  const keptWith = (other: CellVerdict) => cellsToProfile([browse, other]).names;
  expect(keptWith(edit)).toEqual(['browse@peak']);
  expect(keptWith(dearer('edit', 'peak', 2, 'statements', 'commands'))).toContain('edit@peak');
  expect(keptWith(slower(edit))).toContain('edit@peak');
  expect(keptWith({ ...edit, signals: [] })).toContain('edit@peak');
});

it('keeps a scenario in which one of the costs grew more, or whose costs grew in several others', () => {
  const some = dearer('browse', 'average', 1.5, 'rows');
  const browse = [dearer('browse', 'peak', 4, 'statements'), some];
  expect(cellsToProfile([...browse, dearer('edit', 'peak', 2, 'rows')]).spared).toEqual([]);
  const others = [dearer('edit', 'peak', 4, 'rows'), dearer('browse', 'peak', 3, 'statements')];
  expect(cellsToProfile([...others, dearer('book', 'peak', 2, 'rows', 'statements')]).spared).toEqual([]);
});
