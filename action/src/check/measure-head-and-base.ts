import { balanced, type MeasureOptions, type Plan, type Side } from '../measure/index.ts';
import type { Run } from '../model/run.ts';
import type { CheckContext } from './check-context.ts';

/** Measures only the head. Returns undefined if its conditions, known once it is up, show that load is not worth it. */
export async function measureHeadIf(
  { plan, ports, code, signal }: CheckContext,
  isWorthLoad: MeasureOptions['isWorthLoad'],
): Promise<Run | undefined> {
  const side: Side = { name: 'head', id: plan.runId, stack: ports.stacks.head(), code };
  const options = { plan: plan.suite, ...(isWorthLoad === undefined ? {} : { isWorthLoad }) };
  const [run] = await ports.measure([side], options, signal);
  if (run !== undefined) await ports.results.writeRun('head', run);
  return run;
}

export async function measureHead(context: CheckContext): Promise<Run> {
  return required(await measureHeadIf(context, undefined));
}

/** Measures the base commit and the head interleaved. Both sides get the head's scripts and load. */
export async function measureBoth(
  { plan, ports, code, signal }: CheckContext,
  commit: string,
  suite: Plan,
  headPart: 'head' | 'confirmation',
  isEnough?: MeasureOptions['isEnough'],
): Promise<{ readonly base: Run; readonly head: Run }> {
  const { stacks, results } = ports;
  const sides: readonly Side[] = [
    {
      name: 'base',
      id: `${plan.runId}-base`,
      stack: await stacks.base(commit),
      code: { commit, branch: '', dirty: false },
    },
    { name: 'head', id: `${plan.runId}-head`, stack: stacks.head(), code },
  ];
  const options = { plan: balanced(suite), ...(isEnough === undefined ? {} : { isEnough }) };
  const runs = await ports.measure(sides, options, signal);
  const [base, head] = [required(runs[0]), required(runs[1])];
  await results.writeRun(headPart, head);
  await results.writeRun('base', base);
  return { base, head };
}

function required(run: Run | undefined): Run {
  if (run === undefined)
    throw new Error('measuring returned no run for a side that is always worth its load');
  return run;
}
