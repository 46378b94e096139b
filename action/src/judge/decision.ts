/*
 * When a change counts. Scores are standard normal values; the thresholds come from simulations with recorded blocks,
 * see `.github/adr/0003`.
 */

/** A row beyond this looks worse, and is measured again. About one unchanged check in ten has such a row. */
export const suspectScore = 2.4;
/** A row beyond this is worse, all measurements together. */
export const provedScore = 3.6;
/** A time measured only once has to be beyond this: a boot of either side has more luck than its blocks show. */
export const provedAloneScore = 4.2;
/** Confidence with which a single measurement has to exceed the whole limit to prove a change in spite of few blocks. */
export const beyondDoubt = 0.999;
/** What the second measurement has to show on its own: usually, and if the first one found only what head may hide. */
export const repeatedScore = { usual: 1, hidden: suspectScore };
/** What one measurement says about a row. */
export interface Evidence {
  readonly score: number;
  /** Whether the estimate is large enough to matter. */
  readonly matters: boolean;
  /** Whether it is worse by more than the whole limit beyond doubt, however few blocks say so. */
  readonly beyondLimit: boolean;
  /**
   * Whether it is worse by each part alone that may show the machine's speed: if head moved one, the others tell. It also has to
   * be worse by more than a change of that speed since the stored runs may explain. False for what head may hide.
   */
  readonly held: boolean;
}

/** Everything that is known about a row. */
interface RowEvidence {
  readonly first: Evidence;
  readonly second?: Evidence & {
    /** Of both measurements together. */
    readonly together: Evidence;
  };
  /** True if the row was to be measured again, and that failed. */
  readonly spoiled: boolean;
  /** True if the second measurement may prove something, but clears nothing. */
  readonly open?: boolean;
  /** The score that proves the row without a second measurement. */
  readonly alone: number;
  /** The score that the second measurement has to exceed on its own. */
  readonly repeated?: number;
}

export type Decision = 'worse' | 'undecided' | 'not-worse';

export function isSuspect({ score, matters }: Evidence): boolean {
  return matters && score > suspectScore;
}

/**
 * A suspect is worse if both measurements together prove it and the second one points the same way. Without a second
 * measurement, the first has to prove it. What only the second one finds, that one has to prove. Where the parts contradict
 * each other, nothing is decided.
 */
export function decide({
  first,
  second,
  spoiled,
  open = false,
  alone,
  repeated = repeatedScore.usual,
}: RowEvidence): Decision {
  const provedAlone = first.held && (first.score > alone || first.beyondLimit);
  if (!isSuspect(first)) {
    const proves = second?.matters && second.held && second.score > alone;
    return proves && !spoiled ? 'worse' : 'not-worse';
  }
  if (second !== undefined) {
    const { score, matters, held } = second.together;
    if (second.score > repeated && score > provedScore && matters) return held ? 'worse' : 'undecided';
    return spoiled || open ? 'undecided' : 'not-worse';
  }
  return !spoiled && provedAlone ? 'worse' : 'undecided';
}
