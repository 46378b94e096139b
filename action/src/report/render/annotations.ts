import { cellName, type InvalidReason } from '../../model/run.ts';
import type { CellVerdict, Verdict } from '../../model/verdict.ts';
import { cellsIn, countOf } from '../content/cell-state.ts';
import { headline } from '../content/headline.ts';
import {
  byExcess,
  formatLimit,
  formatShift,
  formatVisible,
  metricTitles,
  regressedMetrics,
} from '../content/metric.ts';
import { type NextStepOptions, nextSteps, stepText } from '../content/next-step.ts';
import { missedObjectives } from '../content/objective.ts';
import { movedSignals, signalSentence } from '../content/signal.ts';
import { worseEndpoints, worseEndpointText } from '../content/worse-endpoint.ts';
import { plainText, plainValue } from '../format/plain-text.ts';
import { shorten } from '../format/text-layout.ts';

/** A line of a file of the repository, counted from 1. */
export interface Location {
  readonly file: string;
  readonly line: number;
}

/** The line that helps with what is said of a cell, or of the whole run; nothing if there is none. */
export type Locate = (
  cell: { readonly scenario: string; readonly load: string } | undefined,
) => Location | undefined;

/** Annotations of each level. */
export type AnnotationCounts = Readonly<Record<Annotation['level'], number>>;

export interface AnnotationOptions extends NextStepOptions {
  readonly locate: Locate;
  /** What the step has told already: they take room from those of the verdict. */
  readonly before: AnnotationCounts;
}

/** One message beside a line of the pull request's files; plain text. */
export interface Annotation {
  /** error: the check fails by it; warning: it could not tell; notice: worth knowing. */
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
}

/** GitHub shows no more of one level from one step. */
export const mostAnnotations = 10;
/** GitHub cuts longer titles. */
const longestTitle = 120;
const longestMessage = 1200;

const levels = ['error', 'warning', 'notice'] as const;

function reasonText({ code, cause, nextStep }: InvalidReason): string {
  return `${cause} (${code}). Next: ${nextStep}`;
}

function regressionText(cell: CellVerdict): string {
  const findings = regressedMetrics(cell).map((metric) => `${formatShift(metric)}, ${formatLimit(metric)}`);
  return [...findings, ...movedSignals(cell).slice(0, 1).map(signalSentence)].join('\n');
}

function inconclusiveText(cell: CellVerdict): string {
  return cell.metrics
    .filter(({ outcome }) => outcome === 'inconclusive')
    .map(
      (metric) =>
        `${metricTitles[metric.metric]} would have failed from ${formatVisible(metric)} on, ${formatLimit(metric)}`,
    )
    .join('\n');
}

/** What is said of one cell. */
function cellAnnotations(verdict: Verdict, place: (cell: CellVerdict) => Partial<Location>): Annotation[] {
  const about = (
    level: Annotation['level'],
    cell: CellVerdict,
    what: string,
    message: string,
  ): Annotation => ({ level, title: `${cellName(cell)}: ${what}`, message, ...place(cell) });
  const quiet = verdict.cells.filter(({ outcome }) => outcome === 'pass' || outcome === 'inconclusive');
  return [
    ...cellsIn(verdict, 'regression')
      .toSorted(byExcess)
      .map((cell) => about('error', cell, 'regression', regressionText(cell))),
    ...cellsIn(verdict, 'invalid')
      .filter(({ invalid }) => invalid.length > 0)
      .map((cell) => about('error', cell, 'not to be trusted', cell.invalid.map(reasonText).join('\n'))),
    ...cellsIn(verdict, 'inconclusive').map((cell) =>
      about('warning', cell, 'inconclusive', inconclusiveText(cell)),
    ),
    ...quiet
      .filter((cell) => worseEndpoints(cell).length > 0)
      .map((cell) =>
        about(
          'warning',
          cell,
          'an endpoint is worse by itself',
          worseEndpoints(cell).map(worseEndpointText).join('\n'),
        ),
      ),
    ...quiet
      .filter((cell) => movedSignals(cell).length > 0)
      .map((cell) => about('notice', cell, 'a cost grew', movedSignals(cell).map(signalSentence).join('\n'))),
    ...missedObjectives(verdict.cells).map(({ cell, text }) =>
      about('notice', cell, 'objective missed', text),
    ),
  ];
}

/** At most so many; the last one says how many more there are. */
function capped(annotations: readonly Annotation[], room: number): readonly Annotation[] {
  if (annotations.length <= room) return annotations;
  if (room <= 0) return [];
  const shown = annotations.slice(0, room - 1);
  const hidden = annotations.length - shown.length;
  return [
    ...shown,
    ...annotations.slice(-1).map(({ level }) => ({
      level,
      title: `${countOf(hidden, 'more annotation')} left out`,
      message: "the run's summary has all of them",
    })),
  ];
}

function bounded(annotation: Annotation): Annotation {
  const lines = annotation.message.split('\n').map((line) => plainText(line));
  const message = lines.join('\n');
  return {
    ...annotation,
    title: shorten(plainText(annotation.title), longestTitle),
    message:
      message.length > longestMessage ? `${message.slice(0, longestMessage).toWellFormed()}…` : message,
  };
}

/** What the verdict has to say beside the lines it concerns, gravest first; nothing for a plain pass. */
export function annotations(verdict: Verdict, options: AnnotationOptions): readonly Annotation[] {
  // Found by the names as they came: what is shown of them is shortened.
  const places = verdict.cells.map((cell) => options.locate(cell) ?? {});
  const plain = plainValue(verdict);
  const place = (cell: CellVerdict) => places[plain.cells.indexOf(cell)] ?? {};
  const ofRun = plain.invalid.map(
    (reason): Annotation => ({
      level: 'error',
      title: 'the run is not to be trusted',
      message: reasonText(reason),
      ...options.locate(undefined),
    }),
  );
  const { sentence, because } = headline(plain);
  const uncompared: readonly Annotation[] =
    plain.outcome === 'inconclusive' && plain.comparison.kind === 'none'
      ? [
          {
            level: 'warning',
            title: 'not comparable',
            message: [sentence, ...because].join('\n'),
            ...options.locate(undefined),
          },
        ]
      : [];
  // What makes a run invalid comes with a next step of its own.
  const steps =
    plain.outcome === 'invalid' ? [] : nextSteps(plain, options).map((step) => `Next: ${stepText(step)}`);
  const all = [...ofRun, ...uncompared, ...cellAnnotations(plain, place)]
    // Said once: the others would only repeat it.
    .map((one, index) => (index === 0 ? { ...one, message: [one.message, ...steps].join('\n') } : one))
    .map(bounded);
  return levels.flatMap((level) =>
    capped(
      all.filter((annotation) => annotation.level === level),
      mostAnnotations - options.before[level],
    ),
  );
}
