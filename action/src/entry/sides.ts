import { checkoutBase, forkPoint, type Git, isInHistory } from '../adapters/git/index.ts';
import {
  type BlockTools,
  balanced,
  type MeasureOptions,
  measureSides,
  type Plan,
  type Side,
} from '../measure/index.ts';
import { Fault } from '../model/fault.ts';
import type { Fingerprint, Run } from '../model/run.ts';
import { type ChosenStack, chooseStack, type StackRequest } from './stack.ts';
import { ofBase } from './workspace.ts';

/** All that measuring takes, ready for head. */
export interface Bench {
  readonly tools: BlockTools;
  readonly options: MeasureOptions;
  readonly head: StackRequest;
  readonly stack: ChosenStack;
  /** In the folder of gate.yml. */
  readonly git: Git;
  readonly code: Run['code'];
}

export async function measureHead(bench: Bench, signal: AbortSignal): Promise<Run> {
  const run = await measureIfWorth(bench, async () => true, signal);
  if (run === undefined) throw new Error('measureSides() answers with a run for each side');
  return run;
}

/** Head alone; undefined if its conditions, known once it is up, tell that this is not worth it. */
export async function measureIfWorth(
  { tools, options, head, stack, code }: Bench,
  isWorthLoad: (fingerprint: Fingerprint) => Promise<boolean>,
  signal: AbortSignal,
): Promise<Run | undefined> {
  const side: Side = { name: 'head', id: head.workspace.runId, stack: stack.create(), code };
  const [run] = await measureSides(tools, [side], { ...options, isWorthLoad }, signal);
  return run;
}

/** Measures the plan on both sides by turns. Base is built from its own checkout, and loaded by head's scripts. */
export async function measureBeside(
  bench: Bench,
  commit: string,
  plan: Plan,
  signal: AbortSignal,
): Promise<{ base: Run; head: Run }> {
  const { tools, options, head, stack, code } = bench;
  const { workspace, settings } = head;
  const checkout = await checkoutBase(bench.git, commit, workspace.basesDirectory);
  const baseStack = chooseStack(stack.kind, {
    ...head,
    configDirectory: checkout.directory,
    // Names of containers, volumes and networks come from it.
    settings: { ...settings, root: checkout.root },
    workspace: ofBase(workspace),
  });
  const sides: Side[] = [
    {
      name: 'base',
      id: `${workspace.runId}-base`,
      stack: baseStack.create(),
      code: { commit, branch: '', dirty: false },
    },
    { name: 'head', id: `${workspace.runId}-head`, stack: stack.create(), code },
  ];
  const [base, besideBase] = await measureSides(tools, sides, { ...options, plan: balanced(plan) }, signal);
  if (base === undefined || besideBase === undefined) {
    throw new Error('measureSides() answers with a run for each side');
  }
  return { base, head: besideBase };
}

/** The base of `--compare side-by-side`: as asked for, else where this branch left the default branch. */
export async function chosenBase({ git, code }: Bench, asked: string | undefined): Promise<string> {
  if (asked !== undefined) return asked;
  const fork = await forkPoint(git);
  if (fork !== undefined && (fork !== code.commit || code.dirty)) return fork;
  throw new Fault({
    code: 'E_BASE_REF',
    kind: 'usage',
    place: '--compare side-by-side',
    cause:
      fork === undefined
        ? 'git does not tell where this checkout left the default branch'
        : 'this checkout is the default branch itself, without a change',
    nextStep: 'name what to compare with (--base-ref, or `base-ref` of the Action), such as HEAD~1',
  });
}

/**
 * The commit to measure beside head where the stored baseline does not suffice: as asked for, else the newest one
 * stored, which may be this one: then it shows what the machine alone does. Undefined, with a word on why, if it
 * cannot be had.
 */
export async function storedBase(
  { head, git }: { readonly head: Pick<StackRequest, 'note'>; readonly git: Git },
  newest: string | undefined,
  asked: string | undefined,
): Promise<string | undefined> {
  const { note } = head;
  if (asked !== undefined) return asked;
  if (newest === undefined || newest === '') {
    note('the stored runs name no commit, so nothing can be measured beside them');
    return undefined;
  }
  try {
    if (await isInHistory(git, newest)) return newest;
    note(
      `${newest.slice(0, 8)} is not measured beside this commit: as far as this checkout goes back, neither HEAD nor the default branch comes from it; check out with the history (fetch-depth: 0), or name a base (--base-ref, or \`base-ref\` of the Action)`,
    );
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    note(`${newest.slice(0, 8)} cannot be measured beside this commit: ${error.details.cause}`);
  }
  return undefined;
}
