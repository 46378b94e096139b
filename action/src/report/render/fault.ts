import type { FaultDetails } from '../../model/fault.ts';
import { type Paint, plainPaint } from '../format/paint.ts';
import { plainText } from '../format/plain-text.ts';

const mostLogLines = 20;
const longestLogLine = 200;

/** `error[E_X] place: cause`, then further causes, the end of the log and the next step, each on indented lines. */
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

/** An unexpected error is a bug in the gate, so its text has what a bug report needs. */
export function defectText(error: unknown, paint: Paint = plainPaint): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = stack.split('\n').map((line) => paint('dim', `  | ${plainText(line).trim()}`));
  return [
    `${paint('red', 'error')} this is a bug in the gate, not in your service`,
    ...lines,
    `  ${paint('bold', 'next:')} report it with the lines above`,
    '',
  ].join('\n');
}
