/** The steps of one pass, named by their endpoints. */
export interface Journey {
  /** In order. The first one signs in, and the second looks up what the others work on. */
  readonly steps: readonly string[];
  /** The steps that add and delete a row of the pass. */
  readonly row?: { readonly addedBy: string; readonly deletedBy: string };
}

/**
 * What a user does about a step. The gate counts a prepared step for no endpoint: the user takes it only for its
 * answer, which a later step needs.
 */
export type Manner = 'take' | 'prepare' | 'skip';

/**
 * The place in the pass that a VU has reached after two requests. VUs are dealt out to all places, so that each step gets
 * its share of the requests from the first second on. Otherwise all users would begin with the first step, and a load
 * that ends within a few passes would hold too few last steps, and on a slow machine fewer still.
 */
export function placeOf(vu: number, { steps }: Journey): number {
  return (vu + 1) % steps.length;
}

/**
 * How a user takes a step. The user's first two requests are preparations, which lead to the place: signing in, and adding
 * the row if the user stands among the steps that need it, or else looking up. Nothing leads to the step of looking up, so
 * users of that place sign in twice.
 */
export function mannerOf(endpoint: string, { steps, row }: Journey, place: number, pass: number): Manner {
  const at = steps.indexOf(endpoint);
  if (at === 0 && (pass === 0 || (pass === 1 && place === 1))) return 'prepare';
  if (at < 0 || pass > 0 || (place > 1 && at >= place)) return 'take';
  const needsRow =
    row !== undefined && place > steps.indexOf(row.addedBy) && place <= steps.indexOf(row.deletedBy);
  const second = place === 1 ? undefined : needsRow ? row.addedBy : steps[1];
  return endpoint === second ? 'prepare' : 'skip';
}
