import { type HierarchyRectangularNode, hierarchy, partition } from 'd3-hierarchy';
import { isLibraryFrame } from '../../model/library-frames.ts';
import type { StackProfile, Stacks } from '../../model/profile.ts';

/** A method in one place of the call tree, with all that it calls; or a run of library methods that call each other. */
export interface FlameNode {
  /** Outermost first. */
  readonly names: readonly string[];
  /** Shares of all samples of the side, 0 to 1. */
  readonly base: number;
  readonly head: number;
  readonly children: readonly FlameNode[];
}

/** A node with its place: the row, 0 for the root, and where it begins and ends, 0 to 1. */
export interface FlameBox {
  readonly node: FlameNode;
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** Narrower nodes could not be seen, nor pointed at. */
const leastShare = 0.003;
const mostBoxes = 600;

interface Growing {
  readonly name: string;
  base: number;
  head: number;
  readonly children: Map<string, Growing>;
}

const growing = (name: string): Growing => ({ name, base: 0, head: 0, children: new Map() });

function add(
  root: Growing,
  side: 'base' | 'head',
  frames: readonly string[],
  { total, stacks }: Stacks,
): void {
  if (total === 0) return;
  for (const stack of stacks) {
    const share = stack.weight / total;
    let at = root;
    at[side] += share;
    for (const frame of stack.frames) {
      const name = frames[frame] ?? '';
      const next = at.children.get(name) ?? growing(name);
      at.children.set(name, next);
      at = next;
      at[side] += share;
    }
  }
}

/** Without nodes of less than that share of head, and with the chains within libraries as one node. */
function simplified(from: Growing, least: number): FlameNode {
  const names = [from.name];
  let at = from;
  for (;;) {
    const kept = [...at.children.values()].filter(({ head }) => head >= least);
    const [only] = kept;
    // Nothing happens between two library methods if the second takes all the time of the first.
    if (
      kept.length === 1 &&
      only !== undefined &&
      only.head >= at.head - least &&
      bothOfLibraries(at, only)
    ) {
      names.push(only.name);
      at = only;
      continue;
    }
    const children = kept.map((child) => simplified(child, least));
    return { names, base: from.base, head: from.head, children };
  }
}

function bothOfLibraries(one: Growing, other: Growing): boolean {
  return isLibraryFrame(one.name) && isLibraryFrame(other.name);
}

function sizeOf(node: FlameNode): number {
  return node.children.reduce((size, child) => size + sizeOf(child), 1);
}

/**
 * The call trees of both profiles laid over each other, as boxes as wide as head's shares: a differential flame graph
 * (Gregg, 2014). Empty if head has no samples.
 */
export function flameBoxes(base: StackProfile, head: StackProfile): readonly FlameBox[] {
  const root = growing('all');
  add(root, 'base', base.frames, base.cpu);
  add(root, 'head', head.frames, head.cpu);
  if (root.head === 0) return [];
  let least = leastShare;
  let tree = simplified(root, least);
  while (sizeOf(tree) > mostBoxes) {
    least *= 1.5;
    tree = simplified(root, least);
  }
  const own = ({ head: whole, children }: FlameNode) =>
    Math.max(0, whole - children.reduce((sum, child) => sum + child.head, 0));
  const laidOut = partition<FlameNode>()(
    hierarchy(tree, ({ children }) => children)
      .sum(own)
      .sort((a, b) => (a.data.names[0] ?? '').localeCompare(b.data.names[0] ?? '', 'en')),
  );
  return laidOut.descendants().map(({ data, depth, x0, x1 }: HierarchyRectangularNode<FlameNode>) => ({
    node: data,
    row: depth,
    from: x0,
    to: x1,
  }));
}
