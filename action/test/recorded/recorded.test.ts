import { describe, expect, it } from 'vitest';
import { suspectCells } from '../../src/judge/confirm.ts';
import { judgeMeasurements, type Measurements } from '../../src/judge/measurements.ts';
import { cellName } from '../../src/model/run.ts';
import type { CellVerdict, GroupVerdict, MetricVerdict, Verdict } from '../../src/model/verdict.ts';
import { recordedOptions } from './recorded-options.ts';
import { type RecordedName, recordedNames, recordedRun } from './recorded-runs.ts';

const stored = (['01-unchanged', '02-unchanged', '07-unchanged'] as const).map(recordedRun);
const beside = {
  base: recordedRun('06-n-plus-1-interleaved-base'),
  head: recordedRun('06-n-plus-1-interleaved-head'),
};

/** Without the costs that prove the regressions at once. */
const { bytesReceived } = recordedOptions.signals;
const bytesAlone = { ...recordedOptions, signals: bytesReceived === undefined ? {} : { bytesReceived } };

function verdictOn(looks: Measurements, options = recordedOptions): Verdict {
  return judgeMeasurements(looks, { options, createdAt: '2026-11-22T00:00:00.000Z', seconds: 0 });
}

const against = (name: RecordedName) => verdictOn({ run: recordedRun(name), stored });

const percent = (share: number) => `${(100 * share).toFixed(2)}%`;

function row(one: MetricVerdict): string {
  const { metric, outcome, base, head, change, interval, smallestVisible, score, suspect, yardstick } = one;
  return [
    `    ${metric} ${outcome}${suspect ? ', suspect' : ''}: ${base.toPrecision(5)} to ${head.toPrecision(5)},`,
    `${percent(change)} [${percent(interval.low)}, ${percent(interval.high)}], score ${score.toFixed(3)},`,
    `sees ${percent(smallestVisible)}, ${one.roundsNeeded ?? 'no'} rounds, by ${yardstick.join(' and ') || 'nothing'}`,
  ].join(' ');
}

/** The rows that something can be wrong with: all but errors, which no recorded run has. */
const rowsOf = ({ metrics }: CellVerdict | GroupVerdict) =>
  metrics.filter(({ metric }) => metric !== 'errorRate').map(row);

function rows(name: string, { outcome, cells, groups }: Verdict): string {
  return [
    `${name}: ${outcome}`,
    ...cells.flatMap((cell) => [
      `  ${cellName(cell)}: ${[cell.outcome, ...cell.invalid.map(({ code }) => code)].join(' ')}`,
      ...rowsOf(cell),
    ]),
    ...groups.flatMap((group) => [`  ${group.scenario ?? 'all cells'}: ${group.outcome}`, ...rowsOf(group)]),
    '',
  ].join('\n');
}

const names = recordedOptions.cells.map(cellName);
const heads = recordedNames.filter((name) => name !== '01-unchanged' && !name.startsWith('06'));

describe('figures of recorded runs', () => {
  it('against three stored runs', async () => {
    const text = heads.map((name) => rows(name, against(name))).join('\n');
    await expect(text).toMatchFileSnapshot('figures/three-stored-runs.txt');
  });

  it('against one stored run', async () => {
    const one = stored.slice(0, 1);
    const text = (['07-unchanged', '05-plan-overview-n-plus-1', '10-synchronized-lookup'] as const)
      .map((name) => rows(name, verdictOn({ run: recordedRun(name), stored: one })))
      .join('\n');
    await expect(text).toMatchFileSnapshot('figures/one-stored-run.txt');
  });

  it('against an interleaved base, alone and as a second measurement', async () => {
    const again = { run: recordedRun('05-plan-overview-n-plus-1'), again: beside, stored };
    const text = [
      rows('next to base', verdictOn({ run: beside.head, base: beside.base })),
      rows('second measurement', verdictOn(again, bytesAlone)),
    ].join('\n');
    await expect(text).toMatchFileSnapshot('figures/interleaved.txt');
  });
});

/** Why a cell is red or looks worse: the rows that do, and the counted costs. */
function findings({ metrics, signals, outcome, invalid }: CellVerdict): string {
  const costs = signals.filter(({ failed }) => failed).map(({ name }) => name);
  const suspects = metrics.filter(({ suspect }) => suspect).map(({ metric }) => metric);
  const found = [...costs, ...suspects, ...invalid.map(({ code }) => code)];
  return found.length === 0
    ? ['pass', 'coarse'].includes(outcome)
      ? '-'
      : outcome
    : `${outcome}: ${found.join(' ')}`;
}

const suspectGroups = ({ groups }: Verdict) =>
  groups.filter(({ metrics }) => metrics.some(({ suspect }) => suspect)).map(({ scenario }) => scenario);

const quiet = recordedOptions.cells.map(() => '-');
const bytes = 'regression: bytesReceived';
const commands = 'regression: redisCommands';
const reads = 'regression: statements rowsRead';

/** By cell: trip-edit, plan-edit and trip-browse, at average and peak each. */
const expected: readonly (readonly [RecordedName, readonly string[]])[] = [
  ['02-unchanged', quiet],
  ['07-unchanged', quiet],
  // The faster hour got through another part of each pass: a fault of the load as it was recorded.
  ['08-unchanged-faster-hour', ['-', '-', '-', 'invalid: I_MIX', '-', '-']],
  ['09-unchanged-speed-changed-midway', quiet],
  ['12-unchanged', quiet],
  [
    '03-token-read-four-times',
    [
      commands,
      commands,
      `${commands} serviceCpu`,
      commands,
      `${commands} tps serviceCpu backingCpu`,
      `${commands} tps serviceCpu backingCpu`,
    ],
  ],
  // About 3% of CPU time, which nobody sees.
  ['04-sha256-250-times', quiet],
  [
    '05-plan-overview-n-plus-1',
    [
      '-',
      '-',
      `${reads} p95 tps serviceCpu backingCpu`,
      // Its mix of requests moved, so its counts prove nothing. Its times do.
      'regression: tps serviceCpu backingCpu',
      `${reads} tps backingCpu`,
      `${reads} p95 tps serviceCpu backingCpu`,
    ],
  ],
  // Behind the lock the generator waits, so it shows no speed. The run was given up early: one or two blocks each.
  [
    '10-synchronized-lookup',
    [
      'undecided: tps',
      'noise: I_STEAL',
      'noise: I_STEAL',
      'invalid: I_MIX',
      'undecided: tps',
      'regression: tps',
    ],
  ],
  ['11-trip-detail-20-kb-larger', quiet.map(() => bytes)],
];

describe('recorded runs against three stored ones', () => {
  it('are all of this table', () => {
    expect(expected.map(([name]) => name).toSorted()).toEqual(heads.toSorted());
  });

  it.each(expected)('%s', (name, cells) => {
    const verdict = against(name);
    expect(verdict.cells.map(findings)).toEqual(cells);
    if (name.includes('unchanged')) {
      expect(suspectGroups(verdict)).toEqual([]);
      expect(suspectCells(verdict)).toEqual([]);
    }
  });

  it.each(heads.filter((name) => name.includes('unchanged')))('%s, each time the sixth run', (name) => {
    const others = heads.filter((other) => other.includes('unchanged') && other !== name).map(recordedRun);
    const verdict = verdictOn({ run: recordedRun(name), stored: [recordedRun('01-unchanged'), ...others] });
    expect(verdict.cells.flatMap(({ metrics }) => metrics.filter(({ suspect }) => suspect))).toEqual([]);
    expect(suspectGroups(verdict)).toEqual([]);
  });

  it('are divided by the parts that head did not move', () => {
    const yardsticks = (name: RecordedName) =>
      against(name).cells.map(({ metrics }) => metrics.find(({ metric }) => metric === 'tps')?.yardstick);
    // Redis commands are the work of the backing services, in all cells.
    expect(yardsticks('03-token-read-four-times')).toEqual(names.map(() => ['generator']));
    // The same for statements, in the four cells that ask for the overview.
    const [both, one] = [['generator', 'backing'], ['generator']];
    expect(yardsticks('05-plan-overview-n-plus-1')).toEqual([both, both, one, one, one, one]);
    // Larger responses are the work of the generator.
    expect(yardsticks('11-trip-detail-20-kb-larger')).toEqual(names.map(() => ['backing']));
  });

  it('need no second measurement where a counted cost fails, and one where times alone are worse', () => {
    expect(suspectCells(against('05-plan-overview-n-plus-1'))).toEqual([]);
    expect(suspectCells(against('10-synchronized-lookup'))).toEqual([names[0], names[4], names[5]]);
  });
});

describe('recorded runs next to their base', () => {
  const verdict = verdictOn({ run: beside.head, base: beside.base });

  it('are red where the overview is asked for, and not where it is not', () => {
    expect(verdict.cells.map(findings)).toEqual([
      '-',
      '-',
      `${reads} p95 tps serviceCpu backingCpu`,
      'invalid: I_MIX',
      // Two of four blocks of the second, and three of the first, were not robbed of CPU time.
      `${reads} backingCpu`,
      `${reads} tps serviceCpu backingCpu`,
    ]);
  });

  it('confirm it as a second measurement, by times alone', () => {
    const looks = { run: recordedRun('05-plan-overview-n-plus-1'), again: beside, stored };
    const { cells } = verdictOn(looks, bytesAlone);
    expect(cells.slice(2).map(({ outcome }) => outcome)).toEqual([
      'regression',
      'regression',
      'regression',
      'regression',
    ]);
  });
});
