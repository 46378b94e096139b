export { answersOk } from './answers-ok.ts';
export { runBuildSteps } from './build-steps.ts';
export { expandText } from './expand-text.ts';
export { signalGroup } from './signal-group.ts';
export { createProcessStack } from './stack.ts';
