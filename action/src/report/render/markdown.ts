import { markdownTable } from 'markdown-table';
import type { Verdict } from '../../model/verdict.ts';
import { renderReport } from '../content/fit-report.ts';
import { type ContentOptions, type Depth, reportContent } from '../content/report-content.ts';
import type { Extent, Report, Section } from '../content/report-parts.ts';
import { markdownInline, markdownLine, markdownPhrase } from '../format/markdown-text.ts';

function list(items: readonly string[]): string {
  return items.map((item) => `- ${markdownLine(item)}`).join('\n');
}

function table({ columns, entries }: Section<string>): string {
  const titles = columns.map(({ title, untitled }) => (untitled ? '' : markdownInline(title)));
  const rows = entries.flat().map(({ cells }) => cells);
  return markdownTable([titles, ...rows], { align: columns.map(({ align }) => align) });
}

function details(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}

function sectionText(section: Section<string>): string {
  const { part, title, entries, columns, folded, note } = section;
  const body =
    columns.length === 0 ? list(entries.flat().map(({ cells }) => cells.join(''))) : table(section);
  if (folded) return details(title, body);
  // The sentence above the table of changes already says what it shows.
  const heading = part === 'notes' ? [`**${title}**`] : [];
  return [...heading, body, ...(note === undefined ? [] : [note])].join('\n\n');
}

function reportText(report: Report<string>): string {
  const { sentence, because, sections, steps, facts, omitted } = report;
  const [folded, open] = [true, false].map((one) =>
    sections.filter((section) => (section.folded ?? false) === one).map(sectionText),
  );
  return [
    [sentence, ...(because.length === 0 ? [] : ['', list(because)])].join('\n'),
    ...(open ?? []),
    ...steps.map((step) => `**Next:** ${step}`),
    ...(folded ?? []),
    ...(omitted === undefined ? [] : [omitted]),
    details('How this was measured', list(facts.map(({ label, text }) => `${label} ${text}`))),
  ].join('\n\n');
}

export interface MarkdownForm extends Depth {
  /** What precedes and follows the report. */
  readonly frame: (report: string) => string;
  readonly fits: (text: string) => boolean;
  readonly most?: Extent;
}

/** The verdict as Markdown, as much of it as the form accepts. */
export function renderMarkdown(verdict: Verdict, options: ContentOptions, form: MarkdownForm): string {
  const { frame, ...limits } = form;
  return renderReport(reportContent(verdict, options, form), {
    say: markdownPhrase,
    render: (report) => frame(reportText(report)),
    ...limits,
  });
}
