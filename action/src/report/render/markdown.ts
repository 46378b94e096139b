import { markdownTable } from 'markdown-table';
import type { Verdict } from '../../model/verdict.ts';
import { renderReport } from '../content/fit-report.ts';
import { pullRequestContent } from '../content/pull-request-content.ts';
import type { ContentOptions, Depth } from '../content/report-content.ts';
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

function sectionBody(section: Section<string>): string {
  const { columns, entries, note } = section;
  const body =
    columns.length === 0 ? list(entries.flat().map(({ cells }) => cells.join(''))) : table(section);
  return note === undefined ? body : `${body}\n\n${note}`;
}

function openText(section: Section<string>): string {
  const body = sectionBody(section);
  // The sentence above the table of changes already says what it shows.
  return section.part === 'notes' ? `**${section.title}**\n\n${body}` : body;
}

/** Notes share one fold, so that the reader need not open each of them. */
function foldedTexts(sections: readonly Section<string>[]): readonly string[] {
  const notes = sections.filter(({ part }) => part === 'notes');
  return [
    ...(notes.length === 0 ? [] : [details('All findings', notes.map(openText).join('\n\n'))]),
    ...sections
      .filter(({ part }) => part !== 'notes')
      .map((section) => details(section.title, sectionBody(section))),
  ];
}

function reportText(report: Report<string>): string {
  const { sentence, because, sections, steps, facts, omitted } = report;
  return [
    sentence,
    ...because,
    ...sections.filter(({ folded }) => !folded).map(openText),
    ...steps.map((step) => `**Next step:** ${step}`),
    ...foldedTexts(sections.filter(({ folded }) => folded)),
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
  return renderReport(pullRequestContent(verdict, options, form), {
    say: markdownPhrase,
    render: (report) => frame(reportText(report)),
    ...limits,
  });
}
