export {
  type CataloguePort,
  catalogue,
  type Measured,
  type NamedRegression,
  namedRegressions,
  requireKnownNames,
} from './catalogue.ts';
export { keepRows } from './keep-rows.ts';
export { type Checked, namesCause } from './row-of.ts';
