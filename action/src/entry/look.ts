import { join } from 'node:path';
import { resolveCommit } from '../adapters/git/index.ts';
import { writeRunFile } from '../adapters/results/index.ts';
import { cellsToConfirm, isIncomparableWithStored, type Measurements } from '../judge/index.ts';
import { mayBecomeBaseline, onlyCells, type Plan } from '../measure/index.ts';
import type { Fingerprint, Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { type ChosenStore, readBaseline } from './baseline-store.ts';
import { type Bench, chosenBase, measureBeside, measureHead, measureIfWorth, storedBase } from './sides.ts';

/** What head is compared with, and what is stored. */
export type CheckMode =
  /**
   * The stored baseline; cells that look worse are then measured beside the base commit, and all of them if this
   * checkout itself made the stored runs incomparable. Stored if nothing was comparable and it may become a baseline.
   */
  | 'auto'
  /** The stored baseline alone; stored likewise. */
  | 'stored'
  /** The base commit, measured by turns with head. The stored baseline is neither read nor written. */
  | 'side-by-side'
  /** Nothing: the stored baseline is neither read nor written. */
  | 'measure'
  /** The stored baseline, to which this run is added. */
  | 'record';

interface LookRequest {
  readonly mode: CheckMode;
  readonly baseRef?: string;
  /** For a remote that is asked for the base. */
  readonly token: string | undefined;
}

const incomparable = 'no stored run was made with the data, load and versions of this checkout';

/** Whether a base commit may be measured beside head. */
export function mayLookBeside(mode: CheckMode): boolean {
  return mode === 'auto' || mode === 'side-by-side';
}

/** Measures what the mode asks for, and once more what then looks worse. */
export async function look(
  bench: Bench,
  { mode, baseRef, token }: LookRequest,
  chosen: ChosenStore,
  verdictOn: (looks: Measurements) => Verdict,
  signal: AbortSignal,
): Promise<Measurements> {
  // All of it before measuring: what cannot be had is better told in a second than after minutes, and the token is
  // not used once the code that is measured has run.
  const asked =
    mayLookBeside(mode) && baseRef !== undefined
      ? await resolveCommit(bench.git, baseRef, { clock: bench.tools.clock, signal, token })
      : undefined;
  if (mode === 'side-by-side') return allBeside(bench, await chosenBase(bench, asked), signal);
  if (mode === 'measure') return { run: await alone(bench, signal) };
  const { runs: stored } = await readBaseline(chosen.store);
  if (mode === 'auto') return screenThenConfirm(bench, { ...chosen, stored, asked }, verdictOn, signal);
  return { run: await alone(bench, signal), stored };
}

/** Head against the stored runs, and beside the base commit where they do not suffice. */
async function screenThenConfirm(
  bench: Bench,
  { stored, asked, mayWrite }: { stored: readonly Run[]; asked: string | undefined; mayWrite: boolean },
  verdictOn: (looks: Measurements) => Verdict,
  signal: AbortSignal,
): Promise<Measurements> {
  const { note, workspace } = bench.head;
  const { plan } = bench.options;
  let inPlace: Promise<string | undefined> | undefined;
  /** Measured in place of the stored runs; looked for once, since it says why if there is none. */
  const baseInPlace = () => {
    inPlace ??= storedBase(bench, stored.at(-1)?.code.commit, asked);
    return inPlace;
  };
  // What may become the first of its kind is measured alone, as the runs will be that are compared with it.
  const isAlone = mayWrite && mayBecomeBaseline(bench.code, stored);
  const isBeyond = (fingerprint: Fingerprint) =>
    isIncomparableWithStored({ id: workspace.runId, suite: plan.suite, fingerprint }, stored);
  const run = await measureIfWorth(
    bench,
    async (fingerprint) => isAlone || !isBeyond(fingerprint) || (await baseInPlace()) === undefined,
    signal,
  );
  if (run === undefined) {
    const commit = await baseInPlace();
    if (commit === undefined) throw new Error('without a base head is worth its load');
    note(`${incomparable}, so measured beside ${commit.slice(0, 8)} at once`);
    return { ...(await allBeside(bench, commit, signal)), stored };
  }
  await writeRunFile(workspace.resultDirectory, run);
  const screened = verdictOn({ run, stored });
  const again = cellsToConfirm(screened);
  if (again.length === 0) return { run, stored };
  const { comparison } = screened;
  const [why, commit] =
    comparison.kind === 'stored'
      ? [
          `${again.join(', ')}: worse than the stored baseline`,
          await storedBase(bench, comparison.base.at(-1)?.commit, asked),
        ]
      : [incomparable, await baseInPlace()];
  if (commit === undefined) return { run, stored };
  note(`${why}, so measured beside ${commit.slice(0, 8)}`);
  return { run, stored, interleaved: await beside(bench, commit, onlyCells(plan, again), 'beside', signal) };
}

async function alone(bench: Bench, signal: AbortSignal): Promise<Run> {
  const run = await measureHead(bench, signal);
  await writeRunFile(bench.head.workspace.resultDirectory, run);
  return run;
}

async function allBeside(bench: Bench, commit: string, signal: AbortSignal): Promise<Measurements> {
  const { base, head } = await beside(bench, commit, bench.options.plan, '.', signal);
  return { run: head, interleaved: { base } };
}

/** Measures both sides by turns, and keeps head's figures in that folder of the results. */
async function beside(
  bench: Bench,
  commit: string,
  plan: Plan,
  folder: string,
  signal: AbortSignal,
): Promise<{ base: Run; head: Run }> {
  const { base, head } = await measureBeside(bench, commit, plan, signal);
  const { resultDirectory } = bench.head.workspace;
  await writeRunFile(join(resultDirectory, folder), head);
  await writeRunFile(join(resultDirectory, 'base'), base);
  return { base, head };
}
