import type { SignalConfig } from '../model/config.ts';
import type { Block } from '../model/run.ts';
import type { CellVerdict, Outcome, SignalChange, Uncounted } from '../model/verdict.ts';
import { combineRatios, type LogRatio, scoreOf } from '../stats/index.ts';
import type { CostContrast } from './contrast/measured-costs.ts';
import { countDrift } from './contrast/speed-change.ts';
import { decide, type Evidence, isSuspect, provedAloneScore, suspectScore } from './decision.ts';
import {
  commonRounds,
  compareSignals,
  fewestRounds,
  type Levels,
  levelsOf,
  typicalLevels,
} from './figures/signals.ts';
import type { Measured } from './metric-verdict.ts';
import type { MeasuredCell } from './second-measurement.ts';

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

/**
 * The cost with what its measurements prove, if it is a signal with `gate: suspect`. Such a cost depends on the machine, so
 * one measurement alone proves nothing.
 */
function withEvidence(
  signal: SignalChange,
  { first, second, spoiled }: Measured<CostContrast>,
  floor: number,
): SignalChange {
  const ratio = first.get(signal.name);
  if (ratio === undefined) return signal;
  const share = signal.limit / Math.max(signal.base, floor, Number.MIN_VALUE);
  // A loss of the whole has no finite log, so nothing that is measured exceeds such a limit.
  const limit = signal.worse === 'lower' ? -Math.log1p(-Math.min(1, share)) : Math.log1p(share);
  const evidenceOf = (one: LogRatio): Evidence => ({
    score: scoreOf(one),
    matters: one.estimate > limit,
    beyondLimit: false,
    held: true,
  });
  const again = spoiled ? undefined : second?.get(signal.name);
  const own = evidenceOf(ratio);
  const together = again === undefined ? own : evidenceOf(combineRatios(ratio, again));
  const decision = decide({
    first: own,
    ...(again === undefined ? {} : { second: { ...evidenceOf(again), together } }),
    spoiled,
    alone: Number.POSITIVE_INFINITY,
  });
  return {
    ...signal,
    failed: decision === 'worse',
    evidence: {
      score: together.score,
      ...(again === undefined ? {} : { scoreAgain: scoreOf(again) }),
      suspect: isSuspect(own),
      undecided: decision === 'undecided',
    },
  };
}

/** Rounds from which on a count is compared without the first one, in which caches fill. */
const roundsToDecide = fewestRounds + 1;

/**
 * A count that grew by no more than the machine's speed may have changed it. Only a second measurement, whose sides had one
 * machine, can tell: it proves the growth, or clears it by growth within the limit. A count has no scatter, so its score only
 * says whether more rounds could change the answer.
 */
function withSpeedInDoubt(
  count: SignalChange,
  { again, costs: { spoiled } }: MeasuredCell,
  signal: SignalConfig,
): SignalChange {
  const open = { ...count, failed: false, evidence: { score: suspectScore, suspect: true, undecided: true } };
  if (again === undefined || spoiled) return open;
  const base = again.base.map(({ blocks }) => blocks);
  const [second] = compareSignals(base, again.head.blocks, { [count.name]: signal });
  if (second === undefined || (second.moved && !second.failed)) return open;
  const levels = typicalLevels(base.map((blocks) => levelsOf(blocks, count.name)));
  const rounds = commonRounds(levels, levelsOf(again.head.blocks, count.name)).length;
  const score = !second.failed ? 0 : rounds < roundsToDecide ? suspectScore : 2 * provedAloneScore;
  return { ...second, evidence: { score, scoreAgain: score, suspect: true, undecided: false } };
}

/** The costs of a cell, each with what decides it. */
export function judgeCosts(
  cell: MeasuredCell,
  signals: Readonly<Record<string, SignalConfig>>,
): SignalChange[] {
  const { base, head, newest } = cell.match;
  const accepted = newest && { newest: newest.blocks };
  const baseRuns = base.map(({ blocks }) => blocks);
  const drift = countDrift(cell.speedChange.forCounts);
  const isBeyondDrift = (name: string, signal: SignalConfig) =>
    compareSignals(baseRuns, head.blocks, { [name]: signal }, { ...accepted, drift }).some(
      ({ failed }) => failed,
    );
  return compareSignals(baseRuns, head.blocks, signals, accepted).map((change) => {
    const signal = signals[change.name];
    if (signal !== undefined && change.failed && !isBeyondDrift(change.name, signal)) {
      return withSpeedInDoubt(change, cell, signal);
    }
    return withEvidence(change, cell.costs, signal?.floor ?? 0);
  });
}

/** What the costs alone make of a cell. A head that stops counting must not pass. */
export function costOutcome({ signals, uncounted }: Pick<CellVerdict, 'signals' | 'uncounted'>): Outcome {
  if (signals.some(({ failed }) => failed)) return 'regression';
  const isOpen =
    signals.some(({ evidence }) => evidence?.undecided) ||
    uncounted.some(({ missing }) => missing === 'head');
  return isOpen ? 'undecided' : 'pass';
}

/** True if a cost proved a regression of the cell, so that no other measurement can clear it. */
export function failsByCost({ signals }: CellVerdict): boolean {
  return signals.some(({ failed }) => failed);
}

/** True if growth of a cost asks for another measurement. */
export function isSuspectByCost({ signals }: CellVerdict): boolean {
  return signals.some(({ evidence }) => evidence?.suspect);
}
