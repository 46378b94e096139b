export { withAddedWaivers } from './add-waivers.ts';
export { loadCatalogue, loadKeptCatalogue } from './catalogue.ts';
export { loadConfig, parseConfig } from './file.ts';
export { configLines } from './lines.ts';
export { withLoads } from './set-loads.ts';
export { withTolerances } from './set-tolerances.ts';
