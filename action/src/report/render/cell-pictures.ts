import type { CheckRecord } from '../../model/record.ts';
import { cellName } from '../../model/run.ts';
import type { CellVerdict } from '../../model/verdict.ts';
import { cellLiteral, loadOf, signalTable, type Table } from '../content/tables.ts';
import { htmlPhrase } from '../format/html-text.ts';
import { formatPoints, formatShare } from '../format/number.ts';
import { blockCharts } from '../pictures/block-charts.ts';
import { axisOfCell, axisOfWarmUp, profilesOf } from '../pictures/cell-blocks.ts';
import { endpointFigures } from '../pictures/endpoint-figures.ts';
import { changedFrames, flameFrames, isComparable } from '../pictures/flame-frames.ts';
import { flameGraph, longestMethod } from '../pictures/flame-graph.ts';
import { historyCharts } from '../pictures/history-charts.ts';
import { element } from '../pictures/markup.ts';
import { percentileChart } from '../pictures/percentile-chart.ts';
import { timeAxis } from '../pictures/time-axis.ts';
import { htmlTable } from './html-table.ts';

const methodColumns: Table['columns'] = [
  { title: 'method', align: 'left' },
  { title: 'base', align: 'right' },
  { title: 'head', align: 'right' },
  { title: 'change', align: 'right' },
];

/** Everything that is drawn of one cell, which the reader may fold. */
export function cellPictures(record: CheckRecord, cell: CellVerdict, isOpen: boolean): string {
  const name = cellName(cell);
  const charts = [percentileChart(record, name), blockCharts(record, name), historyCharts(record, cell)].join(
    '',
  );
  const parts = [
    charts === '' ? '' : element('div', { class: 'charts' }, charts),
    titled('Endpoints', name, endpointFigures(record, cell)),
    titled('Costs and gauges', name, signalTable([cell])),
    whichCodePicture(record, name),
    timeAxis(axisOfCell(record, name), name),
  ].filter((part) => part !== '');
  return [
    `<details class="cell"${isOpen ? ' open=""' : ''}>`,
    `<summary>${htmlPhrase([cellLiteral(cell), `, ${loadOf(cell)}`])}</summary>`,
    ...parts,
    '</details>',
  ].join('\n');
}

/** How the service settled, which the reader may fold; empty without series of a warm-up. */
export function warmUpPictures(record: CheckRecord): string {
  const axis = timeAxis(axisOfWarmUp(record), 'warm-up');
  return axis === '' ? '' : `<details class="cell">\n<summary>Warm-up</summary>\n${axis}\n</details>`;
}

/** Which code of a cell uses the CPU, and which uses more or less of it than in base; empty without profiles of both. */
function whichCodePicture(record: CheckRecord, name: string): string {
  const profiles = profilesOf(record, name);
  if (profiles === undefined) return '';
  if (!isComparable(profiles))
    return '<p class="note">The CPU of base and head was sampled in different ways, or not at all, so it cannot be compared.</p>';
  const changed = changedFrames(profiles);
  const entries = [...changed.grown, ...changed.shrunk].map((one) => [
    {
      cells: [
        [{ literal: one.name, longest: longestMethod }],
        [formatShare(one.base)],
        [formatShare(one.head)],
        [formatPoints(one.head - one.base)],
      ].map(htmlPhrase),
    },
  ]);
  const table = {
    title: `Methods whose share of the CPU changed in ${name}`,
    columns: methodColumns,
    entries,
  };
  return [
    '<h3>Which code</h3>',
    flameGraph(flameFrames(profiles), changed, name),
    entries.length === 0
      ? '<p class="note">No method changed its share of the CPU beyond chance.</p>'
      : `<details>\n<summary>Methods whose share changed beyond chance</summary>\n${htmlTable(table)}\n</details>`,
  ].join('\n');
}

/** Screen readers tell the tables of the cells apart by the cell's name. */
function titled(title: string, cell: string, { columns, entries }: Table): string {
  if (entries.length === 0) return '';
  const said = entries.map((rows) => rows.map((row) => ({ ...row, cells: row.cells.map(htmlPhrase) })));
  return `<h3>${title}</h3>\n${htmlTable({ title: `${title} of ${cell}`, columns, entries: said })}`;
}
