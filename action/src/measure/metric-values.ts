import { quantileSorted } from 'simple-statistics';

/** More values than this are thinned out evenly, because a quantile of so many hardly differs. */
const mostValues = 1 << 17;

/** The values of one metric of the script over the counted interval: numbers of any size and sign. */
export class MetricValues {
  count = 0;
  sum = 0;
  max = Number.NEGATIVE_INFINITY;
  #kept: number[] = [];
  /** One in so many values is kept. */
  #stride = 1;

  add(value: number): void {
    if (this.count % this.#stride === 0) this.#kept.push(value);
    this.count += 1;
    this.sum += value;
    this.max = Math.max(this.max, value);
    if (this.#kept.length < mostValues) return;
    this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }

  /** @param share 0 to 1. Needs at least one value. */
  quantile(share: number): number {
    return quantileSorted(
      this.#kept.toSorted((a, b) => a - b),
      share,
    );
  }
}
