export { consideredRuns } from './comparable/base.ts';
export { differencesBetween, isOfMachine } from './comparable/fingerprint.ts';
export { isTrusted } from './comparable/validity.ts';
export {
  isBeyondDoubt,
  isClearlySuspect,
  isConfirmed,
  isSettled,
  partsToConfirm,
  suspectCells,
  worseCells,
} from './confirm.ts';
export { logLevel } from './contrast/contrast.ts';
export { mostLeft } from './contrast/speed-change.ts';
export { historyOf } from './history/history.ts';
export { atOneSpeed, compareRuns, type RunComparison } from './history/one-speed.ts';
export type { JudgeContext } from './judge.ts';
export {
  type FirstJudged,
  type Incomparability,
  incomparability,
  judgeFirst,
  judgeMeasurements,
  type Measurements,
} from './measurements.ts';
export { isUnanswered } from './unanswered.ts';
export { failingRows, withWaivers } from './waivers.ts';
