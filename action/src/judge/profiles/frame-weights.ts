import type { StackProfile, Stacks } from '../../model/profile.ts';

/** The weight of a frame: of all stacks that it is on, wherever and however often. */
export interface FrameWeight {
  readonly weight: number;
  /** How many times one of its stacks was seen. */
  readonly count: number;
}

const nothing: FrameWeight = { weight: 0, count: 0 };

/** The stacks of one kind, with names for frames. */
export class FrameWeights {
  readonly total: number;
  readonly #stacks: readonly {
    readonly names: readonly string[];
    readonly weight: number;
    readonly count: number;
  }[];
  readonly #weights: ReadonlyMap<string, FrameWeight>;

  constructor({ frames }: Pick<StackProfile, 'frames'>, { total, stacks }: Stacks) {
    this.total = total;
    this.#stacks = stacks.map((stack) => ({
      ...stack,
      names: stack.frames.map((frame) => frames[frame] ?? ''),
    }));
    this.#weights = this.#sums(({ names }) => new Set(names));
  }

  get names(): readonly string[] {
    return [...this.#weights.keys()];
  }

  of(frame: string): FrameWeight {
    return this.#weights.get(frame) ?? nothing;
  }

  /** The weight of the stacks that hold the first frame and not the second one. */
  holding(frame: string, without: string): number {
    const held = this.#stacks.filter(({ names }) => names.includes(frame) && !names.includes(without));
    return held.reduce((sum, { weight }) => sum + weight, 0);
  }

  /** The weights of what the frame calls, directly or not. In a recursion, what the innermost call of it calls. */
  below(frame: string): ReadonlyMap<string, FrameWeight> {
    return this.#sums(({ names }) => {
      const at = names.lastIndexOf(frame);
      return new Set(at < 0 ? [] : names.slice(at + 1));
    });
  }

  /** The frame that calls it in most of its weight, of those that count; null if none does. */
  callerOf(frame: string, counts: (name: string) => boolean): string | null {
    const callers = this.#sums(({ names }) => {
      const caller = names.slice(0, Math.max(0, names.indexOf(frame))).findLast(counts);
      return new Set(caller === undefined ? [] : [caller]);
    });
    const [heaviest] = [...callers].toSorted(([, a], [, b]) => b.weight - a.weight);
    return heaviest?.[0] ?? null;
  }

  #sums(
    framesOf: (stack: { readonly names: readonly string[] }) => ReadonlySet<string>,
  ): ReadonlyMap<string, FrameWeight> {
    const sums = new Map<string, FrameWeight>();
    for (const stack of this.#stacks) {
      for (const frame of framesOf(stack)) {
        const { weight, count } = sums.get(frame) ?? nothing;
        sums.set(frame, { weight: weight + stack.weight, count: count + stack.count });
      }
    }
    return sums;
  }
}
