import { formatCount, formatMs, formatSeconds, formatShare, formatTps } from '../format/number.ts';
import type { Paint } from '../format/paint.ts';
import { plainText } from '../format/plain-text.ts';
import { displayWidth, truncate } from '../format/text-layout.ts';

interface SecondFigures {
  readonly tps: number;
  readonly p95Ms: number;
  readonly errors: number;
}

/** Live figures of a running load, in the shape of the measurement's `live` event. */
export interface LiveFigures {
  /** `scenario@load`. */
  readonly cell: string;
  readonly figures: SecondFigures | undefined;
  /** Elapsed share of the time of all blocks, 0 to 1. */
  readonly done: number;
  readonly secondsLeft: number;
}

const longestBar = 24;
const levels = [...'▁▂▃▄▅▆▇█'];

/** One character per value, from 0 to the largest. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values);
  return values
    .map((value) => levels[most > 0 ? Math.round((Math.max(0, value) / most) * (levels.length - 1)) : 0])
    .join('');
}

function bar(done: number, length: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, done)) * length);
  return '█'.repeat(filled) + '░'.repeat(length - filled);
}

/** `… boot  service  3.1 s` while a phase runs. */
export function runningPhaseLine(phase: string, detail: string, seconds: number, width: number): string {
  const took = seconds < 1 ? '' : `  ${formatSeconds(seconds)}`;
  const text = `… ${plainText(phase)}  ${plainText(detail)}`;
  return truncate(truncate(text, Math.max(0, width - took.length)) + took, width);
}

/** `✓ boot  4.2 s  service` after a phase. */
export function donePhaseLine(phase: string, detail: string, seconds: number, paint: Paint): string {
  const said = detail === '' ? '' : `  ${paint('dim', plainText(detail))}`;
  return `${paint('green', '✓')} ${plainText(phase)}  ${formatSeconds(seconds)}${said}`;
}

export function noteLine(text: string, paint: Paint): string {
  return paint('dim', `· ${plainText(text)}`);
}

/** @param charts of TPS and p95, drawn after their figures */
function figuresOf({ cell, figures }: LiveFigures, charts: readonly [string, string] = ['', '']): string {
  if (figures === undefined) return `${plainText(cell)}  starting`;
  const { tps, p95Ms, errors } = figures;
  const failed = errors === 0 ? '' : `  ${formatCount(errors)} errors`;
  return `${plainText(cell)}  ${formatTps(tps)} TPS${charts[0]}  p95 ${formatMs(p95Ms)}${charts[1]}${failed}`;
}

/**
 * One line with a bar and charts of the last seconds, redrawn in place. The charts go and the bar shrinks before any
 * figure is cut.
 */
export function liveBarLine(live: LiveFigures, recent: readonly SecondFigures[], width: number): string {
  const start = `${formatShare(Math.floor(live.done * 100) / 100).padStart(4)}  ${formatSeconds(live.secondsLeft)} left  `;
  const chart = (of: (figures: SecondFigures) => number) =>
    recent.length < 2 ? '' : ` ${sparkline(recent.map(of))}`;
  const drawn = start + figuresOf(live, [chart(({ tps }) => tps), chart(({ p95Ms }) => p95Ms)]);
  const text = displayWidth(drawn) <= width ? drawn : start + figuresOf(live);
  const room = Math.min(longestBar, width - displayWidth(text) - 1);
  return truncate(room < 5 ? text : `${bar(live.done, room)} ${text}`, width);
}

/** The same for a log, where lines are not redrawn. */
export function liveLogLine(live: LiveFigures): string {
  return `  ${figuresOf(live)}  (${formatShare(Math.floor(live.done * 100) / 100)} done, ${formatSeconds(live.secondsLeft)} left)`;
}
