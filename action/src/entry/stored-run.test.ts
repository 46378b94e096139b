import { expect, it } from 'vitest';
import { buildRun } from '../../test/contract/run-builder.ts';
import { storedRunsOf } from '../report/index.ts';
import { findStoredRun } from './stored-run.ts';

const pin = { schema: 1 as const, name: 'v1', pinnedAt: '2026-01-01T00:00:00.000Z', run: buildRun(7) };
const stored = storedRunsOf([buildRun(1), buildRun(12), buildRun(2)], [pin]);

it.each([
  ['run-1', 'run-1'],
  ['run-12', 'run-12'],
  ['run-2', 'run-2'],
  ['run-7', 'run-7'],
  ['v1', 'run-7'],
])('%s is %s', (text, id) => {
  expect(findStoredRun(stored, text, 'place').run.id).toBe(id);
});

it.each([
  ['run-', 'E_BASELINE_RUN_AMBIGUOUS'],
  ['', 'E_BASELINE_RUN_UNKNOWN'],
  ['run-9', 'E_BASELINE_RUN_UNKNOWN'],
  ['un-1', 'E_BASELINE_RUN_UNKNOWN'],
])('%j is refused', (text, code) => {
  expect(() => findStoredRun(stored, text, 'place')).toThrow(code);
});

it('says of a run that only a pin keeps that nothing is compared with it', () => {
  expect(stored.map(({ run, compared, pins }) => [run.id, compared, pins])).toEqual([
    ['run-1', true, []],
    ['run-7', false, ['v1']],
    ['run-12', true, []],
    ['run-2', true, []],
  ]);
});
