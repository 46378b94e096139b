import { byExcess } from '../../model/excess.ts';
import { isDisturbance } from '../../model/invalid-reason.ts';
import { cellName, type InvalidReason } from '../../model/run.ts';
import type { CellVerdict, Outcome, Verdict } from '../../model/verdict.ts';
import { cellsIn } from '../content/cell-state.ts';
import {
  costsText,
  type FailedScenario,
  failedScenarios,
  failedSignals,
  lostCosts,
  uncountedNotes,
} from '../content/costs.ts';
import {
  missedObjectives,
  movedSignals,
  signalSentence,
  unansweredTexts,
  undecidedFindings,
  worseEndpoints,
  worseEndpointText,
} from '../content/findings.ts';
import { headline } from '../content/headline.ts';
import { formatBlindness, formatFinding, regressedMetrics } from '../content/metric.ts';
import { type NextStepOptions, nextSteps } from '../content/next-step.ts';
import { countOf } from '../format/phrase.ts';
import { plainPhrase, plainValue } from '../format/plain-text.ts';
import { shorten } from '../format/text-layout.ts';

/** A line of a file of the repository, counted from 1. */
export interface Location {
  readonly file: string;
  readonly line: number;
}

/** The line that configures the cell, or the suite if no cell is given; undefined if it is unknown. */
export type Locate = (
  cell: { readonly scenario: string; readonly load: string } | undefined,
) => Location | undefined;

/** Annotations of each level. */
export type AnnotationCounts = Readonly<Record<Annotation['level'], number>>;

export interface AnnotationOptions extends NextStepOptions {
  readonly locate: Locate;
  /** Annotations that the step made earlier; they count towards GitHub's limit. */
  readonly before: AnnotationCounts;
}

/** A plain-text message next to a line of the pull request's files. */
export interface Annotation {
  /** error: the check fails because of it; warning: the check could not decide or measure; notice: worth knowing. */
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
}

/** GitHub shows no more than this of one level from one step. */
export const mostAnnotations = 10;
/** GitHub cuts longer titles. */
const longestTitle = 120;
const longestMessage = 1200;

const levels = ['error', 'warning', 'notice'] as const;

function reasonText({ code, cause, nextStep }: InvalidReason): string {
  return `${cause} (${code}). Next: ${nextStep}`;
}

type Message = Pick<Annotation, 'level' | 'title' | 'message'>;

/** Messages about one cell, gravest first. `isReported` says that a message of its scenario has the costs that fail it. */
function cellMessages(cell: CellVerdict, isReported: boolean): Message[] {
  const about = (level: Annotation['level'], what: string, lines: readonly string[]): Message[] =>
    lines.length === 0 ? [] : [{ level, title: `${cellName(cell)}: ${what}`, message: lines.join('\n') }];
  const { outcome, metrics, invalid } = cell;
  const signals = movedSignals(cell)
    .filter(({ failed, evidence }) => !failed && !evidence?.undecided)
    .map(signalSentence);
  const costs = isReported ? [] : failedSignals(cell).map(signalSentence);
  const findings = [...unansweredTexts(cell), ...regressedMetrics(cell).map(formatFinding), ...costs];
  const withOutcome = (wanted: Outcome) => metrics.filter((metric) => metric.outcome === wanted);
  const quiet = outcome === 'pass' || outcome === 'coarse' || outcome === 'undecided';
  return [
    ...(findings.length > 0 ? about('error', 'regression', [...findings, ...signals.slice(0, 1)]) : []),
    ...(outcome === 'invalid' ? about('error', 'invalid', invalid.map(reasonText)) : []),
    ...(outcome === 'invalid' ? [] : about('warning', 'too disturbed to time', invalid.map(reasonText))),
    ...(outcome === 'accepted'
      ? about('notice', 'accepted', withOutcome('accepted').map(formatFinding))
      : []),
    ...(outcome === 'undecided' ? about('warning', 'undecided', undecidedFindings(cell)) : []),
    ...(outcome === 'coarse' ? about('notice', 'coarse', withOutcome('coarse').map(formatBlindness)) : []),
    ...(quiet ? about('warning', 'an endpoint got worse', worseEndpoints(cell).map(worseEndpointText)) : []),
    ...(quiet ? about('notice', 'a cost got worse', signals) : []),
    ...missedObjectives([cell]).flatMap(({ text, fails }) =>
      about(fails ? 'error' : 'notice', 'objective missed', [text]),
    ),
  ];
}

/** One message about the counted costs that fail a scenario, whichever loads show them. */
function costMessage(failed: FailedScenario): Message {
  const { hint } = failed.costs[0].signal;
  const message = [costsText(failed), ...(hint === '' ? [] : [hint])].join('\n');
  return { level: 'error', title: `${failed.scenario}: regression`, message };
}

/** Messages about the whole run. */
function runMessages(verdict: Verdict): Message[] {
  if (verdict.outcome === 'undecided' && verdict.cells.some((cell) => lostCosts(cell).length > 0)) {
    return [{ level: 'warning', title: 'undecided', message: uncountedNotes(verdict).join('\n') }];
  }
  const invalid = verdict.invalid.map((reason): Message => {
    const message = reasonText(reason);
    return isDisturbance(reason)
      ? { level: 'warning', title: 'the run was disturbed', message }
      : { level: 'error', title: 'the run is invalid', message };
  });
  const { outcome } = verdict;
  // Cells have messages of their own.
  if ((outcome !== 'undecided' && outcome !== 'regression') || cellsIn(verdict, outcome).length > 0) {
    return invalid;
  }
  const { word, rest, because } = headline(verdict);
  const message = [`${word}${rest}`, ...because].join('\n');
  return [...invalid, { level: outcome === 'regression' ? 'error' : 'warning', title: outcome, message }];
}

/** At most `room` annotations; the last one counts those left out. */
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
  const { title, message } = annotation;
  return {
    ...annotation,
    title: shorten(title, longestTitle),
    message:
      message.length > longestMessage ? `${message.slice(0, longestMessage).toWellFormed()}…` : message,
  };
}

/** What the verdict says next to the lines it concerns, gravest first; empty for a plain pass. */
export function annotations(verdict: Verdict, options: AnnotationOptions): readonly Annotation[] {
  const plain = plainValue(verdict);
  const cells = plain.cells
    .map((cell, index) => {
      // The original name finds the line, because the plain name may differ from it.
      const original = verdict.cells[index] ?? cell;
      return { cell, place: options.locate(original) ?? {} };
    })
    .toSorted((a, b) => byExcess(a.cell, b.cell));
  const placeOf = (cell: CellVerdict | undefined) => cells.find((one) => one.cell === cell)?.place;
  const failed = failedScenarios(plain);
  const isReported = (cell: CellVerdict) => failed.some((scenario) => scenario.cells.includes(cell));
  const messages: Annotation[] = [
    ...failed.map((scenario) => ({ ...costMessage(scenario), ...placeOf(scenario.cells[0]) })),
    ...runMessages(plain).map((message) => ({ ...message, ...options.locate(undefined) })),
    ...cells.flatMap(({ cell, place }) =>
      cellMessages(cell, isReported(cell)).map((message) => ({ ...message, ...place })),
    ),
  ];
  // The reasons of what could not be measured contain their own next steps.
  const isMeasured = plain.outcome !== 'invalid' && plain.outcome !== 'noise';
  const steps = isMeasured ? nextSteps(plain, options).map((step) => `Next: ${plainPhrase(step)}`) : [];
  const all = messages
    .toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level))
    .map((one, index) => (index === 0 ? { ...one, message: [one.message, ...steps].join('\n') } : one))
    .map(bounded);
  return levels.flatMap((level) =>
    capped(
      all.filter((annotation) => annotation.level === level),
      mostAnnotations - options.before[level],
    ),
  );
}
