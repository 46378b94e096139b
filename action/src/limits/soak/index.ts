export { type SoakBlock, soak, soakConfig, soakOf, soakSuite } from './soak.ts';
