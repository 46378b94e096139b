export {
  type CataloguePort,
  catalogue,
  type NamedRegression,
  namedRegressions,
  requireKnownNames,
} from './catalogue.ts';
export { keepRows } from './keep-rows.ts';
export { type Checked, namesCause } from './row-of.ts';
