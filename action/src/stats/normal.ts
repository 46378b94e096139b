import { errorFunction } from 'simple-statistics';

/** Chance that a standard normal value exceeds `z`; absolute error below 1e-7. */
export function normalTail(z: number): number {
  return (1 - errorFunction(z / Math.SQRT2)) / 2;
}

/** The value that a standard normal one stays below with the given chance, 0 < chance < 1. */
export function normalQuantile(chance: number): number {
  let low = -9;
  let high = 9;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (normalTail(middle) > 1 - chance) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (low + high) / 2;
}
