import type { NoiseOfRuns, UnchangedChecks } from '../../model/calibration.ts';
import { metrics } from '../../model/metric.ts';
import type { Paint } from '../format/paint.ts';
import { countOf } from '../format/phrase.ts';
import { renderTable, type TableRow } from '../format/text-layout.ts';
import { rateText, shareText } from './detection-cells.ts';

const sd = (value: number) => `${(100 * value).toFixed(1)}%`;

/** What checks of unchanged runs said, and which tolerances they support. */
export function unchangedReport({ checks, red, suspect, tolerances }: UnchangedChecks): string {
  if (checks === 0)
    return '\nA check of unchanged code needs 4 runs: it compares one with those before it.\n';
  const rate = (title: string, of: UnchangedChecks['red']) => `${title} ${rateText(of)}`;
  const least = tolerances.map(({ metric, tolerance }) => `${metrics[metric].title} ${shareText(tolerance)}`);
  return [
    '',
    `Each run checked against the ones before it, ${countOf(checks, 'check')}: ${rate('red', red)}, ${rate('measured again', suspect)}.`,
    least.length === 0
      ? 'No tolerance up to 100% lets unchanged code pass in 95% of them.'
      : `Smallest tolerances with which unchanged code passes in 95% of them: ${least.join(', ')}.`,
    '',
  ].join('\n');
}

/** The noise of several runs of one commit, as a table of standard deviations. */
export function calibrationReport({ runs, cells, parts }: NoiseOfRuns, paint: Paint): string {
  if (parts.length === 0) {
    return `${countOf(runs, 'run')} of ${countOf(cells, 'cell')} do not show their noise: it takes 2 runs of 2 cells in 3 rounds\n`;
  }
  const columns = [
    { title: 'metric', align: 'left' },
    { title: 'machine speed', align: 'left' },
    { title: 'blocks', align: 'right' },
    { title: 'boots', align: 'right' },
    { title: 'hours', align: 'right' },
  ] as const;
  const rows = parts.map(
    ({ metric, kind, block, boot, run }): TableRow => [
      { text: metrics[metric].title },
      { text: kind === 'raw' ? 'as it was' : 'divided out' },
      { text: sd(block) },
      { text: sd(boot) },
      { text: sd(run) },
    ],
  );
  return [
    `Standard deviations of logs, from ${countOf(runs, 'run')} of ${countOf(cells, 'cell')}, without the first round:`,
    '',
    ...renderTable({ columns, rows }, Number.POSITIVE_INFINITY, paint),
    '',
  ].join('\n');
}
