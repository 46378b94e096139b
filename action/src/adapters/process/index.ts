export { runBuildSteps } from './build-steps.ts';
export { expandText } from './expand-text.ts';
export { JvmProfiler, notProfiled } from './jvm-profiler.ts';
export { shownLines, signalGroup } from './managed-process.ts';
export { answersOk, waitUntilReady } from './ready.ts';
export { type DataPlace, joinedKey, SeededData } from './seeded-data.ts';
export { createProcessStack } from './stack.ts';
export { type StackOptions, StackWork } from './stack-work.ts';
export { parsedJson, readStepMessage, type StepMessage, stepFault, stepSeconds } from './step-message.ts';
