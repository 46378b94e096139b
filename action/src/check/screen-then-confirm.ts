import {
  type Incomparability,
  incomparability,
  isBeyondDoubt,
  isClearlySuspect,
  isConfirmed,
  isSettled,
  isUnanswered,
  type Measurements,
  partsToConfirm,
  suspectCells,
  worseCells,
} from '../judge/index.ts';
import { confirming, type Plan } from '../measure/index.ts';
import { Fault } from '../model/fault.ts';
import type { CellProfile } from '../model/profile.ts';
import { cellName, type Interleaved, type Run } from '../model/run.ts';
import type { CellVerdict, Comparison, Verdict } from '../model/verdict.ts';
import { confirmingBase, firstBase, shortCommit } from './base-commit.ts';
import { mayBecomeBaseline } from './baseline-policy.ts';
import { cellsToProfile, noteSpared } from './cells-to-profile.ts';
import type { CheckContext } from './check-context.ts';
import { measureBoth, measureHead, measureHeadIf } from './measure-head-and-base.ts';

const incomparable: Readonly<Record<Incomparability, string>> = {
  'no-baseline': 'no run is stored yet',
  'other-machine': 'no stored run of such a machine is comparable',
  'other-checkout': 'no stored run was made with the data, load and versions of this checkout',
};

/** Compares the head with the stored runs, and measures the base commit where they do not suffice. */
export async function screenThenConfirm(
  context: CheckContext,
  { stored, requestedBase }: { readonly stored: readonly Run[]; readonly requestedBase: string | undefined },
  judgeMeasured: (measured: Measurements) => Verdict,
): Promise<Measurements> {
  const { plan, ports, code, note } = context;
  const bases = new Map<string | undefined, Promise<string | undefined>>();
  /** The base commit next to a stored one. Searched once, because a failed search leaves a note. */
  const baseFor = (newestStored: string | undefined) => {
    const found = bases.get(newestStored) ?? confirmingBase(ports.commits, note, newestStored, requestedBase);
    bases.set(newestStored, found);
    return found;
  };
  /** The base commit that replaces the stored runs. */
  const replacingBase = () =>
    stored.length === 0 ? firstBase(context, requestedBase) : baseFor(stored.at(-1)?.code.commit);
  /** The base commit that suspects of a comparison with stored runs are re-measured against. */
  const confirmingCommit = async ({ comparison }: Verdict) =>
    comparison.kind === 'stored' ? baseFor(newestCommit(comparison, stored)) : undefined;
  let reason: Incomparability | undefined;
  // A run that may start a baseline is measured alone, as the runs that are later compared with it will be. If the checkout
  // itself made the stored runs incomparable, whether it is slower comes first.
  const isFirst = ports.baseline.mayWrite && mayBecomeBaseline(code, stored);
  const measured = await measureHeadIf(context, {
    isWorthLoad: async (fingerprint) => {
      reason = incomparability({ id: plan.runId, suite: plan.suite.suite, fingerprint }, stored);
      const comesAlone = reason === undefined || (isFirst && reason !== 'other-checkout');
      return comesAlone || (await replacingBase()) === undefined;
    },
    isEnough: (head) => !plan.allRounds && isBeyondDoubt(judgeMeasured({ run: head, stored })),
    isToMeasureAgain: async (head) => {
      if (plan.allRounds) return false;
      const verdict = judgeMeasured({ run: head, stored });
      return isClearlySuspect(verdict) && (await confirmingCommit(verdict)) !== undefined;
    },
    toProfile: async (head) => {
      const verdict = judgeMeasured({ run: head, stored });
      const cells = provedByCounts(verdict);
      if (cells.length === 0 || plan.isExplained?.(verdict)) return undefined;
      const commit = await confirmingCommit(verdict);
      return commit === undefined ? undefined : { cells: cellsToProfile(cells), commit };
    },
  });
  if (measured === undefined) {
    const commit = await replacingBase();
    if (commit === undefined || reason === undefined) {
      throw new Error('without a base commit, the head is always worth its load');
    }
    note(`${incomparable[reason]}, so measured against ${shortCommit(commit)} from the start`);
    const both = await unlessBaseFails(context, commit, () =>
      measureBothFirst(context, commit, judgeMeasured, stored),
    );
    return both === undefined
      ? { run: await measureHead(context), stored }
      : confirmSuspects(context, commit, both, judgeMeasured);
  }
  const { run, profiles } = measured;
  const first = { run, stored };
  const screened = judgeMeasured(first);
  if (suspectCells(screened).length === 0) return withProfiles(first, profiles);
  const commit = await confirmingCommit(screened);
  if (commit === undefined) return first;
  const both = await confirmSuspects(context, commit, first, judgeMeasured);
  // Some rounds alone prove nothing.
  return run.endedEarly && both.again === undefined ? { run: await measureHead(context), stored } : both;
}

/** The commit of the newest run that head can be compared with, also if its times are too far from the others. */
function newestCommit(
  { base, outlying = [] }: Extract<Comparison, { kind: 'stored' }>,
  stored: readonly Run[],
): string | undefined {
  const comparable = new Set([...base, ...outlying].map(({ runId }) => runId));
  return stored.findLast(({ id }) => comparable.has(id))?.code.commit;
}

/** The cells in which a count proves a regression; none if some cell is measured again anyway. */
function provedByCounts(verdict: Verdict): readonly CellVerdict[] {
  if (suspectCells(verdict).length > 0) return [];
  return verdict.cells.filter(({ signals }) => signals.some(({ failed }) => failed));
}

/** Measures the base commit and the head interleaved from the start. */
export async function measureBothFirst(
  context: CheckContext,
  commit: string,
  judgeMeasured: (measured: Measurements) => Verdict,
  stored?: readonly Run[],
): Promise<Measurements> {
  const measured = ({ base, head }: Interleaved): Measurements => ({
    run: head,
    base,
    ...(stored === undefined ? {} : { stored }),
  });
  const { profiles, ...both } = await measureBoth(context, commit, {
    suite: context.plan.suite,
    measurement: 'first',
    isEnough: (soFar) => isBeyondDoubt(judgeMeasured(measured(soFar))),
    toProfile: (taken) => {
      const verdict = judgeMeasured(measured(taken));
      // The others are profiled after their second measurement, if that leaves them worse.
      const suspects = new Set(suspectCells(verdict));
      const worse = verdict.cells.filter(
        (cell) => cell.outcome === 'regression' && !suspects.has(cellName(cell)),
      );
      const asked = cellsToProfile(worse);
      noteSpared(context.note, asked);
      return asked.names;
    },
  });
  return withProfiles(measured(both), profiles);
}

function withProfiles(measured: Measurements, more: readonly CellProfile[]): Measurements {
  const profiles = [...(measured.profiles ?? []), ...more];
  return profiles.length === 0 ? measured : { ...measured, profiles };
}

/** The measurements, with a second one of the cells that look worse in the first: fresh boots, next to the base commit. */
export async function confirmSuspects(
  context: CheckContext,
  commit: string,
  first: Measurements,
  judgeMeasured: (measured: Measurements) => Verdict,
): Promise<Measurements> {
  const verdict = judgeMeasured(first);
  const suspects = suspectCells(verdict);
  if (suspects.length === 0) return first;
  const than = first.base === undefined ? 'the stored baseline' : 'the base commit';
  const silent = new Set(verdict.cells.filter(isUnanswered).map(cellName));
  const reasons = Map.groupBy(suspects, (name) =>
    silent.has(name) ? 'no request of a block succeeded' : `worse than ${than}`,
  );
  const looks = [...reasons].map(([reason, names]) => `${names.join(', ')}: ${reason}`);
  context.note(`${looks.join('; ')}, so re-measured against ${shortCommit(commit)}`);
  // What makes head fall silent may need as much load as it had at first, such as a leak.
  const blocks = first.run.cells.reduce((sum, cell) => sum + cell.blocks.length, 0);
  const rounds = silent.size > 0 ? Math.ceil(blocks / suspects.length) : undefined;
  const suite = confirming(context.plan.suite, partsToConfirm(verdict), rounds);
  return measureAgain(context, commit, first, judgeMeasured, suite);
}

/** The measurements, with a second one of the suite, and with profiles of what then still looks worse. */
async function measureAgain(
  context: CheckContext,
  commit: string,
  first: Measurements,
  judgeMeasured: (measured: Measurements) => Verdict,
  suite: Plan,
): Promise<Measurements> {
  const judgeAgain = (again: Interleaved) => judgeMeasured({ ...first, again });
  const measure = () =>
    measureBoth(context, commit, {
      suite,
      measurement: 'second',
      isEnough: (both) => isSettled(judgeAgain(both)),
      sparesOthers: (both) => isConfirmed(judgeAgain(both)),
      toProfile: (both) => {
        const verdict = judgeAgain(both);
        return context.plan.isExplained?.(verdict) ? [] : worseCells(verdict);
      },
    });
  // Base and head could be measured together before, so a fault is news about one of them, unless head had broken already.
  const mayFail = first.base === undefined || judgeMeasured(first).cells.some(isUnanswered);
  const measured = mayFail ? await unlessBaseFails(context, commit, measure) : await measure();
  if (measured === undefined) return first;
  const { profiles, ...again } = measured;
  return withProfiles({ ...first, again }, profiles);
}

/**
 * What `measure` returns; undefined, with a note, if base and head cannot be measured together. A base commit from before
 * the gate was set up may lack what the configuration names. A head at fault has failed alone already, or will.
 */
async function unlessBaseFails<Both>(
  { note, signal }: CheckContext,
  commit: string,
  measure: () => Promise<Both>,
): Promise<Both | undefined> {
  try {
    return await measure();
  } catch (error) {
    if (signal.aborted || !(error instanceof Fault)) throw error;
    const { code, cause } = error.details;
    note(`${shortCommit(commit)} and the head could not be measured together: ${cause} (${code})`);
    return undefined;
  }
}
