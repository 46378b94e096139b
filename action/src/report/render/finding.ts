import type { Finding, FindingRow, FindingTable } from '../content/finding.ts';
import { htmlText } from '../format/html-text.ts';
import type { Paint, Style } from '../format/paint.ts';
import { renderTable, wrap } from '../format/text-layout.ts';
import { fixedChart } from '../pictures/fixed-chart.ts';
import { htmlTable } from './html-table.ts';
import { staticPage } from './static-page.ts';

const narrowest = 80;
const widest = 140;
const labelWidth = 9;

const stateStyles: Readonly<Record<Finding['state'], Style>> = {
  pass: 'green',
  regression: 'red',
  undecided: 'yellow',
  unknown: 'bold',
};
const rowStyles: Readonly<Record<NonNullable<FindingRow['state']>, Style>> = { best: 'green', bad: 'red' };

/** What an experiment found as text for a terminal. The next step comes last, right above the prompt. */
export function findingText(
  { title, sentence, state, because, tables, facts, nextSteps }: Finding,
  options: { readonly width: number; readonly paint: Paint },
): string {
  const width = Math.min(widest, Math.max(narrowest, options.width));
  const { paint } = options;
  const [first = '', ...rest] = wrap(`${title}: ${sentence}`, width);
  const head = first.startsWith(title) ? paint(stateStyles[state], title) + first.slice(title.length) : first;
  const blocks = [
    [head, ...rest, ...because.flatMap((reason) => wrap(reason, width, '  ', '    '))],
    ...tables.map((table) => tableLines(table, width, paint)),
    facts
      .flatMap(({ label, text }) => wrap(text, width, label.padEnd(labelWidth), ' '.repeat(labelWidth)))
      .map((line) => paint('dim', line)),
    nextSteps.flatMap((step) => wrap(`Next: ${step}`, width, '', '  ')).map((line) => paint('bold', line)),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function tableLines({ title, columns, rows, note }: FindingTable, width: number, paint: Paint): string[] {
  const body = renderTable(
    {
      columns,
      rows: rows.map(({ cells, state }) =>
        cells.map((text) => (state === undefined ? { text } : { text, style: rowStyles[state] })),
      ),
    },
    width,
    paint,
    '  ',
  );
  const notes = note === undefined ? [] : wrap(note, width, '  ').map((line) => paint('dim', line));
  return [paint('bold', title), ...body, ...notes];
}

/** What an experiment found as a page with its pictures, without script and network. */
export function findingPage({
  title,
  sentence,
  state,
  because,
  tables,
  charts,
  facts,
  nextSteps,
}: Finding): string {
  const reasons = because.map((reason) => `<li>${htmlText(reason, 600)}</li>`).join('\n');
  return staticPage({
    title,
    sentence,
    state,
    because: reasons === '' ? '' : `<ul>\n${reasons}\n</ul>`,
    main: [
      `<div class="charts">${charts.map(fixedChart).join('')}</div>`,
      ...tables.map(tableHtml),
      ...nextSteps.map((step) => `<p class="next"><strong>Next:</strong> ${htmlText(step, 600)}</p>`),
    ],
    footer: `<dl>${facts.map(({ label, text }) => `<dt>${htmlText(label)}</dt><dd>${htmlText(text, 600)}</dd>`).join('')}</dl>`,
  });
}

function tableHtml({ title, columns, rows, note }: FindingTable): string {
  const entries = rows.map(({ cells, state }) => {
    const texts = cells.map((cell) => htmlText(cell, 600));
    return [
      {
        cells: state === 'best' ? texts.map((cell) => `<b>${cell}</b>`) : texts,
        failed: state === 'bad',
      },
    ];
  });
  const notes = note === undefined ? '' : `\n<p class="note">${htmlText(note, 600)}</p>`;
  return `<h2>${htmlText(title)}</h2>\n${htmlTable({ title, columns, entries })}${notes}`;
}
