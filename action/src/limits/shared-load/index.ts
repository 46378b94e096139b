export { type CollectedGenerator, sharedLoadOf } from './merged.ts';
export { requireShares, type SharedTimes, sharedPlan } from './shared-cell.ts';
