export { archiveLoad, runnerArguments } from './archive.ts';
export { type CollectedStart, readSamples, readStart } from './collected.ts';
export { downloadK6 } from './download.ts';
export { endMeaning } from './end-meaning.ts';
export { createK6 } from './generator.ts';
export { K6Samples } from './samples.ts';
export { generatorVariable } from './wrapper-script.ts';
