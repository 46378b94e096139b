import type { Run } from '../../model/run.ts';

/**
 * What the machine did while a run was recorded: nothing that shows as taken CPU, other guests took CPU, or the gate's own
 * neighbour did.
 */
export const regimes = ['quiet', 'stolen', 'neighbour'] as const;
export type Regime = (typeof regimes)[number];

/** How a run was measured: alone, as stored runs are, or as one side of an interleaved pair. */
export const placements = ['stored', 'base', 'head'] as const;
export type Placement = (typeof placements)[number];

/** A run that was recorded for the bench, with what is known about it. */
export interface RecordedRun {
  readonly regime: Regime;
  readonly placement: Placement;
  /** What head and base of an interleaved pair share; empty for a stored run. */
  readonly pair: string;
  /** What the code was changed by on purpose; empty for unchanged code. */
  readonly change: string;
  readonly run: Run;
}

/** An interleaved pair of recorded runs. */
export interface RecordedPair {
  readonly base: RecordedRun;
  readonly head: RecordedRun;
}

/** With a greater share of CPU time taken by other guests, on average over the blocks, a run is not quiet. */
const mostQuiet = 0.01;

/** The regime of a run without a neighbour, by what its blocks show. */
export function measuredRegime({ cells }: Run): Regime {
  const stolen = cells.flatMap(({ blocks }) => blocks.map(({ stealShare }) => stealShare));
  const share = stolen.reduce((sum, one) => sum + one, 0) / Math.max(1, stolen.length);
  return share < mostQuiet ? 'quiet' : 'stolen';
}

/** What was measured, as recorded runs: head alone, or both sides of a pair. By default the regime is the measured one. */
export function recordedOf(
  { run, base }: { readonly run: Run; readonly base?: Run },
  { change = '', regime }: { readonly change?: string; readonly regime?: Regime } = {},
): readonly RecordedRun[] {
  const of = (one: Run) => ({ regime: regime ?? measuredRegime(one), run: one });
  if (base === undefined) return [{ ...of(run), placement: 'stored', pair: '', change }];
  return [
    { ...of(base), placement: 'base', pair: run.id, change: '' },
    { ...of(run), placement: 'head', pair: run.id, change },
  ];
}

/** The runs of unchanged code that were measured alone, in time order. */
export function unchangedRuns(runs: readonly RecordedRun[]): readonly RecordedRun[] {
  return inTimeOrder(runs.filter(({ placement, change }) => placement === 'stored' && change === ''));
}

/** The interleaved pairs whose both sides are in the rows, in time order. */
export function pairsOf(runs: readonly RecordedRun[]): readonly RecordedPair[] {
  const bases = inTimeOrder(runs.filter(({ placement }) => placement === 'base'));
  return bases.flatMap((base) => {
    const head = runs.find(({ placement, pair }) => placement === 'head' && pair === base.pair);
    return head === undefined ? [] : [{ base, head }];
  });
}

function inTimeOrder(runs: readonly RecordedRun[]): readonly RecordedRun[] {
  return runs.toSorted((a, b) => Date.parse(a.run.startedAt) - Date.parse(b.run.startedAt));
}
