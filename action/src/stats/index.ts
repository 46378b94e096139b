export type { Side } from './block-noise.ts';
export { contrastShares, leastDesignEffect, type ShareContrast } from './design-effect.ts';
export { holmAdjust, simes } from './holm.ts';
export { type LogRatio, logInterval, logRatios, type Pair, pAbove, pairedLogRatios } from './log-ratio.ts';
export { noiseModel, type Setting } from './noise-model.ts';
export { outlyingBy } from './outlier.ts';
export { reach, smallestVisible, timesAsManyBlocks } from './power.ts';
export {
  type Count,
  type NoiseOfSides,
  newcombe,
  pShareAbove,
  type ShareNoise,
  share,
  smallestVisibleGrowth,
} from './proportion.ts';
export { studentQuantile } from './student-t.ts';
