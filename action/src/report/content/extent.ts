/** How many entries of each part of a report are shown. */
export type Extent<Part extends string> = Readonly<Record<Part, number>>;

/** The largest whole number from 0 to `most` that is accepted, if acceptance never returns once it is lost; else 0. */
function largestAccepted(most: number, accept: (count: number) => boolean): number {
  let accepted = 0;
  let refused = most + 1;
  while (refused - accepted > 1) {
    const middle = Math.floor((accepted + refused) / 2);
    if (accept(middle)) accepted = middle;
    else refused = middle;
  }
  return accepted;
}

/**
 * As much of a report as fits: the first part gives way until the rest fits, then the second, and so on. If nothing
 * fits, every part is empty.
 */
export function shrinkToFit<Part extends string>(
  full: Extent<Part>,
  sacrifice: readonly Part[],
  fits: (extent: Extent<Part>) => boolean,
): Extent<Part> {
  let extent = full;
  for (const part of sacrifice) {
    if (fits(extent)) return extent;
    const before = extent;
    const count = largestAccepted(before[part], (candidate) => fits({ ...before, [part]: candidate }));
    extent = { ...before, [part]: count };
  }
  return extent;
}
