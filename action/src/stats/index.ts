export { type BestValue, bestValue, type LogFigures, type ValueContrast } from './best-value.ts';
export { type Calibration, calibrate, type Side } from './calibration.ts';
export {
  type ChangePoint,
  type ChangePointOptions,
  changePointDefaults,
  changePoints,
} from './change-points.ts';
export { courseOf } from './course.ts';
export { contrastShares, leastDesignEffect, type ShareContrast } from './design-effect.ts';
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
  type Count,
  type NoiseOfSides,
  newcombe,
  pShareAbove,
  type ShareNoise,
  share,
  smallestVisibleGrowth,
  wilson,
} from './proportion.ts';
export { createRandom, drawNormal, type Random } from './random.ts';
export { type Slope, settled, slopeOf } from './slope.ts';
export { normalTail, standardScore, studentQuantile } from './student-t.ts';
export {
  fitScalabilityLaw,
  kneeOf,
  peakOf,
  rangesOf,
  type Scaling,
} from './usl.ts';
