import type { FaultDetails } from '../../model/fault.ts';
import { type Paint, plainPaint } from '../format/paint.ts';
import { plainText } from '../format/plain-text.ts';

const mostLogLines = 20;
const longestLogLine = 200;

/**
 * A fault for people: `error[E_X] place: cause`, further causes and the log's tail indented, then the next step.
 * Ends with a line break.
 */
export function faultText(details: FaultDetails, paint: Paint = plainPaint): string {
  const { code, place, cause, nextStep, logTail = [] } = details;
  const [first = '', ...others] = cause.split('\n').map((line) => plainText(line));
  const log = logTail.slice(-mostLogLines).map((line) => plainText(line, longestLogLine).trimEnd());
  return [
    `${paint('red', `error[${plainText(code)}]`)} ${plainText(place)}: ${first}`,
    ...others.map((line) => `  ${line}`),
    ...log.map((line) => paint('dim', `  | ${line}`)),
    `  ${paint('bold', 'next:')} ${plainText(nextStep)}`,
    '',
  ].join('\n');
}

/** What nobody can explain is the gate's own mistake: told as such, with what a report of it needs. */
export function defectText(error: unknown, paint: Paint = plainPaint): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = stack.split('\n').map((line) => paint('dim', `  | ${plainText(line).trim()}`));
  return [
    `${paint('red', 'error')} a defect of the gate itself: it says nothing about the service`,
    ...lines,
    `  ${paint('bold', 'next:')} report it with these lines`,
    '',
  ].join('\n');
}
