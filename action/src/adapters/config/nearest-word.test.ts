import { expect, it } from 'vitest';
import { nearestWord } from './nearest-word.ts';

it('suggests a word only if it is similar', () => {
  expect(nearestWord('round', ['rounds', 'guard', 'counted'])).toBe('rounds');
  expect(nearestWord('warmup', ['warmUp', 'name'])).toBe('warmUp');
  expect(nearestWord('ruonds', ['rounds'])).toBe('rounds');
  expect(nearestWord('vsu', ['vus', 'name'])).toBe('vus');
  expect(nearestWord('guarb', ['guards', 'guard'])).toBe('guard');
  expect(nearestWord('retries', ['rounds', 'guard', 'counted'])).toBeUndefined();
  expect(nearestWord('x'.repeat(1_000_000), ['rounds'])).toBeUndefined();
});
