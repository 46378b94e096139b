import type { Run } from '../../model/run.ts';
import type { Comparison, Mismatch } from '../../model/verdict.ts';
import { type Conditions, differencesBetween, isOfMachine } from './fingerprint.ts';
import { outlyingRuns } from './outlying-runs.ts';
import { isTrusted, judgedCell } from './validity.ts';

/** What head is compared with. */
export type Base =
  /** `--compare none`. */
  | { readonly kind: 'none' }
  /** Runs of the baseline, oldest first, of any fingerprint; empty without a baseline. */
  | { readonly kind: 'stored'; readonly runs: readonly Run[] }
  /** A run of the base commit whose blocks were interleaved with head's on this machine. */
  | { readonly kind: 'side-by-side'; readonly run: Run };

/** The part of head that decides its base, known as soon as its service is up. */
export type ChoosingRun = Conditions & Pick<Run, 'id'>;

/** The runs to compare with, oldest first, and how the verdict describes the choice. */
export interface ChosenBase {
  readonly runs: readonly Run[];
  /** The newest comparable run, which shows what has been merged. Its times may be too far from the others to be in `runs`. */
  readonly newest?: Run;
  readonly comparison: Comparison;
}

/**
 * With ten runs the base adds 5% to the error, and head's own blocks cause the rest, so a longer history would not
 * narrow the interval. Older runs also describe code that no longer exists.
 */
export const historyRuns = 10;

/** The newest comparable runs, of which the base is chosen. */
export const consideredRuns = 2 * historyRuns;

/** Those of the comparable runs that may be the base; both are in order, oldest first. */
type Preference = (comparable: readonly Run[]) => readonly Run[];

/** @param prefer all comparable runs by default, because before head takes load nobody knows its machine's speed */
export function chooseBase(
  head: ChoosingRun,
  base: Base,
  prefer: Preference = (comparable) => comparable,
): ChosenBase {
  switch (base.kind) {
    case 'none':
      return { runs: [], comparison: { kind: 'none', reason: 'not-asked', mismatches: [] } };
    case 'side-by-side':
      return { runs: [base.run], comparison: { kind: 'side-by-side', baseCommit: base.run.code.commit } };
    case 'stored':
      return chooseStored(head, base.runs, prefer);
  }
}

/** The run itself is comparable, but no run of its machine was stored since. */
function beforeAccepted({ id }: Run): Mismatch {
  return { runId: id, differences: [{ field: 'accepted', base: 'before', head: 'after' }] };
}

function chooseStored(head: ChoosingRun, stored: readonly Run[], prefer: Preference): ChosenBase {
  const candidates = stored
    .filter((run) => run.id !== head.id && isTrusted(run))
    .map((run) => ({ ...run, cells: run.cells.map(judgedCell) }));
  const mismatches: Mismatch[] = [];
  let comparable: Run[] = [];
  for (const run of candidates) {
    const differences = differencesBetween(run, head);
    // Runs before an accepted change show code that was faster on purpose, on whichever machine it was accepted.
    if (run.accepted !== undefined && differences.every(({ field }) => isOfMachine(field))) {
      if (differences.length > 0) mismatches.push(...comparable.map(beforeAccepted));
      comparable = [];
    }
    if (differences.length === 0) {
      comparable.push(run);
    } else {
      mismatches.push({ runId: run.id, differences: [...differences] });
    }
  }
  const preferred = prefer(comparable.slice(-consideredRuns)).slice(-historyRuns);
  const otherSpeed = comparable.slice(-historyRuns).flatMap((run) => (preferred.includes(run) ? [] : run.id));
  const outlying = outlyingRuns(preferred);
  const runs = preferred.filter(({ id }) => !outlying.some(({ runId }) => runId === id));
  if (runs.length === 0) {
    const reason = mismatches.length === 0 ? 'no-baseline' : 'not-comparable';
    return { runs, comparison: { kind: 'none', reason, mismatches } };
  }
  const compared = runs.map(({ id, code, startedAt }) => ({ runId: id, commit: code.commit, startedAt }));
  const leftOut = {
    ...(otherSpeed.length > 0 && { otherSpeed }),
    ...(outlying.length > 0 && { outlying: [...outlying] }),
  };
  const newest = comparable.at(-1);
  return {
    runs,
    ...(newest && { newest }),
    comparison: { kind: 'stored', base: compared, mismatches, ...leftOut },
  };
}
