import type { SignalConfig } from '../model/config.ts';
import type { Block } from '../model/run.ts';
import type { CellVerdict, Outcome, SignalChange, Uncounted } from '../model/verdict.ts';
import { commonRounds, fewestRounds, type Levels, levelsOf, typicalLevels } from './figures/signals.ts';
import { mostSerious } from './outcome.ts';

function missingOf(base: Levels, head: Levels): Uncounted['missing'] | undefined {
  if (base.size === 0) return head.size === 0 ? 'both' : 'base';
  if (head.size === 0) return 'head';
  if (head.size < fewestRounds && base.size >= fewestRounds) return 'head';
  return commonRounds(base, head).length < fewestRounds ? 'rounds' : undefined;
}

/** The signals with `gate: fail` that could not be compared. `base` has the blocks of each run. */
export function uncountedSignals(
  base: readonly (readonly Block[])[],
  head: readonly Block[],
  signals: Readonly<Record<string, SignalConfig>>,
): Uncounted[] {
  if (base.length === 0) return [];
  return Object.entries(signals).flatMap(([name, { title, gate }]) => {
    if (gate !== 'fail') return [];
    const runs = base.map((blocks) => levelsOf(blocks, name));
    const missing = missingOf(typicalLevels(runs), levelsOf(head, name));
    return missing === undefined ? [] : [{ name, title, missing }];
  });
}

/** What the counted costs alone make of a cell. A head that stops counting must not pass. */
export function costOutcome({ signals, uncounted }: Pick<CellVerdict, 'signals' | 'uncounted'>): Outcome {
  if (signals.some(({ failed }) => failed)) return 'regression';
  return uncounted.some(({ missing }) => missing === 'head') ? 'undecided' : 'pass';
}

/** True if a cost proved a regression of the cell, so that no other measurement can clear it. */
export function failsByCost({ signals }: CellVerdict): boolean {
  return signals.some(({ failed }) => failed);
}

/** True if growth of a signal with `gate: suspect` asks for another measurement. */
export function isSuspectByCost({ signals }: CellVerdict): boolean {
  return signals.some(isSuspect);
}

function isSuspect({ gate, moved }: SignalChange): boolean {
  return gate === 'suspect' && moved;
}

/**
 * The cell, with a regression for every suspect signal that is proved to have grown again. `again` has the costs of the
 * second measurement, those of suspect signals judged like counted ones. A suspect that is not among them stays open.
 */
export function confirmCosts(cell: CellVerdict, again: readonly SignalChange[]): CellVerdict {
  const second = new Map(again.map((signal) => [signal.name, signal]));
  const signals = cell.signals.map((signal) =>
    isSuspect(signal) && second.get(signal.name)?.failed ? { ...signal, failed: true } : signal,
  );
  const confirmed = { ...cell, signals };
  if (failsByCost(confirmed)) return { ...confirmed, outcome: 'regression' };
  const isOpen = cell.signals.some((signal) => isSuspect(signal) && !second.has(signal.name));
  return isOpen ? { ...cell, outcome: mostSerious([cell.outcome, 'undecided']) } : cell;
}
