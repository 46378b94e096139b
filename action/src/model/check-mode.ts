/** What a check can compare the head with. */
export const comparisons = [
  /**
   * The stored baseline. Suspect cells are then re-measured against the base commit. If this checkout itself makes the stored
   * runs incomparable, all cells are measured against that commit instead. A run with nothing to compare is stored if it may
   * become a baseline.
   */
  'auto',
  /** Only the stored baseline. A run with nothing to compare is stored as in `auto`. */
  'stored',
  /** The base commit, measured interleaved with the head. The stored baseline is neither read nor written. */
  'side-by-side',
  /** Nothing: the check only measures. The stored baseline is neither read nor written. */
  'none',
] as const;

/** `record` compares like `stored`, and always adds the run to the baseline. */
export type CheckMode = (typeof comparisons)[number] | 'record';
