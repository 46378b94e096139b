export { type CollectedGenerator, sharedLoadOf } from './merged.ts';
export { requireShares, type SharedTimes, sharedConfig, sharedSuite } from './shared-cell.ts';
