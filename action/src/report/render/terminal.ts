import type { Verdict } from '../../model/verdict.ts';
import { renderReport } from '../content/fit-report.ts';
import { type ContentOptions, reportContent } from '../content/report-content.ts';
import type { Report, Row, Section } from '../content/report-parts.ts';
import type { Paint, Style } from '../format/paint.ts';
import { plainPhrase } from '../format/plain-text.ts';
import { renderTable, type TableRow, wrap } from '../format/text-layout.ts';

export interface TerminalOptions extends ContentOptions {
  /** Columns of the screen; kept between 80 and 140. */
  readonly width: number;
  readonly paint: Paint;
}

const narrowest = 80;
const widest = 140;
/** Room for the labels of the provenance. */
const labelWidth = 9;

const outcomeStyles: Readonly<Record<Report<string>['outcome'], Style>> = {
  pass: 'green',
  coarse: 'green',
  accepted: 'yellow',
  undecided: 'yellow',
  noise: 'yellow',
  regression: 'red',
  invalid: 'yellow',
  measured: 'bold',
};

function rowStyle({ metric, failed = false }: Row<string>): Style | undefined {
  if (failed || metric?.outcome === 'regression') return 'red';
  return metric?.improved ? 'green' : undefined;
}

/** The rows of an entry, with its name as a heading above them where the table is grouped. */
function entryRows(rows: readonly Row<string>[], grouped: boolean): TableRow[] {
  const [first] = rows;
  const heading = grouped && first !== undefined ? [{ heading: first.cells[0] ?? '' }] : [];
  return [
    ...heading,
    ...rows.map((row) => {
      const style = rowStyle(row);
      const cells = grouped ? row.cells.slice(1) : row.cells;
      return cells.map((text) => (style === undefined ? { text } : { text, style }));
    }),
  ];
}

function sectionLines(section: Section<string>, width: number, paint: Paint): string[] {
  const { title, columns, entries, grouped = false, note } = section;
  const indent = grouped ? '    ' : '  ';
  const body =
    columns.length === 0
      ? entries.flat().flatMap(({ cells }) => wrap(cells.join(''), width, indent, '    '))
      : renderTable(
          {
            columns: grouped ? columns.slice(1) : columns,
            rows: entries.flatMap((rows) => entryRows(rows, grouped)),
          },
          width,
          paint,
          indent,
        );
  const notes = note === undefined ? [] : wrap(note, width, '  ').map((line) => paint('dim', line));
  return [paint('bold', title), ...body, ...notes];
}

function reportText(report: Report<string>, word: string, width: number, paint: Paint): string {
  const { outcome, sentence, because, sections, steps, facts, omitted } = report;
  const [first = '', ...rest] = wrap(sentence, width);
  const dim = (lines: readonly string[]) => lines.map((line) => paint('dim', line));
  const blocks = [
    [
      paint(outcomeStyles[outcome], word) + first.slice(word.length),
      ...rest,
      ...because.flatMap((reason) => wrap(reason, width, '  ', '    ')),
    ],
    ...sections.map((section) => sectionLines(section, width, paint)),
    omitted === undefined ? [] : wrap(omitted, width),
    dim(
      facts.flatMap(({ label, text }) => wrap(text, width, label.padEnd(labelWidth), ' '.repeat(labelWidth))),
    ),
    steps.flatMap((step) => wrap(`Next: ${step}`, width, '', '  ')).map((line) => paint('bold', line)),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** The verdict as text for a terminal. The next step comes last, right above the prompt. */
export function renderTerminal(verdict: Verdict, options: TerminalOptions): string {
  const width = Math.min(widest, Math.max(narrowest, options.width));
  const content = reportContent(verdict, options, { mostEndpoints: 5, detail: 'changes' });
  const word = plainPhrase(content.sentence.slice(0, 1));
  return renderReport(content, {
    say: plainPhrase,
    render: (report) => reportText(report, word, width, options.paint),
    fits: () => true,
    most: { changed: 10, notes: 40, endpoints: 5, folded: 20 },
  });
}
