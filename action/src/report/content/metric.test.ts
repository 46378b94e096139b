import { expect, it } from 'vitest';
import { metric } from '../../../test/golden/verdict-builder.ts';
import { metricWord } from './metric.ts';

it.each([
  ['unchanged', 0.05, {}],
  ['within limit', 0.15, { provedWorse: true }],
  ['not proved', 0.41, {}],
  // Both measurements together may show what the first one did not ask about.
  ['not proved', 0.41, { provedWorse: true }],
  ['improved', -0.3, { improved: true }],
  ['below floor', 0.41, { provedWorse: true, belowFloor: true }],
  ['regression', 0.41, { outcome: 'regression', provedWorse: true }],
] as const)('calls a service CPU %s', (word, change, more) => {
  expect(metricWord(metric('serviceCpu', 1, change, 0.1, more))).toBe(word);
});
