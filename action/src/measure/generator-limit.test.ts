import { expect, it } from 'vitest';
import { generatorLimit } from './block-validity.ts';

const limits = { generatorCpuShare: 0.4, stealShare: 0.1, othersCpuShare: 0.15 };

it.each([
  ['shares all CPUs', undefined, 4, 0.4],
  ['has 1 of 4 for itself: 80% of it', 1, 4, 0.2],
  ['has half of them, which is more than the limit anyway', 4, 8, 0.4],
])('a generator that %s', (_, ownCpus, cpuCount, expected) => {
  expect(generatorLimit(limits, ownCpus, cpuCount)).toEqual({ ...limits, generatorCpuShare: expected });
});
