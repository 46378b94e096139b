import type { CheckPorts } from '../../src/check/index.ts';
import { type Clock, partsOf, type Side, type Stack } from '../../src/measure/index.ts';
import type { BaselineRead } from '../../src/model/baseline.ts';
import { Fault } from '../../src/model/fault.ts';
import type { StackProfile } from '../../src/model/profile.ts';
import { cellName, type Run } from '../../src/model/run.ts';
import type { JudgingChange, Verdict } from '../../src/model/verdict.ts';

export interface FakeCheckOptions {
  /** What the baseline store holds. */
  readonly stored?: readonly Run[] | BaselineRead;
  readonly mayWrite?: boolean;
  readonly code?: Run['code'];
  /** Commits that HEAD or the default branch descends from. */
  readonly history?: readonly string[];
  readonly forkPoint?: string;
  /** What head does to judging since a commit. */
  readonly judgingChanges?: (base: string) => readonly JudgingChange[];
  /** Branches and tags, with the commits that they name. */
  readonly references?: Readonly<Record<string, string>>;
  /** Figures of a side; `interleaved` if both sides are measured. */
  readonly figures: (side: Side['name'], interleaved: boolean) => Run;
  /** What a profile of a side holds; by default no stack can be profiled. */
  readonly profiles?: (side: Side['name']) => StackProfile;
  /** What measuring base and head together ends with. */
  readonly bothFault?: Error | undefined;
  /** What ends the measurement of head before its time; its figures stand. */
  readonly cutShort?: Error;
  /** Reads the pins; without it the store has none. */
  readonly readPins?: CheckPorts['baseline']['readPins'];
  /** The store's answer to a new run. */
  readonly appendFault?: Error;
  /** git's answer to a question about history. */
  readonly historyFault?: Error;
}

/** Ports without a machine: runs come from the test, and every step leaves a line in `steps`. */
export interface FakeCheck {
  readonly ports: CheckPorts;
  /** What the check did, in order. */
  readonly steps: readonly string[];
  readonly notes: readonly string[];
  readonly appended: readonly Run[];
  readonly verdicts: readonly Verdict[];
  /** What the check answered when it was asked whether the rounds so far were enough. */
  readonly enough: readonly boolean[];
}

export function fakeCheck(options: FakeCheckOptions): FakeCheck {
  const steps: string[] = [];
  const notes: string[] = [];
  const appended: Run[] = [];
  const verdicts: Verdict[] = [];
  const enough: boolean[] = [];
  const { stored = { kind: 'missing' }, code = { commit: headCommit, branch: 'main', dirty: false } } =
    options;
  const profileOn = async (sides: readonly Side[], cells: readonly string[]) => {
    for (const cell of cells) {
      const [scenario = '', load = ''] = cell.split('@');
      for (const { name, keepProfile } of sides) {
        const profile = options.profiles?.(name);
        if (profile !== undefined) await keepProfile({ schema: 1, side: name, scenario, load, ...profile });
      }
    }
  };
  const ports: CheckPorts = {
    clock: fakeClock(),
    commits: {
      head: async () => code,
      judgingChanges: async (base) => options.judgingChanges?.(base) ?? [],
      resolve: async (reference) => {
        steps.push(`resolve ${reference}`);
        const commit = options.references?.[reference];
        if (commit === undefined) throw fakeFault('E_BASE_REF');
        return commit;
      },
      isInHistory: async (commit) => {
        if (options.historyFault !== undefined) throw options.historyFault;
        return options.history?.includes(commit) ?? false;
      },
      forkPoint: async () => options.forkPoint,
    },
    stacks: {
      head: () => fakeStack,
      base: async (commit) => {
        steps.push(`check out ${commit.slice(0, 8)}`);
        return fakeStack;
      },
    },
    measure: async (sides, { plan, isWorthLoad, isEnough, sparesOthers, onCutShort, toProfile, nextTo }) => {
      const bothFault = sides.length > 1 ? options.bothFault : undefined;
      if (bothFault !== undefined) throw bothFault;
      const names = plan.cells.map(cellName);
      const runs = sides.map(({ name, id, code: measured }): Run => {
        const run = options.figures(name, sides.length > 1);
        return { ...onlyCells(run, names), id, code: measured };
      });
      for (const { fingerprint } of runs) {
        if ((await isWorthLoad?.(fingerprint)) === false) {
          steps.push('boot head without load');
          return [];
        }
      }
      const [head] = runs;
      if (options.cutShort !== undefined && head !== undefined) {
        onCutShort?.(head);
        throw options.cutShort;
      }
      const parts = partsOf(plan);
      const [first = [], ...others] = parts;
      const ofFirst = runs.map((run) => onlyCells(run, first.map(cellName)));
      if (isEnough !== undefined) enough.push(await isEnough(ofFirst));
      const spared = others.length > 0 && sparesOthers?.(ofFirst) === true;
      const taken = spared ? ofFirst : runs;
      const measured = (spared ? [first] : parts).map((part) => part.map(cellName).join(' '));
      steps.push(`measure ${sides.map(({ name }) => name).join(' and ')}: ${measured.join(', then ')}`);
      await profileOn(sides, toProfile?.(taken) ?? []);
      const partner = head === undefined ? undefined : await nextTo?.(head);
      const canProfile = options.profiles !== undefined;
      if (partner !== undefined && canProfile)
        await profileOn([await partner.side(), ...sides], partner.cells);
      return taken;
    },
    baseline: {
      store: {
        place: 'the fake baseline',
        read: async () => {
          steps.push('read the baseline');
          return 'kind' in stored ? stored : { kind: 'found', baseline: { schema: 1, runs: [...stored] } };
        },
        append: async (run, keep) => {
          steps.push(`append, keep ${keep}`);
          if (options.appendFault !== undefined) throw options.appendFault;
          appended.push(run);
          return { schema: 1, runs: [...appended] };
        },
      },
      mayWrite: options.mayWrite ?? false,
      ...(options.readPins && { readPins: options.readPins }),
    },
    results: {
      appendSeries: async () => undefined,
      appendProfile: async (part, { scenario, load }) =>
        void steps.push(`write a profile of ${scenario}@${load}: ${part}`),
      writeRun: async (part) => steps.push(`write the ${part} run`),
      writeVerdict: async (verdict) => {
        steps.push(`write the verdict: ${verdict.outcome}`);
        verdicts.push(verdict);
      },
    },
    onProgress: (event) => {
      if (event.kind === 'note') notes.push(event.text);
    },
  };
  return { ports, steps, notes, appended, verdicts, enough };
}

function onlyCells(run: Run, names: readonly string[]): Run {
  return { ...run, cells: run.cells.filter((cell) => names.includes(cellName(cell))) };
}

export const headCommit = 'a'.repeat(40);

/** A clock that each reading advances by one second. */
export function fakeClock(): Clock {
  let seconds = 0;
  const tick = () => {
    seconds += 1;
    return seconds * 1000;
  };
  return { now: () => new Date(tick()), monotonicMs: tick, wait: async () => undefined };
}

export const fakeStack: Stack = {
  kind: 'process',
  prepare: async () => undefined,
  up: async () => ({}),
  boot: async () => {
    throw new Error('the fake measurement boots nothing');
  },
  logTail: () => [],
  down: async () => undefined,
};

export function fakeFault(code: string): Fault {
  return new Fault({
    code,
    kind: 'measurement',
    place: 'a fake',
    cause: 'the test asked for it',
    nextStep: 'none',
  });
}
