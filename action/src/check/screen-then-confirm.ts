import {
  cellsToConfirm,
  type Incomparability,
  incomparability,
  isSettled,
  type Measurements,
} from '../judge/index.ts';
import { confirming, type MeasureOptions } from '../measure/index.ts';
import { Fault } from '../model/fault.ts';
import type { Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { confirmingBase, firstBase, shortCommit } from './base-commit.ts';
import { mayBecomeBaseline } from './baseline-policy.ts';
import type { CheckContext } from './check-context.ts';
import { measureBoth, measureHead, measureHeadIf } from './measure-head-and-base.ts';

const incomparable: Readonly<Record<Incomparability, string>> = {
  'no-baseline': 'no run is stored yet',
  'other-machine': 'no stored run was made on such a machine',
  'other-checkout': 'no stored run was made with the data, load and versions of this checkout',
};

/** Compares the head with the stored runs, and measures the base commit where they do not suffice. */
export async function screenThenConfirm(
  context: CheckContext,
  { stored, requestedBase }: { readonly stored: readonly Run[]; readonly requestedBase: string | undefined },
  judgeMeasured: (measured: Measurements) => Verdict,
): Promise<Measurements> {
  const { plan, ports, code, note } = context;
  const baseFor = (newestStored: string | undefined) =>
    confirmingBase(ports.commits, note, newestStored, requestedBase);
  let replacing: Promise<string | undefined> | undefined;
  /** The base commit that replaces the stored runs. Searched once, because a failed search leaves a note. */
  const replacingBase = () => {
    replacing ??=
      stored.length === 0 ? firstBase(context, requestedBase) : baseFor(stored.at(-1)?.code.commit);
    return replacing;
  };
  let reason: Incomparability | undefined;
  // A run that may start a new baseline is measured alone, as the runs that are later compared with it will be.
  const isMeasuredAlone = ports.baseline.mayWrite && mayBecomeBaseline(code, stored);
  const run = await measureHeadIf(context, async (fingerprint) => {
    reason = incomparability({ id: plan.runId, suite: plan.suite.suite, fingerprint }, stored);
    return isMeasuredAlone || reason === undefined || (await replacingBase()) === undefined;
  });
  if (run === undefined) {
    const commit = await replacingBase();
    if (commit === undefined || reason === undefined) {
      throw new Error('without a base commit, the head is always worth its load');
    }
    note(`${incomparable[reason]}, so measured against ${shortCommit(commit)} from the start`);
    const both = await unlessBaseFails(context, commit, () =>
      measureBoth(context, commit, plan.suite, 'head'),
    );
    return both === undefined
      ? { run: await measureHead(context), stored }
      : { run: both.head, interleaved: { base: both.base }, stored };
  }
  const screened = judgeMeasured({ run, stored });
  const suspects = cellsToConfirm(screened);
  if (suspects.length === 0) return { run, stored };
  const { comparison } = screened;
  const [why, commit] =
    comparison.kind === 'stored'
      ? [
          `${suspects.join(', ')}: worse than the stored baseline`,
          await baseFor(comparison.base.at(-1)?.commit),
        ]
      : [incomparable['other-checkout'], await replacingBase()];
  if (commit === undefined) return { run, stored };
  note(`${why}, so re-measured against ${shortCommit(commit)}`);
  const isEnough: MeasureOptions['isEnough'] = ([base, head]) =>
    base !== undefined &&
    head !== undefined &&
    isSettled(judgeMeasured({ run, stored, interleaved: { base, head } }));
  const interleaved = await unlessBaseFails(context, commit, () =>
    comparison.kind === 'stored'
      ? measureBoth(context, commit, confirming(plan.suite, suspects), 'confirmation', isEnough)
      : measureBoth(context, commit, plan.suite, 'confirmation'),
  );
  return { run, stored, ...(interleaved === undefined ? {} : { interleaved }) };
}

/**
 * What `measure` returns; undefined, with a note, if a base commit that was not asked for cannot be built, booted or
 * measured. A commit from before the gate was set up may lack what the configuration names.
 */
async function unlessBaseFails<Both>(
  { plan, note, signal }: CheckContext,
  commit: string,
  measure: () => Promise<Both>,
): Promise<Both | undefined> {
  try {
    return await measure();
  } catch (error) {
    if (signal.aborted || plan.mode === 'side-by-side' || !(error instanceof Fault)) throw error;
    const { code, cause } = error.details;
    note(`${shortCommit(commit)} could not be measured next to the head: ${cause} (${code})`);
    return undefined;
  }
}
