/**
 * How far boots of one commit differ in what a method takes of the CPU, as a standard deviation of the log odds: the JIT
 * compiles differently each time, and the host changes (.github/adr/0015).
 */
const bootDeviation = 0.08;

/** A share of the CPU samples of one side, 0 to 1, and their number. */
interface SampledShare {
  readonly share: number;
  readonly samples: number;
}

/**
 * Standard error of the growth of a share from base to head if nothing changed. Besides the drawing of samples, two boots
 * differ (Williams 1982).
 */
export function errorOfGrowth(base: SampledShare, head: SampledShare): number {
  const pooled = (base.share * base.samples + head.share * head.samples) / (base.samples + head.samples);
  const spread = Math.max(0, pooled * (1 - pooled));
  const drawn = spread * (1 / base.samples + 1 / head.samples);
  return Math.sqrt(drawn + 2 * (bootDeviation * spread) ** 2);
}
