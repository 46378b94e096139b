export { differencesBetween } from './comparable/fingerprint.ts';
export { isTrusted } from './comparable/validity.ts';
export { isBeyondDoubt, isSettled, worseCells } from './confirm.ts';
export { logLevel } from './contrast/contrast.ts';
export { historyOf } from './history/history.ts';
export {
  cellsToConfirm,
  type Incomparability,
  incomparability,
  judgeMeasurements,
  type Measurements,
} from './measurements.ts';
export type { JudgeOptions } from './options.ts';
export { failingRows, withWaivers } from './waivers.ts';
