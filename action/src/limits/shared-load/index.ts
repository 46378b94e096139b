export { type CollectedGenerator, sharedLoadOf } from './merged.ts';
export { requireShares, type SharedTimes, sharedCell } from './shared-cell.ts';
