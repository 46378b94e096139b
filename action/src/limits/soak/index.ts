export { type SoakBlock, type SoakPort, soak, soakConfig, soakOf, soakSuite } from './soak.ts';
