import { expect, it } from 'vitest';
import { simulatedBlock } from '../../test/simulation/simulated-run.ts';
import { cpuPerRequest } from './metric.ts';

/** A block in which the service used so many CPU milliseconds on two cores. */
function used(cpuMs: number) {
  const block = { ...simulatedBlock(0, 8, 40), countedSeconds: 1 };
  return cpuPerRequest(
    'service',
    { ...block, usage: { service: { cpuShare: cpuMs / 2000, rssBytes: 0 } } },
    { cpuCount: 2 },
  );
}

it('reads CPU time per request', () => {
  expect(used(400)).toBeCloseTo(50, 9);
});

// Eight requests of 1.4 ms are one or two steps of 10 ms, and a check of unchanged code saw twice as much CPU time.
it('reads none where the steps in which processes report CPU time are too coarse', () => {
  expect(used(90)).toBeUndefined();
  expect(used(11)).toBeUndefined();
  expect(used(0)).toBeUndefined();
});
