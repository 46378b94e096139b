import { expect, it } from 'vitest';
import { metric } from '../../../test/golden/verdict-builder.ts';
import { formatLimit, metricWord } from './metric.ts';

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

it.each([
  ['more than half of the limit +20%', 0.15, 'accepted'],
  ['more than half of the limit +20%', 0.15, 'undecided'],
  ['limit +20%', 0.41, 'accepted'],
  ['limit +20%', 0.15, 'pass'],
] as const)('says %s next to a change of %f that is %s', (text, change, outcome) => {
  expect(formatLimit(metric('serviceCpu', 1, change, 0.1, { outcome }))).toBe(text);
});
