/** A number is a float. A count is an integer, which InfluxDB keeps apart: a field never changes its type. */
export type PointField = number | boolean | string | { readonly count: number };

/** What was measured at one moment, as a time-series database keeps it. */
export interface Point {
  readonly measurement: string;
  /** Every combination of values is a series, so their number is bounded. Never empty. */
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, PointField>>;
  /** Unix time in milliseconds. */
  readonly timeMs: number;
}
