export { downloadK6 } from './download.ts';
export { createK6 } from './generator.ts';
export { K6Samples } from './samples.ts';
