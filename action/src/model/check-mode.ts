/** What a check can compare the head with. */
export const comparisons = [
  /**
   * The stored baseline. Suspect cells are then re-measured against the base commit, and all cells are if this checkout
   * itself makes the stored runs incomparable. The first run of its kind is stored if it may become a baseline.
   */
  'auto',
  /** Only the stored baseline. The first run of its kind is stored as in `auto`. */
  'stored',
  /** The base commit, measured interleaved with the head. The stored baseline is neither read nor written. */
  'side-by-side',
  /** Nothing: the check only measures. The stored baseline is neither read nor written. */
  'none',
] as const;

/** `record` compares like `stored`, and always adds the run to the baseline. */
export type CheckMode = (typeof comparisons)[number] | 'record';
