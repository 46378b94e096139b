export { type CataloguePort, catalogue, type Named, namedRegressions } from './catalogue.ts';
export { type Checked, isBad, isOpen } from './row-of.ts';
