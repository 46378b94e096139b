export { bestValue } from './best-value.ts';
export { type Calibration, calibrate, type Side } from './calibration.ts';
export {
  type ChangePointOptions,
  changePointDefaults,
  changePoints,
} from './change-points.ts';
export { courseOf } from './course.ts';
export { contrastShares, leastDesignEffect, type ShareContrast, withBlocks } from './design-effect.ts';
export { type CountedLoad, dipsOf } from './dips.ts';
export { geometricEstimate } from './estimate.ts';
export {
  combineRatios,
  errorOf,
  intervalErrorOf,
  type LogRatio,
  logInterval,
  logRatios,
  type Pair,
  pairedLogRatios,
  poolRatios,
  scoreOf,
} from './log-ratio.ts';
export { expectedNoise, type Noise, type Setting } from './noise-model.ts';
export { outlyingBy } from './outlier.ts';
export { reach, smallestCaught } from './power.ts';
export {
  newcombe,
  pShareAbove,
  share,
  smallestVisibleGrowth,
  wilson,
} from './proportion.ts';
export { createRandom, drawNormal, type Random } from './random.ts';
export { settled, slopeOf } from './slope.ts';
export { normalTail, standardScore, studentQuantile } from './student-t.ts';
export {
  fitScalabilityLaw,
  kneeOf,
  peakOf,
  rangesOf,
} from './usl.ts';
