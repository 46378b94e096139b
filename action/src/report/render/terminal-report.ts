import { cellName, type InvalidReason } from '../../model/run.ts';
import type { CellVerdict, Verdict } from '../../model/verdict.ts';
import { cellDetails } from '../content/cell-details.ts';
import { cellsIn, countOf, stateStyles } from '../content/cell-state.ts';
import { mismatchesOf, mismatchNotes, outlierNotes } from '../content/comparison-note.ts';
import { headline } from '../content/headline.ts';
import { invalidReasons, namesText } from '../content/invalid-reason.ts';
import { byExcess } from '../content/metric.ts';
import { type NextStepOptions, nextSteps, stepText } from '../content/next-step.ts';
import { missedObjectives } from '../content/objective.ts';
import { provenance } from '../content/provenance.ts';
import { movedSignals, signalSentence } from '../content/signal.ts';
import { worseEndpoints, worseEndpointText } from '../content/worse-endpoint.ts';
import type { Paint } from '../format/paint.ts';
import { plainValue } from '../format/plain-text.ts';
import { padEnd, wrap } from '../format/text-layout.ts';
import { cellTable } from './cell-table.ts';

export interface TerminalReportOptions extends NextStepOptions {
  /** Columns of the screen; kept between 80 and 140. */
  readonly width: number;
  readonly paint: Paint;
  /** Folder with run.json and verdict.json; absent if nothing was written. */
  readonly resultDirectory?: string;
}

const narrowest = 80;
const widest = 140;
/** Cells told in full; the others of their kind stand in the table. */
const mostDetailed = 5;
const mostWithinNoise = 20;
const mostReasons = 8;
const mostLines = 12;
/** Room for the labels of the provenance. */
const labelWidth = 9;

function verdictStyle({ outcome, comparison }: Verdict) {
  if (outcome === 'pass') return comparison.kind === 'none' ? 'bold' : 'green';
  return stateStyles.get(outcome) ?? 'bold';
}

function opening(verdict: Verdict, width: number, paint: Paint, options: TerminalReportOptions): string[] {
  const { word, sentence, because } = headline(verdict, options);
  const [first = '', ...rest] = wrap(sentence, width);
  return [
    paint(verdictStyle(verdict), word) + first.slice(word.length),
    ...rest,
    ...because.flatMap((reason) => wrap(reason, width, '  ', '    ')),
  ];
}

function reasonLines(
  { code, cause, nextStep }: InvalidReason,
  where: string,
  width: number,
  paint: Paint,
): string[] {
  return [
    ...wrap(`${where}: ${cause} (${code})`, width, '  ', '    '),
    ...wrap(`next: ${nextStep}`, width, '    ', '      ').map((line) => paint('dim', line)),
  ];
}

function invalidSection(verdict: Verdict, width: number, paint: Paint): string[] {
  const all = invalidReasons(verdict);
  if (all.length === 0) return [];
  const hidden = all.length - mostReasons;
  return [
    paint('yellow', 'Not to be trusted'),
    ...all.slice(0, mostReasons).flatMap(({ reason, ofRun, cells }) => {
      const where = namesText([...(ofRun ? ['the run'] : []), ...cells.map(cellName)]);
      return reasonLines(reason, where, width, paint);
    }),
    ...(hidden > 0 ? [paint('dim', `  and ${countOf(hidden, 'more reason')}`)] : []),
  ];
}

/** A title over lines that were wrapped before; nothing without lines. */
function section(title: string, lines: readonly string[], width: number, paint: Paint): string[] {
  if (lines.length === 0) return [];
  const hidden = lines.length - mostLines;
  return [
    paint('bold', title),
    ...lines.slice(0, mostLines).flatMap((line) => wrap(line, width, '  ', '    ')),
    ...(hidden > 0 ? [paint('dim', `  and ${hidden} more`)] : []),
  ];
}

/** Cells that the run ended before; they have no figures to show. */
function notMeasured(cells: readonly CellVerdict[]): string[] {
  const names = cells.filter(({ head }) => head.blocks === 0).map(cellName);
  return names.length === 0 ? [] : [names.join(', ')];
}

/** Signals whose hint was given before the cell of that index; the opening gives that of the worst cell. */
function toldBefore(cells: readonly CellVerdict[], index: number): ReadonlySet<string> {
  const opening = cells.slice(0, 1).flatMap((cell) => movedSignals(cell).slice(0, 1));
  return new Set([...opening, ...cells.slice(0, index).flatMap(movedSignals)].map(({ name }) => name));
}

/** The verdict as text for a terminal: what happened first, where the figures come from last. */
export function terminalReport(untrusted: Verdict, options: TerminalReportOptions): string {
  const verdict = plainValue(untrusted);
  const { paint } = options;
  const width = Math.min(widest, Math.max(narrowest, options.width));

  const regressions = cellsIn(verdict, 'regression').toSorted(byExcess);
  const improvements = cellsIn(verdict, 'improved').toSorted(byExcess);
  const detailed = [...regressions, ...improvements].slice(0, mostDetailed);
  const withinNoise = cellsIn(verdict, 'within noise');
  const folded = new Set([...detailed, ...withinNoise.slice(mostWithinNoise)]);
  const tabled = verdict.cells.filter((cell) => cell.head.blocks > 0 && !folded.has(cell));

  const movedElsewhere = verdict.cells
    .filter((cell) => !detailed.includes(cell))
    .flatMap((cell) => movedSignals(cell).map((signal) => `${cellName(cell)}: ${signalSentence(signal)}`));
  const steps = nextSteps(verdict, options).map(stepText);
  const blocks = [
    opening(verdict, width, paint, options),
    invalidSection(verdict, width, paint),
    ...detailed.map((cell, index) => cellDetails(cell, toldBefore(detailed, index), width, paint)),
    cellTable(tabled, withinNoise.length - mostWithinNoise, width, paint),
    section('Not measured', notMeasured(verdict.cells), width, paint),
    section(
      'Endpoints that are worse by themselves',
      verdict.cells.flatMap((cell) =>
        worseEndpoints(cell).map((endpoint) => `${cellName(cell)}: ${worseEndpointText(endpoint)}`),
      ),
      width,
      paint,
    ),
    section('Costs that grew', movedElsewhere, width, paint),
    section(
      'Objectives missed',
      missedObjectives(verdict.cells).map(({ cell, text }) => `${cellName(cell)}: ${text}`),
      width,
      paint,
    ),
    section('Outlying runs left out', outlierNotes(verdict), width, paint),
    mismatchNotes(mismatchesOf(verdict)).flatMap(({ title, differences }) => [
      differences.length === 0 ? title : `${title}: base → head`,
      ...differences.flatMap((line) => wrap(line, width, '  ', '    ')),
    ]),
    provenance(verdict, options.resultDirectory)
      .flatMap(({ label, text }) => wrap(text, width, padEnd(label, labelWidth), ' '.repeat(labelWidth)))
      .map((line) => paint('dim', line)),
    steps.flatMap((step) => wrap(`Next: ${step}`, width, '', '  ')).map((line) => paint('bold', line)),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}
