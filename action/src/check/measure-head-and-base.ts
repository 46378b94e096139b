import { balanced, type MeasureOptions, type Plan, type Side } from '../measure/index.ts';
import type { ResultPart } from '../model/record.ts';
import type { Interleaved, Run } from '../model/run.ts';
import type { CheckContext } from './check-context.ts';
import type { CheckPorts } from './ports.ts';

interface HeadOptions {
  readonly isWorthLoad?: MeasureOptions['isWorthLoad'];
  /** Asked after every second round. If true, no more rounds are taken. */
  readonly isEnough: (run: Run) => boolean;
}

/** Measures only the head. Returns undefined if its conditions, known once it is up, show that load is not worth it. */
export async function measureHeadIf(
  { plan, ports, code, signal }: CheckContext,
  { isWorthLoad, isEnough }: HeadOptions,
): Promise<Run | undefined> {
  const side: Side = {
    name: 'head',
    id: plan.runId,
    stack: ports.stacks.head(),
    code,
    ...seriesOf(ports, 'head', code),
  };
  const options = {
    plan: plan.suite,
    ...(isWorthLoad === undefined ? {} : { isWorthLoad }),
    isEnough: ([soFar]: readonly Run[]) => isEnough(required(soFar)),
  };
  const [run] = await ports.measure([side], options, signal);
  if (run !== undefined) await ports.results.writeRun('head', run);
  return run;
}

/** Measures only the head, by default in every round. */
export async function measureHead(
  context: CheckContext,
  isEnough: HeadOptions['isEnough'] = () => false,
): Promise<Run> {
  return required(await measureHeadIf(context, { isEnough }));
}

const parts = {
  first: { base: 'base', head: 'head' },
  second: { base: 'confirmation-base', head: 'confirmation' },
} as const;

/** Measures the base commit and the head interleaved. Both sides get the head's scripts and load. */
export async function measureBoth(
  { plan, ports, code, signal }: CheckContext,
  commit: string,
  suite: Plan,
  measurement: keyof typeof parts,
  /** Asked after every second round. If true, no more rounds are taken. */
  isEnough: (both: Interleaved) => boolean,
): Promise<Interleaved> {
  const { stacks, results } = ports;
  const part = parts[measurement];
  const baseCode = { commit, branch: '', dirty: false };
  const sides: readonly Side[] = [
    {
      name: 'base',
      id: `${plan.runId}-${part.base}`,
      stack: await stacks.base(commit),
      code: baseCode,
      ...seriesOf(ports, part.base, baseCode),
    },
    {
      name: 'head',
      id: `${plan.runId}-${part.head}`,
      stack: stacks.head(),
      code,
      ...seriesOf(ports, part.head, code),
    },
  ];
  const options = {
    plan: balanced(suite),
    isEnough: ([base, head]: readonly Run[]) => isEnough({ base: required(base), head: required(head) }),
  };
  const runs = await ports.measure(sides, options, signal);
  const [base, head] = [required(runs[0]), required(runs[1])];
  await results.writeRun(part.head, head);
  await results.writeRun(part.base, base);
  return { base, head };
}

/** Where the seconds of a side go. */
function seriesOf(
  { results, sendSeries }: CheckPorts,
  part: ResultPart,
  code: Run['code'],
): Pick<Side, 'keepSeries' | 'sendSeries'> {
  return {
    keepSeries: (series) => results.appendSeries(part, series),
    ...(sendSeries && { sendSeries: (series) => sendSeries(series, code) }),
  };
}

function required(run: Run | undefined): Run {
  if (run === undefined)
    throw new Error('measuring returned no run for a side that is always worth its load');
  return run;
}
