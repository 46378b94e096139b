/**
 * How far boots of one commit differ in what a method takes of the CPU, as a standard deviation of the log odds: the JIT
 * compiles differently each time, and the host changes (.github/adr/0015).
 */
const bootDeviation = 0.08;

/** Shares of the CPU samples, 0 to 1, or numbers of samples. */
interface OfBothSides {
  readonly base: number;
  readonly head: number;
}

/**
 * Standard error of the growth of a share from base to head if nothing changed. Besides the drawing of samples, two boots
 * differ (Williams 1982).
 */
export function errorOfGrowth(shares: OfBothSides, samples: OfBothSides): number {
  const pooled = (shares.base * samples.base + shares.head * samples.head) / (samples.base + samples.head);
  const spread = Math.max(0, pooled * (1 - pooled));
  const drawn = spread * (1 / samples.base + 1 / samples.head);
  return Math.sqrt(drawn + 2 * (bootDeviation * spread) ** 2);
}
