export { sweepOf } from './found.ts';
export { requestedSweep, usualPasses } from './request.ts';
export { type SweepPort, type SweepTaken, sweep } from './sweep.ts';
export { requireArguments, sweepConfig, sweepSuite, withVariant } from './swept-config.ts';
export { mostBlocks, takeBlocks } from './take-blocks.ts';
export { parseReplace, parseSet } from './variants.ts';
