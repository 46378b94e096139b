import type { CellVerdict, SignalChange } from '../../model/verdict.ts';
import { formatAmount } from '../format/number.ts';

/** `rows read per request 31 → 20,031`. */
export function signalMove({ title, unit, base, head }: SignalChange): string {
  return `${title} ${formatAmount(base, unit)} → ${formatAmount(head, unit)}`;
}

/** `rows read per request 31 → 20,031: look for a missing index`. */
export function signalSentence(signal: SignalChange): string {
  return signal.hint === '' ? signalMove(signal) : `${signalMove(signal)}: ${signal.hint}`;
}

/** Growth from zero sorts before every other. */
function growth({ change }: SignalChange): number {
  return change ?? Number.POSITIVE_INFINITY;
}

/** Signals that moved for the worse, the largest growth first. */
export function movedSignals({ signals }: CellVerdict): readonly SignalChange[] {
  return signals.filter(({ moved }) => moved).toSorted((a, b) => (growth(a) > growth(b) ? -1 : 1));
}
