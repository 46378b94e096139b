import type { NoiseOfRuns, UnchangedChecks } from '../../model/calibration.ts';
import type { SupportedTolerance } from '../../model/detection.ts';
import { metrics } from '../../model/metric.ts';
import { formatShare } from '../format/number.ts';
import type { Paint } from '../format/paint.ts';
import { countOf } from '../format/phrase.ts';
import { renderTable, type TableRow } from '../format/text-layout.ts';
import { rateText } from './detection-cells.ts';

/** What checks of unchanged runs said, and which tolerances they support. */
export function unchangedReport({ checks, red, suspect, couldNot, tolerances }: UnchangedChecks): string {
  if (checks === 0) {
    return '\nA check of unchanged code needs at least 4 runs, because it compares a run with 3 before it.\n';
  }
  return [
    '',
    `Each run checked against those before it, ${countOf(checks, 'check')}: red ${rateText(red)}, measured again ${rateText(suspect)}, could not say ${rateText(couldNot)}.`,
    tolerancesText(tolerances),
    '',
  ].join('\n');
}

export function tolerancesText(tolerances: readonly SupportedTolerance[]): string {
  const least = tolerances.map(({ metric, tolerance, checks, isSure }) => {
    const size = tolerance === undefined ? 'none is wide enough' : formatShare(tolerance);
    return `${metrics[metric].title}: ${size} (${countOf(checks, 'check')}${isSure ? '' : ', too few to be sure'}).`;
  });
  return least.length === 0
    ? 'No check could be judged, so nothing is known of tolerances.'
    : `Unchanged code passes at once in 95% of the checks that could be judged if the tolerances are no smaller than these. ${least.join(' ')}`;
}

const hours = { title: 'of it hours', align: 'right' } as const;
const hosts = { title: 'hosts', align: 'right' } as const;

interface Calibrated {
  /** When the first of the runs began. */
  readonly from: string;
  readonly noise: NoiseOfRuns;
}

/** The noise of several runs of one load, as a table of standard deviations. */
export function calibrationReport({ from, noise }: Calibrated, paint: Paint): string {
  const { runs, cells, parts } = noise;
  const about = `${countOf(runs, 'run')} of ${countOf(cells, 'cell')} since ${from.slice(0, 10)}`;
  if (parts.length === 0) {
    return `${about} are too few to split noise: you need 2 runs of 2 cells, with 3 rounds each\n`;
  }
  const isSplit = parts.some(({ split }) => split !== undefined);
  const columns = [
    { title: 'metric', align: 'left' },
    { title: 'machine speed', align: 'left' },
    { title: 'blocks', align: 'right' },
    { title: 'boots', align: 'right' },
    { title: 'between runs', align: 'right' },
    ...(isSplit ? [hours, hosts] : []),
  ] as const;
  const rows = parts.map(
    ({ metric, kind, block, boot, run, split }): TableRow => [
      { text: metrics[metric].title },
      { text: kind === 'raw' ? 'as it was' : 'divided out' },
      { text: formatShare(block) },
      { text: formatShare(boot) },
      { text: formatShare(run) },
      ...(split === undefined ? [] : [{ text: formatShare(split.hour) }, { text: formatShare(split.host) }]),
    ],
  );
  return [
    `Standard deviations of logs, from ${about}, without the first round:`,
    '',
    ...renderTable({ columns, rows }, Number.POSITIVE_INFINITY, paint),
    '',
  ].join('\n');
}
