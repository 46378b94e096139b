export { loadConfig, parseConfig } from './file.ts';
export { configLines } from './lines.ts';
