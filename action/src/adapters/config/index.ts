export { loadConfig } from './file.ts';
export { configLines } from './lines.ts';
