import { type Effect, effectKinds } from '../effects.ts';
import { levers } from '../rules/levers.ts';
import { worlds } from '../simulation/world.ts';

/** An effect, and whether it is in one cell or in all of them. */
export interface Scene {
  readonly effect?: Effect;
  readonly everywhere?: true;
}

/** A piece of the bench that a thread can do on its own. */
export type Job =
  /** Every planned trial of recorded runs, judged by all rules. */
  | { readonly kind: 'recorded'; readonly scene: Scene }
  /** Every planned trial of recorded runs, judged with one part of the rule left out. */
  | { readonly kind: 'lever'; readonly lever: string; readonly scene: Scene }
  /** Recorded changes that were made on purpose. */
  | { readonly kind: 'changes' }
  /** Change points in series of recorded runs. */
  | { readonly kind: 'series'; readonly effect?: Effect; readonly count: number }
  /** Simulated checks, judged by all rules. */
  | {
      readonly kind: 'simulated';
      readonly world: string;
      readonly effect?: Effect;
      readonly checks: number;
      readonly seed: number;
    };

const sizes = [0.05, 0.1, 0.2, 0.3];

/** The change at which rules are compared with equal false alarms. */
export const reference: Scene = { effect: { kind: 'cpu', size: 0.1 } };

/** Every scene of the tables of power, first nothing. */
export const scenes: readonly Scene[] = [
  {},
  ...effectKinds.flatMap((kind) => sizes.map((size): Scene => ({ effect: { kind, size } }))),
  ...(['cpu', 'waiting'] as const).flatMap((kind) =>
    [0.05, 0.1, 1].map((size): Scene => ({ effect: { kind, size }, everywhere: true })),
  ),
];

/** What each part is left out for. */
const leverScenes: readonly Scene[] = [
  {},
  { effect: { kind: 'cpu', size: 0.1 } },
  { effect: { kind: 'waiting', size: 0.1 } },
  { effect: { kind: 'cpu', size: 0.05 }, everywhere: true },
  { effect: { kind: 'counts', size: 0.05 } },
];

const seriesEffects: readonly (Effect | undefined)[] = [
  undefined,
  { kind: 'cpu', size: 0.1 },
  { kind: 'cpu', size: 0.2 },
];

/** Checks of one job, so that threads end at about the same time. */
const chunk = 500;
/** A change is put into this share of as many checks as unchanged code gets. */
const shareOfFew = 0.1;

/** `checks` simulated ones of unchanged code in each world. */
export function jobsOf(checks: number): readonly Job[] {
  const chunks = Math.ceil(checks / chunk);
  const simulated = worlds.flatMap(({ name: world }) => {
    const few = Math.ceil(chunks * shareOfFew);
    const ofWorld = (count: number, effect: Effect | undefined, first: number): Job[] =>
      Array.from({ length: count }, (_, index) => ({
        kind: 'simulated',
        world,
        ...(effect === undefined ? {} : { effect }),
        checks: Math.min(chunk, checks - index * chunk),
        seed: first + index,
      }));
    return [...ofWorld(chunks, undefined, 1), ...ofWorld(few, reference.effect, 1)];
  });
  return [
    ...scenes.map((scene): Job => ({ kind: 'recorded', scene })),
    ...levers.flatMap(({ name: lever }) =>
      leverScenes.map((scene): Job => ({ kind: 'lever', lever, scene })),
    ),
    { kind: 'changes' },
    ...seriesEffects.map(
      (effect): Job => ({ kind: 'series', count: 100, ...(effect === undefined ? {} : { effect }) }),
    ),
    ...simulated,
  ];
}

/** Effect and place, as a key and for people. */
export function sceneName({ effect, everywhere }: Scene): string {
  if (effect === undefined) return 'unchanged';
  return `${effect.kind} ${Math.round(100 * effect.size)}%${everywhere ? ' everywhere' : ''}`;
}
