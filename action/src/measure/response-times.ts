import { build, type Histogram } from 'hdr-histogram-js';

/** The histogram's range ends here, so a request that takes over an hour counts as one hour. */
const highestMicros = 3_600_000_000;

/**
 * Response times in microseconds (Tene's HdrHistogram). Memory depends on the range of the values, not on their number.
 *
 * @param digits significant digits of the values
 */
export function newHistogram(digits: 2 | 3): Histogram {
  return build({
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 2,
    numberOfSignificantValueDigits: digits,
  });
}

/** Whole microseconds within the range of the histogram. */
export function microsOf(durationMs: number): number {
  return Math.min(highestMicros, Math.max(1, Math.round(durationMs * 1000)));
}
