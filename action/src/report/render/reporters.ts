import type { Verdict } from '../../model/verdict.ts';
import type { ContentOptions } from '../content/report-content.ts';
import { renderComment } from './comment.ts';
import { type PageOptions, renderPage } from './page.ts';
import { renderSummary } from './summary.ts';
import { renderTerminal } from './terminal.ts';

interface Reporter<Options extends ContentOptions> {
  readonly render: (verdict: Verdict, options: Options) => string;
}

/** A reporter whose text every check writes into its result folder. */
interface FileReporter extends Reporter<PageOptions> {
  readonly file: string;
}

/** Every output, by its name. A new output is one file in this folder and one row here. */
export const reporters = {
  terminal: { render: renderTerminal },
  comment: { render: renderComment },
  summary: { render: renderSummary },
  page: { file: 'report.html', render: renderPage },
} as const satisfies Readonly<Record<string, Reporter<never> | FileReporter>>;

export interface ReportFile {
  /** Name within the result folder. */
  readonly name: string;
  readonly text: string;
}

/** The files of all reporters that write one. */
export function reportFiles(verdict: Verdict, options: PageOptions): readonly ReportFile[] {
  return Object.values(reporters).flatMap((reporter) =>
    'file' in reporter ? [{ name: reporter.file, text: reporter.render(verdict, options) }] : [],
  );
}
