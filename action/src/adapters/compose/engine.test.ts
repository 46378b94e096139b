import { expect, it } from 'vitest';
import { composeVersion, isOldCompose } from './engine.ts';

it.each([
  ['2.2.3', true],
  ['v2.20.0', true],
  ['2.24', true],
  ['2.24.5-desktop.1', true],
  ['2.24.6', false],
  ['v2.24.6-desktop.1', false],
  ['2.24.10', false],
  ['2.40.3-3', false],
  ['v5.0.1', false],
])('tells whether Compose %s is too old: %s', (printed, old) => {
  expect(isOldCompose(composeVersion(printed) ?? '')).toBe(old);
});

it.each(['', 'dev', "docker: 'compose' is not a docker command."])('finds no version in %j', (printed) => {
  expect(composeVersion(printed)).toBeUndefined();
});
