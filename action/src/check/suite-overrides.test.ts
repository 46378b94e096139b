import { expect, it } from 'vitest';
import { configSchema } from '../model/config.ts';
import { withOverrides } from './suite-overrides.ts';

const config = configSchema.parse({
  version: 1,
  name: 'shop',
  stack: { compose: { file: 'compose.yml', service: 'shop', port: 80, ready: { port: 80, path: '/' } } },
  scenarios: { browse: { script: 'a.js', loads: { few: { vus: 1 }, more: { vus: 2 } } } },
  suites: {
    pr: { cells: ['browse@few', 'browse@more'], rounds: 3 },
    peak: { cells: ['browse@more'], costs: ['browse@few'], rounds: 3 },
  },
});

it('divides the minutes among the blocks of that suite alone', () => {
  const changed = withOverrides(config, 'pr', { minutes: 30, ramp: true });
  expect(changed.suites.pr).toEqual({ ...config.suites.pr, counted: 300, ramp: true });
  expect(changed.suites.peak).toEqual(config.suites.peak);
});

it('counts the two blocks of a cell that is judged by its costs', () => {
  expect(withOverrides(config, 'peak', { minutes: 5 }).suites.peak?.counted).toBe(60);
});

it('leaves alone what nobody asked to change, and a suite that is not there', () => {
  expect(withOverrides(config, 'pr', {})).toBe(config);
  for (const suite of ['nightly', 'constructor', '__proto__']) {
    expect(withOverrides(config, suite, { minutes: 1 })).toBe(config);
  }
});
