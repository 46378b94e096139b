import type { Detection, Rate } from '../../model/detection.ts';
import { metrics } from '../../model/metric.ts';
import { formatShare } from '../format/number.ts';
import { tolerancesText } from './calibration.ts';
import { rateText, shareText, table } from './detection-cells.ts';
import {
  changesTable,
  equalTable,
  leversTable,
  powerTables,
  regimesTable,
  seriesTable,
  unchangedTable,
} from './detection-recorded.ts';
import { simulationTables } from './detection-simulation.ts';
import { standingsTable } from './detection-standings.ts';

/** The tables of the bench's results, by the names that the page has for them. */
export interface DetectionTables {
  readonly data: string;
  readonly noise: string;
  readonly unchanged: string;
  readonly regimes: string;
  readonly power: string;
  readonly equal: string;
  readonly levers: string;
  readonly changes: string;
  readonly series: string;
  readonly simulation: string;
  readonly standings: string;
}

export function detectionTables(found: Detection): DetectionTables {
  return {
    data: dataText(found),
    noise: noiseText(found),
    unchanged: unchangedTable(found),
    regimes: regimesTable(found),
    power: powerTables(found),
    equal: equalTable(found),
    levers: leversTable(found),
    changes: changesTable(found),
    series: seriesTable(found),
    simulation: simulationTables(found),
    standings: standingsTable(found),
  };
}

function dataText({ data, commit, date, machine, seconds }: Detection): string {
  const regimes = (of: Detection['data']['regimes']) =>
    Object.entries(of)
      .map(([regime, count]) => `${count} ${regime}`)
      .join(', ');
  const pairs =
    data.pairs === 0
      ? 'none, so pairs are drawn from the blocks of single runs'
      : `${data.pairs} (${regimes(data.pairRegimes)})`;
  return table([
    ['what', 'value'],
    ['unchanged runs', `${data.runs} (${regimes(data.regimes)})`],
    ['unchanged pairs, interleaved', pairs],
    ['runs of changed code', String(data.changes)],
    ['blocks of the cells whose times are judged', String(data.blocks)],
    [
      'unchanged runs recorded',
      `${data.from.slice(0, 16)} to ${data.to.slice(0, 16)} UTC, on ${data.recordedOn}`,
    ],
    ['stored runs that rules may look at, at most', String(data.history)],
    ['checks per scene', String(data.trials)],
    [
      'judged by',
      `commit ${commit.slice(0, 12)}, ${date}, on ${machine.cpuModel}, ${machine.cpuCount} cores`,
    ],
    ['time that the bench took', `${Math.round(seconds)} s`],
  ]);
}

function noiseText({ noise, tolerances }: Detection): string {
  const rows = noise.flatMap(({ machine, from, runs, parts }) =>
    parts.map(({ metric, kind, block, boot, run }) => [
      `${machine}, ${from.slice(0, 10)}`,
      metrics[metric].title,
      kind === 'raw' ? 'as it was' : 'divided out',
      String(runs),
      formatShare(block),
      formatShare(boot),
      formatShare(run),
    ]),
  );
  const header = ['machine, from', 'metric', 'machine speed', 'runs', 'blocks', 'boots', 'between runs'];
  return [table([header, ...rows], 3), tolerancesText(tolerances)].join('\n\n');
}

/** The rules that a short table shows: one of each kind. Pairs that were only resampled are for readers of the whole page. */
const wellKnown = [
  'perf-gate-stored',
  'github-action-benchmark-150',
  'bencher-percentage-10',
  'bencher-t',
  'base-then-head-25',
  'k6-thresholds-1.1',
];
const interleaved = ['perf-gate-beside', 'clickhouse', 'kayenta'];

/** What a reader who compares tools asks first: the rules next to each other, and figures of this project's own. */
export function detectionOverview(found: Detection): string {
  return [overviewTable(found), ownFigures(found)].join('\n\n');
}

function overviewTable(found: Detection): string {
  const redOf = (rule: string, scene: string) => shareText(redIn(found, rule, scene).rate);
  return table([
    ['rule', 'unchanged', '+10% CPU', '+10% waiting', '+30% CPU'],
    ...[...wellKnown, ...(found.data.pairs > 0 ? interleaved : [])].map((rule) => [
      found.rules.find(({ name }) => name === rule)?.title ?? rule,
      rateText(unchangedOf(found, rule).red),
      redOf(rule, 'cpu 10%'),
      redOf(rule, 'waiting 10%'),
      redOf(rule, 'cpu 30%'),
    ]),
  ]);
}

function ownFigures(found: Detection): string {
  const [stored, beside] = ['perf-gate-stored', 'perf-gate-beside'] as const;
  const { pairs } = found.data;
  const power = (scene: string) => rateText(redIn(found, stored, scene));
  const { runs = 0, suspect } = unchangedOf(found, stored);
  const { runs: besideRuns = 0 } = unchangedOf(found, beside);
  const once = required(
    found.levers.find(({ lever, scene }) => lever === 'confirmation' && scene === 'unchanged'),
    'one measurement of unchanged code',
  );
  const simulated = found.simulated.filter(({ scene }) => scene === 'unchanged');
  const ratesOf = (name: string) => simulated.filter(({ rule }) => rule === name).map(({ red }) => red.rate);
  const least = (name: string) => shareText(Math.min(...ratesOf(name)));
  const most = (name: string) => shareText(Math.max(...ratesOf(name)));
  const worlds = new Set(simulated.map(({ world }) => world)).size;
  return [
    `Compared with stored runs, perf-gate found ${power('cpu 10%')} of the changes that slow one cell by 10%, and ${power('cpu 20%')} of those by`,
    `20%. It found ${power('cpu 5% everywhere')} of those that slow all cells by 5%. Only ${runs} runs and ${besideRuns} pairs could be judged yet,`,
    `${pairs} of them recorded as pairs, so the intervals are wide. ${shareText(suspect)} of the checks of unchanged code needed a second`,
    `measurement. Without it they would have been undecided, or red (${shareText(once.red.rate)} of all checks).`,
    '',
    `On the best of ${worlds} simulated machines the rule fails ${least(stored)} of unchanged code, and ${most(stored)} on the worst one. Base next to`,
    `head, it is ${least(beside)} and ${most(beside)}.`,
  ].join('\n');
}

function redIn({ power }: Detection, rule: string, scene: string): Rate {
  return required(
    power.find((one) => one.rule === rule && one.scene === scene),
    `${rule} in ${scene}`,
  ).red;
}

function unchangedOf({ unchanged }: Detection, rule: string): Detection['unchanged'][number] {
  return required(
    unchanged.find((one) => one.regime === 'all' && one.rule === rule),
    `${rule} of unchanged code`,
  );
}

function required<Found>(found: Found | undefined, what: string): Found {
  if (found === undefined) throw new Error(`the results lack ${what}`);
  return found;
}

/** All tables, for a terminal. */
export function detectionReport(found: Detection): string {
  const { data, noise, unchanged, regimes, power, equal, levers, changes, series, simulation, standings } =
    detectionTables(found);
  return [
    ['Data', data],
    ['Noise', noise],
    ['Unchanged code', unchanged],
    ['Unchanged code by regime', regimes],
    ['Power', power],
    ['Equal false alarms, equal power', equal],
    ['What each part adds', levers],
    ['Recorded changes, by the first measurement', changes],
    ['Change points', series],
    ['Simulation', simulation],
    ['Each peer next to perf-gate', standings],
  ]
    .map(([heading, text]) => `## ${heading}\n\n${text}\n`)
    .join('\n');
}
