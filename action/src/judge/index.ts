export {
  cellsToConfirm,
  isIncomparableWithStored,
  judgeMeasurements,
  type Measurements,
} from './measurements.ts';
export type { JudgeOptions } from './options.ts';
export { isTrusted } from './validity.ts';
