import { describe, expect, it } from 'vitest';
import { judgeSuite } from '../../src/check/judge-suite.ts';
import { cellName } from '../../src/model/run.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { type RecordedName, recordedConfig, recordedPlan, recordedRun } from './recorded-runs.ts';

const when = { createdAt: new Date('2026-11-22T00:00:00.000Z'), seconds: 400 };

function against(stored: readonly RecordedName[], head: RecordedName): Verdict {
  return judgeSuite(
    recordedConfig,
    recordedPlan,
    { run: recordedRun(head), stored: stored.map(recordedRun) },
    when,
  );
}

/** The costs that fail each scenario. */
function failures({ cells }: Verdict): Record<string, readonly string[]> {
  const found = cells.flatMap(({ scenario, signals }) =>
    signals.filter(({ failed }) => failed).map(({ name }) => ({ scenario, name })),
  );
  const scenarios = Map.groupBy(found, ({ scenario }) => scenario);
  return Object.fromEntries(
    [...scenarios].map(([scenario, all]) => [scenario, [...new Set(all.map(({ name }) => name))]]),
  );
}

describe.each([
  ['one stored run', ['01-unchanged']],
  ['three stored runs', ['01-unchanged', '02-unchanged', '07-unchanged']],
] as const)('recorded costs against %s', (_, stored) => {
  it.each([
    '02-unchanged',
    '07-unchanged',
    '08-unchanged-faster-hour',
    '09-unchanged-speed-changed-midway',
    '12-unchanged',
  ] as const)('do not fail %s', (name) => {
    const verdict = against(stored, name);
    expect(failures(verdict)).toEqual({});
    expect(verdict.cells.map(({ outcome }) => outcome)).not.toContain('regression');
  });

  it.each([
    [
      '03-token-read-four-times',
      {
        'trip-edit': ['redisCommands'],
        'plan-edit': ['redisCommands'],
        'trip-browse': ['redisCommands'],
      },
    ],
    [
      '05-plan-overview-n-plus-1',
      { 'plan-edit': ['statements', 'rowsRead'], 'trip-browse': ['statements', 'rowsRead'] },
    ],
    [
      '11-trip-detail-20-kb-larger',
      {
        'trip-edit': ['bytesReceived'],
        'plan-edit': ['bytesReceived'],
        'trip-browse': ['bytesReceived'],
      },
    ],
  ] as const)('fail %s in the scenarios that it touches', (name, expected) => {
    const verdict = against(stored, name);
    expect(verdict.outcome).toBe('regression');
    expect(failures(verdict)).toEqual(expected);
  });

  it('fail no cell of a change that costs time only', () => {
    for (const name of ['04-sha256-250-times', '10-synchronized-lookup'] as const) {
      expect(failures(against(stored, name))).toEqual({});
    }
  });

  it('note a count that older runs do not have', () => {
    const [cell] = against(stored, '12-unchanged').cells;
    expect(cell?.uncounted).toMatchObject([
      { name: 'conflicts', missing: 'both' },
      { name: 'logMessages', missing: 'both' },
    ]);
    expect(cellName(cell ?? { scenario: '', load: '' })).toBe('trip-edit@average');
  });
});
