import { type HierarchyRectangularNode, hierarchy, partition } from 'd3-hierarchy';
import { isLibraryFrame } from '../../model/library-frames.ts';
import type { StackProfile } from '../../model/profile.ts';
import { errorOfGrowth } from '../../model/profile-error.ts';

/** Narrower frames could be neither seen nor pointed at. */
const leastShare = 0.003;
/** The heaviest frames are drawn, so that a picture stays below 60 kB. */
const mostFrames = 250;
/** Deeper calls would be far below the screen. */
const mostRows = 50;
/** A library's frame is part of its caller's row if it has so much of the caller's weight. */
const samePart = 0.95;
/** Smaller changes of a share are called the same, in percentage points and in standard errors. */
const leastChange = 0.01;
const leastErrors = 3;
const largeChange = 0.05;
const mostListed = 10;

export type Change = 'grew-much' | 'grew' | 'same' | 'shrank' | 'shrank-much';

/** Shares of the CPU samples of each side, 0 to 1. */
interface Shares {
  readonly base: number;
  readonly head: number;
}

/** A rectangle of the flame graph. */
export interface FlameFrame extends Shares {
  /** One method, or library methods of which each calls the next one and does little else, outermost first. */
  readonly names: readonly string[];
  /** 0 for the outermost. */
  readonly row: number;
  /** Its place among head's samples, 0 to 1. */
  readonly from: number;
  readonly to: number;
  readonly change: Change;
}

/** A method wherever it is on the stack, counted once. */
export interface ChangedFrame extends Shares {
  readonly name: string;
}

interface Call {
  readonly name: string;
  /** Samples of each side. */
  base: number;
  head: number;
  readonly callees: Map<string, Call>;
}

/** Calls that share a row. */
interface Folded {
  readonly first: Call;
  readonly last: Call;
  readonly names: readonly string[];
}

type Profiles = Readonly<Record<'base' | 'head', StackProfile>>;

const sides = ['base', 'head'] as const;

/** True if the shares of the two profiles mean the same and there are any. */
export function isComparable({ base, head }: Profiles): boolean {
  return base.sampledBy === head.sampledBy && base.cpu.total > 0 && head.cpu.total > 0;
}

/** Head's CPU by call stack, with what base used for the same stacks. Callers come before what they call. */
export function flameFrames(profiles: Profiles): readonly FlameFrame[] {
  const root = callsOf(profiles);
  const sharesOf = ({ base, head }: Call): Shares => ({ base: base / root.base, head: head / root.head });
  const changeOf = (call: Call) => changeOfShares(sharesOf(call), root);
  const drawn = heaviest(root);
  const calleesOf = ({ callees }: Call) => [...callees.values()].filter((callee) => drawn.has(callee));
  const fold = (first: Call): Folded => {
    const names = [first.name];
    let last = first;
    for (;;) {
      const [callee, ...others] = calleesOf(last);
      const joins =
        callee !== undefined &&
        others.length === 0 &&
        isLibraryFrame(last.name) &&
        isLibraryFrame(callee.name) &&
        callee.head >= samePart * first.head &&
        changeOf(callee) === changeOf(first);
      if (!joins) return { first, last, names };
      names.push(callee.name);
      last = callee;
    }
  };
  const tree = hierarchy<Folded>({ first: root, last: root, names: [] }, ({ last }) =>
    calleesOf(last).map(fold),
  )
    // Each row has the width of its first call, so what is not in its callees is its own.
    .sum(({ first, last }) => first.head - sum(calleesOf(last).map(({ head }) => head)))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0) || (a.data.first.name < b.data.first.name ? -1 : 1));
  return partition<Folded>()(tree)
    .descendants()
    .filter(({ depth }) => depth > 0 && depth <= mostRows)
    .map(({ data, depth, x0, x1 }: HierarchyRectangularNode<Folded>) => ({
      names: data.names,
      row: depth - 1,
      from: x0,
      to: x1,
      ...sharesOf(data.first),
      change: changeOf(data.first),
    }));
}

/** The methods whose share grew or shrank beyond chance: own code first, then by how much. */
export function changedFrames(profiles: Profiles): Readonly<Record<'grown' | 'shrunk', ChangedFrame[]>> {
  const totals = { base: profiles.base.cpu.total, head: profiles.head.cpu.total };
  const weights = { base: weightsOf(profiles.base), head: weightsOf(profiles.head) };
  const changed = [...new Set(sides.flatMap((side) => [...weights[side].keys()]))]
    .map((name) => ({
      name,
      base: (weights.base.get(name) ?? 0) / totals.base,
      head: (weights.head.get(name) ?? 0) / totals.head,
    }))
    .filter((shares) => changeOfShares(shares, totals) !== 'same')
    .toSorted(
      (a, b) =>
        Number(isLibraryFrame(a.name)) - Number(isLibraryFrame(b.name)) ||
        Math.abs(b.head - b.base) - Math.abs(a.head - a.base),
    );
  return {
    grown: changed.filter(({ base, head }) => head > base).slice(0, mostListed),
    shrunk: changed.filter(({ base, head }) => head < base).slice(0, mostListed),
  };
}

/** Both profiles as one tree. A method that calls itself directly is one call. */
function callsOf(profiles: Profiles): Call {
  const newCall = (name: string): Call => ({ name, base: 0, head: 0, callees: new Map() });
  const root = newCall('');
  for (const side of sides) {
    const { frames: names, cpu } = profiles[side];
    root[side] = cpu.total;
    for (const { frames, weight } of cpu.stacks) {
      let at = root;
      for (const frame of frames) {
        const name = names[frame] ?? '';
        if (at !== root && name === at.name) continue;
        const callee = at.callees.get(name) ?? newCall(name);
        at.callees.set(name, callee);
        callee[side] += weight;
        at = callee;
      }
    }
  }
  return root;
}

/** The calls to draw. A call is never heavier than its caller, so the caller of each is among them. */
function heaviest(root: Call): ReadonlySet<Call> {
  const all = [root];
  for (const { callees } of all)
    all.push(...[...callees.values()].filter(({ head }) => head >= leastShare * root.head));
  // The sort keeps the order of equals, in which callers come first.
  return new Set(all.toSorted((a, b) => b.head - a.head).slice(0, mostFrames));
}

function weightsOf({ frames: names, cpu }: StackProfile): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { frames, weight } of cpu.stacks) {
    for (const name of new Set(frames.map((frame) => names[frame] ?? '')))
      weights.set(name, (weights.get(name) ?? 0) + weight);
  }
  return weights;
}

/** `totals` are the samples of each side. */
function changeOfShares({ base, head }: Shares, totals: Shares): Change {
  const error = errorOfGrowth({ share: base, samples: totals.base }, { share: head, samples: totals.head });
  const change = Math.abs(head - base);
  if (change < Math.max(leastChange, leastErrors * error)) return 'same';
  const grew = head > base;
  if (change < largeChange) return grew ? 'grew' : 'shrank';
  return grew ? 'grew-much' : 'shrank-much';
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
