import type { CellProfile } from './profile.ts';
import type { Run } from './run.ts';
import type { LoadSeries } from './series.ts';
import type { Verdict } from './verdict.ts';

/** `confirmation` is the second measurement, which only covers suspect cells: its head, and its base. */
export type ResultPart = 'head' | 'base' | 'confirmation' | 'confirmation-base';

/** One side of one measurement. */
export interface MeasuredSide {
  readonly run: Run;
  /** What happened in each second, in the order of the loads; empty if nothing was kept. */
  readonly series: readonly LoadSeries[];
  /** Profiles of cells that turned out worse; empty if none was taken. */
  readonly profiles: readonly CellProfile[];
}

/** Everything that a check leaves behind. */
export interface CheckRecord {
  readonly verdict: Verdict;
  readonly head: MeasuredSide;
  /** The base commit, if its blocks were interleaved with those of head. */
  readonly base?: MeasuredSide;
  /** The second measurement, of suspect cells. */
  readonly again?: { readonly base: MeasuredSide; readonly head: MeasuredSide };
  /** Runs of the baseline as the check found them, oldest first, without histograms. */
  readonly stored: readonly Run[];
}
