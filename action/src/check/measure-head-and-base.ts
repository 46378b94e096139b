import { balanced, type MeasureOptions, type Plan, type Side } from '../measure/index.ts';
import type { CellProfile } from '../model/profile.ts';
import type { ResultPart } from '../model/record.ts';
import type { Interleaved, Run } from '../model/run.ts';
import { shortCommit } from './base-commit.ts';
import { type CellsToProfile, noteSpared } from './cells-to-profile.ts';
import type { CheckContext } from './check-context.ts';
import type { CheckPorts } from './ports.ts';

/** A measurement of head that ended before its time, with what stands of it and the reason as its cause. */
export class CutShort extends Error {
  readonly run: Run;

  constructor(run: Run, cause: unknown) {
    super('the measurement ended before its time', { cause });
    this.run = run;
  }
}

interface HeadOptions {
  readonly isWorthLoad?: MeasureOptions['isWorthLoad'];
  /** Asked after every second round. If true, no more rounds are taken. */
  readonly isEnough: (run: Run) => boolean;
  /** Asked after that, about the run as if it had ended early. If true, it does. By default it never does. */
  readonly isToMeasureAgain?: (run: Run) => Promise<boolean>;
  /** Asked after all rounds: the cells to profile, and the commit next to which they are. */
  readonly toProfile?: (run: Run) => Promise<{ cells: CellsToProfile; commit: string } | undefined>;
}

/** Head, measured alone, and the profiles of both sides. */
interface MeasuredHead {
  readonly run: Run;
  readonly profiles: readonly CellProfile[];
}

/** Measures only the head. Returns undefined if its conditions, known once it is up, show that load is not worth it. */
export async function measureHeadIf(
  context: CheckContext,
  { isWorthLoad, isEnough, isToMeasureAgain, toProfile }: HeadOptions,
): Promise<MeasuredHead | undefined> {
  const { plan, ports, code, signal } = context;
  const profiles: CellProfile[] = [];
  // Both are kept with head's run, because base has none.
  const keepProfile = async (profile: CellProfile) => {
    profiles.push(profile);
    await ports.results.appendProfile('head', profile);
  };
  const side: Side = {
    name: 'head',
    id: plan.runId,
    stack: ports.stacks.head(),
    code,
    ...seriesOf(ports, 'head', code),
    keepProfile,
  };
  let standing: Run | undefined;
  let early: Pick<Run, 'endedEarly'> = {};
  const options = {
    plan: plan.suite,
    ...(isWorthLoad === undefined ? {} : { isWorthLoad }),
    isEnough: async ([soFar]: readonly Run[]) => {
      const head = required(soFar);
      if (isEnough(head)) return true;
      if (!(await isToMeasureAgain?.({ ...head, endedEarly: true }))) return false;
      early = { endedEarly: true };
      return true;
    },
    onCutShort: (run: Run) => {
      standing = run;
    },
    nextTo: async (run: Run) => {
      const asked = await toProfile?.(run);
      if (asked === undefined) return undefined;
      const { cells, commit } = asked;
      // The verdict stands, whatever becomes of the profile.
      await ports.results.writeRun('head', run);
      const keep = () => ({ keepSeries: async () => undefined, keepProfile });
      const side = () => {
        const names = cells.names.join(', ');
        context.note(`${names}: proved by counts, so only profiled next to ${shortCommit(commit)}`);
        noteSpared(context.note, cells);
        return baseSide(context, commit, parts.first, keep);
      };
      return { cells: cells.names, side };
    },
  };
  try {
    const [measured] = await ports.measure([side], options, signal);
    if (measured === undefined) return undefined;
    const run = { ...measured, ...early };
    await ports.results.writeRun('head', run);
    return { run, profiles };
  } catch (error) {
    if (standing === undefined) throw error;
    await ports.results.writeRun('head', standing);
    throw new CutShort(standing, error);
  }
}

/** Measures only the head, by default in every round. */
export async function measureHead(
  context: CheckContext,
  isEnough: HeadOptions['isEnough'] = () => false,
): Promise<Run> {
  return required((await measureHeadIf(context, { isEnough }))?.run);
}

const parts = {
  first: { base: 'base', head: 'head' },
  second: { base: 'confirmation-base', head: 'confirmation' },
} as const;

interface BothOptions {
  readonly suite: Plan;
  readonly measurement: keyof typeof parts;
  /** Asked after every second round. If true, no more rounds are taken of the same cells. */
  readonly isEnough: (both: Interleaved) => boolean;
  /** Asked after the rounds of the cell that comes first. If true, no other is measured. By default all are. */
  readonly sparesOthers?: (both: Interleaved) => boolean;
  /** Asked after all rounds: names of cells to profile. */
  readonly toProfile: (both: Interleaved) => readonly string[];
}

/** Both sides, measured interleaved, and the profiles of both. */
export interface MeasuredBoth extends Interleaved {
  readonly profiles: readonly CellProfile[];
}

/** Measures the base commit and the head interleaved. Both sides get the head's scripts and load. */
export async function measureBoth(
  context: CheckContext,
  commit: string,
  { suite, measurement, isEnough, sparesOthers, toProfile }: BothOptions,
): Promise<MeasuredBoth> {
  const { ports, signal } = context;
  const part = parts[measurement];
  const profiles: CellProfile[] = [];
  const sides = await bothSides(context, commit, part, (name, code) => ({
    ...seriesOf(ports, part[name], code),
    keepProfile: async (profile) => {
      profiles.push(profile);
      await ports.results.appendProfile(part[name], profile);
    },
  }));
  const bothOf = ([base, head]: readonly Run[]) => ({ base: required(base), head: required(head) });
  const options = {
    plan: balanced(suite),
    isEnough: (runs: readonly Run[]) => isEnough(bothOf(runs)),
    sparesOthers: (runs: readonly Run[]) => sparesOthers?.(bothOf(runs)) ?? false,
    toProfile: (runs: readonly Run[]) => toProfile(bothOf(runs)),
  };
  const { base, head } = bothOf(await ports.measure(sides, options, signal));
  await ports.results.writeRun(part.head, head);
  await ports.results.writeRun(part.base, base);
  return { base, head, profiles };
}

/** What a side does with what was seen of it. */
type Keeping = Pick<Side, 'keepSeries' | 'sendSeries' | 'keepProfile'>;

/** The base commit and the head, in the order in which they are measured. */
async function bothSides(
  context: CheckContext,
  commit: string,
  part: (typeof parts)[keyof typeof parts],
  keep: (name: Side['name'], code: Run['code']) => Keeping,
): Promise<readonly Side[]> {
  const { plan, ports, code } = context;
  return [
    await baseSide(context, commit, part, (own) => keep('base', own)),
    {
      name: 'head',
      id: `${plan.runId}-${part.head}`,
      stack: ports.stacks.head(),
      code,
      ...keep('head', code),
    },
  ];
}

async function baseSide(
  { plan, ports }: CheckContext,
  commit: string,
  { base }: (typeof parts)[keyof typeof parts],
  keep: (code: Run['code']) => Keeping,
): Promise<Side> {
  const code = { commit, branch: '', dirty: false };
  return {
    name: 'base',
    id: `${plan.runId}-${base}`,
    stack: await ports.stacks.base(commit),
    code,
    ...keep(code),
  };
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
