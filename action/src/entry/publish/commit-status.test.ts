import { expect, it } from 'vitest';
import { statusContext } from './commit-status.ts';

it('two gates of one repository have a status each, and the usual one has the short name', () => {
  expect(statusContext('perf/gate.yml', 'pr')).toBe('perf-gate (pr)');
  expect(statusContext('perf/gate.yml', 'nightly')).toBe('perf-gate (nightly)');
  expect(statusContext('shop/perf/gate.yml', 'pr')).toBe('perf-gate (shop/perf/gate.yml: pr)');
});
