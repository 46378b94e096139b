export {
  type CataloguePort,
  catalogue,
  type NamedRegression,
  namedRegressions,
  requireKnownNames,
} from './catalogue.ts';
export type { Checked } from './row-of.ts';
