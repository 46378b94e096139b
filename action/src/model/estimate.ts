/** A figure with its 95% interval, all in one unit. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}
