import type { History, HistoryGroup, HistoryRun } from '../../model/history.ts';
import { type MetricName, metrics, worsening } from '../../model/metric.ts';
import { formatFigure } from '../format/figure.ts';
import { htmlText } from '../format/html-text.ts';
import { formatCount } from '../format/number.ts';
import { countOf } from '../format/phrase.ts';
import { changeText, trendCharts } from '../pictures/trend-charts.ts';
import type { BadgeState } from './badge.ts';
import { htmlTable } from './html-table.ts';
import { staticPage } from './static-page.ts';
import { shortMachine } from './stored-runs.ts';

/** Browsers become slow beyond this size. The rest of the page is for tables. */
const mostPictureBytes = 1_500_000;
/** Runs of a group that are drawn and listed, the newest ones. */
const mostRuns = 250;
const mostChanges = 100;
const mostGroups = 24;

export interface HistoryPageOptions {
  /** Name of the service. */
  readonly name: string;
  /** What `state` says of the newest run. */
  readonly sentence: string;
  readonly state: BadgeState;
  /** Where the runs are stored. */
  readonly place: string;
}

/** All stored runs as one page without script and network. */
export function renderHistory(
  history: History,
  { name, sentence, state, place }: HistoryPageOptions,
): string {
  const groups = history.groups.slice(0, mostGroups).map(newestOf);
  const title = `Performance of ${name === '' ? 'the default branch' : name}`;
  return staticPage({
    title,
    sentence,
    state,
    main: [changesTable(groups), ...pictures(groups)],
    footer: `<p class="note">${htmlText(place)}. Each run is shown as if its machine had been as fast as in the newest run of its kind.</p>`,
  });
}

/** A group of which only the newest runs are shown. */
interface ShownGroup extends HistoryGroup {
  /** Runs that the group has. */
  readonly total: number;
}

/** The newest runs of a group. Levels that ended before them are left out. */
function newestOf(group: HistoryGroup): ShownGroup {
  const left = Math.max(0, group.runs.length - mostRuns);
  const total = group.runs.length;
  if (left === 0) return { ...group, total };
  const moved = <T extends { readonly run: number }>(items: readonly T[]) =>
    items.filter(({ run }) => run >= left).map((item) => ({ ...item, run: item.run - left }));
  return {
    ...group,
    total,
    runs: group.runs.slice(left),
    cells: group.cells.map(({ name, series }) => ({
      name,
      series: series
        .map((one) => ({ ...one, points: moved(one.points), changes: moved(one.changes) }))
        .filter(({ points }) => points.length > 0),
    })),
  };
}

function changesTable(groups: readonly HistoryGroup[]): string {
  const changes = groups
    .flatMap(({ runs, suite, cells }) =>
      cells.flatMap(({ name, series }) =>
        series.flatMap(({ metric, changes: found }) =>
          found.flatMap((change) => {
            const run = runs[change.run];
            return run === undefined ? [] : [{ run, suite, name, metric, change }];
          }),
        ),
      ),
    )
    .toSorted((a, b) => Date.parse(b.run.startedAt) - Date.parse(a.run.startedAt));
  if (changes.length === 0) return '<p>No level changed in these runs.</p>';
  const table = htmlTable({
    title: 'Levels that changed',
    columns: [
      { title: 'since', align: 'left' },
      { title: 'commit', align: 'left' },
      { title: 'cell', align: 'left' },
      { title: 'metric', align: 'left' },
      { title: 'change', align: 'right' },
      { title: 'before', align: 'right' },
      { title: 'after', align: 'right' },
    ],
    entries: changes.slice(0, mostChanges).map(({ run, name, metric, change }) => [
      {
        cells: [
          run.startedAt.slice(0, 10),
          commitCode(run),
          htmlText(name),
          htmlText(metrics[metric].title),
          worsening(metric, change.after - change.before) > 0
            ? `<strong>${changeText(metric, change)}</strong>`
            : changeText(metric, change),
          formatFigure(metric, change.before),
          formatFigure(metric, change.after),
        ],
      },
    ]),
  });
  const left = changes.length - mostChanges;
  const note = left > 0 ? `\n<p class="note">${countOf(left, 'older change')} left out.</p>` : '';
  return `<h2>Levels that changed</h2>\n${table}${note}`;
}

/** The newest group open, the others folded, as far as the pictures fit. */
function pictures(groups: readonly ShownGroup[]): readonly string[] {
  let bytes = 0;
  return groups.map((group, index) => {
    const cells = group.cells.map((cell) => {
      const charts = trendCharts(group, cell);
      bytes += Buffer.byteLength(charts);
      const drawn =
        bytes > mostPictureBytes
          ? '<p class="note">More charts would make this page too large to open quickly.</p>'
          : `<div class="charts">${charts}</div>`;
      const open = index === 0 ? ' open' : '';
      return `<details class="cell"${open}>\n<summary>${htmlText(cell.name)}</summary>\n${drawn}\n</details>`;
    });
    const content = [...cells, runsTable(group)].join('\n');
    const heading = htmlText(
      `Suite ${group.suite}, ${runsText(group)} on ${shortMachine(group.fingerprint)}`,
    );
    if (index === 0) return `<h2>${heading}</h2>\n${content}`;
    return `<details>\n<summary>${heading}: ${htmlText(lastDay(group))}, not comparable with the runs above</summary>\n${content}\n</details>`;
  });
}

function runsText({ runs, total }: ShownGroup): string {
  const all = `${formatCount(total)} ${total === 1 ? 'run' : 'runs'}`;
  return runs.length === total ? all : `the newest ${formatCount(runs.length)} of ${all}`;
}

function lastDay({ runs }: Pick<HistoryGroup, 'runs'>): string {
  return `until ${runs.at(-1)?.startedAt.slice(0, 10) ?? ''}`;
}

const listed: readonly MetricName[] = ['p95', 'tps'];

function runsTable({ runs, cells }: HistoryGroup): string {
  const shown = cells.slice(0, 6);
  const columns = shown.flatMap(({ name }) =>
    listed.map((metric) => ({ title: `${name} ${metrics[metric].title}`, align: 'right' }) as const),
  );
  const values = new Map(
    shown.flatMap(({ name, series }) =>
      series.flatMap(({ metric, points }) =>
        points.map(({ run, value }) => [`${run} ${metric} ${name}`, formatFigure(metric, value)] as const),
      ),
    ),
  );
  const table = htmlTable({
    title: `Runs ${lastDay({ runs })}, newest first`,
    columns: [
      { title: 'started', align: 'left' },
      { title: 'commit', align: 'left' },
      { title: 'marks', align: 'left' },
      ...columns,
    ],
    entries: runs
      .map((run, index) => [
        {
          cells: [
            run.startedAt.slice(0, 16).replace('T', ' '),
            commitCode(run),
            run.marks.map(({ name }) => `<strong>${htmlText(name)}</strong>`).join(', '),
            ...shown.flatMap(({ name }) =>
              listed.map((metric) => values.get(`${index} ${metric} ${name}`) ?? ''),
            ),
          ],
        },
      ])
      .toReversed(),
  });
  return `<details>\n<summary>${countOf(runs.length, 'run')}, newest first</summary>\n${table}\n</details>`;
}

function commitCode({ commit }: Pick<HistoryRun, 'commit'>): string {
  return commit === '' ? '(none)' : `<code>${htmlText(commit.slice(0, 8))}</code>`;
}
