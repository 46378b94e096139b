import { isBeyondDoubt, type Measurements } from '../judge/index.ts';
import { Fault } from '../model/fault.ts';
import type { Pin } from '../model/pin.ts';
import type { Run } from '../model/run.ts';
import type { JudgingChange, Verdict } from '../model/verdict.ts';
import { firstBase, sideBySideBase } from './base-commit.ts';
import { isToBeStored, readStoredRuns, requireWritable } from './baseline-policy.ts';
import type { CheckContext } from './check-context.ts';
import { type CheckPlan, mayMeasureBase } from './check-plan.ts';
import { judgeSuite } from './judge-suite.ts';
import { CutShort, measureHead } from './measure-head-and-base.ts';
import type { CheckPorts } from './ports.ts';
import { confirmSuspects, measureBothFirst, screenThenConfirm } from './screen-then-confirm.ts';
import { withReleases } from './since-releases.ts';

export interface CheckResult {
  readonly measured: Measurements;
  readonly verdict: Verdict;
  /** Whether the run was added to the baseline. */
  readonly stored: boolean;
  /** Why storing the run failed. The verdict still holds, but the command must fail in the end. */
  readonly notStored?: Fault;
  /** Why the measurement ended before its time. The verdict is about what was measured, and the command must fail with it. */
  readonly cutShort?: { readonly cause: unknown };
}

/** Measures the code of this checkout, judges it, and stores the run where the mode and the event allow it. */
export async function check(plan: CheckPlan, ports: CheckPorts, signal: AbortSignal): Promise<CheckResult> {
  const { mode, config, suite } = plan;
  const { clock, baseline, results, commits, onProgress } = ports;
  const startedMs = clock.monotonicMs();
  if (mode === 'record') requireWritable(baseline);
  const context: CheckContext = {
    plan,
    ports,
    code: await commits.head(),
    note: (text) => onProgress({ kind: 'note', text }),
    signal,
  };
  const judgeMeasured = (measured: Measurements) =>
    judgeSuite(config, suite, measured, {
      createdAt: clock.now(),
      seconds: (clock.monotonicMs() - startedMs) / 1000,
    });
  // Resolved before measuring: a wrong reference then fails within a second, and the token that a remote needs is
  // never used after measured code has run.
  const requestedBase =
    mayMeasureBase(mode) && plan.baseRef !== undefined ? await commits.resolve(plan.baseRef) : undefined;
  const judging = await judgingChangesOf(context, requestedBase);
  const pins = await readPins(context);
  const { measured, cutShort } = await measure(context, requestedBase, judgeMeasured);
  const verdict: Verdict = {
    ...withReleases(judgeMeasured(measured), plan, measured.run, pins),
    ...(judging.length > 0 && { judgingChanges: [...judging] }),
  };
  await results.writeVerdict(verdict);
  const isWanted = cutShort === undefined && isToBeStored(mode, baseline.mayWrite, measured, verdict);
  const notStored = isWanted
    ? await faultOf(() => baseline.store.append(measured.run, config.baseline.keep))
    : undefined;
  return {
    measured,
    verdict,
    stored: isWanted && notStored === undefined,
    ...(notStored === undefined ? {} : { notStored }),
    ...(cutShort === undefined ? {} : { cutShort }),
  };
}

/** Read before measuring, like the baseline. Pins decide nothing, so a check goes on without those it cannot read. */
async function readPins({ plan, ports, note }: CheckContext): Promise<readonly Pin[]> {
  if (plan.mode === 'none' || ports.baseline.readPins === undefined) return [];
  try {
    return await ports.baseline.readPins();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    note(`warning: not compared with pinned runs: ${error.message}`);
    return [];
  }
}

async function measure(
  context: CheckContext,
  requestedBase: string | undefined,
  judgeMeasured: (measured: Measurements) => Verdict,
): Promise<Pick<CheckResult, 'measured' | 'cutShort'>> {
  const { mode } = context.plan;
  const stored =
    mode === 'side-by-side' || mode === 'none'
      ? undefined
      : await readStoredRuns(context.ports.baseline.store);
  try {
    return { measured: await measureAll(context, stored, requestedBase, judgeMeasured) };
  } catch (error) {
    if (!(error instanceof CutShort)) throw error;
    const measured = { run: error.run, ...(stored === undefined ? {} : { stored }) };
    return { measured, cutShort: { cause: error.cause } };
  }
}

/** `stored` is absent if the mode does not read the baseline. */
async function measureAll(
  context: CheckContext,
  stored: readonly Run[] | undefined,
  requestedBase: string | undefined,
  judgeMeasured: (measured: Measurements) => Verdict,
): Promise<Measurements> {
  const { mode } = context.plan;
  if (mode === 'side-by-side') {
    const commit = await sideBySideBase(context, requestedBase);
    const first = await measureBothFirst(context, commit, judgeMeasured);
    return confirmSuspects(context, commit, first, judgeMeasured);
  }
  if (stored === undefined) return { run: await measureHead(context) };
  if (mode === 'auto') return screenThenConfirm(context, { stored, requestedBase }, judgeMeasured);
  // Later runs are compared with what is recorded, and two rounds would tell them less.
  const isEnough =
    mode === 'record' || context.plan.allRounds
      ? undefined
      : (run: Run) => isBeyondDoubt(judgeMeasured({ run, stored }));
  return { run: await measureHead(context, isEnough), stored };
}

/** What head does to measuring and judging since its base, which is known only where something is compared. */
async function judgingChangesOf(
  context: CheckContext,
  requestedBase: string | undefined,
): Promise<readonly JudgingChange[]> {
  const { plan, ports, note } = context;
  if (plan.mode === 'none' || plan.mode === 'record') return [];
  const base = await firstBase(context, requestedBase);
  if (base === undefined) return [];
  const changes = await ports.commits.judgingChanges(base);
  for (const { what, change } of changes) note(`the change also shapes how it is judged: ${what}: ${change}`);
  return changes;
}

async function faultOf(work: () => Promise<unknown>): Promise<Fault | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
