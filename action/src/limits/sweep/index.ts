export { gridOf, parseSet, type SweptVariable, type Variant } from './variants.ts';
