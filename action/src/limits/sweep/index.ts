export {
  type SweepOptions,
  type SweepTaken,
  sweep,
  sweepConfig,
  sweepOf,
  sweepSuite,
  withVariant,
} from './sweep.ts';
export { gridOf, parseReplace, parseSet } from './variants.ts';
