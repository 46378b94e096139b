import { expect, it } from 'vitest';
import { config, simulated } from '../../test/fakes/simulated-service.ts';
import { type SuiteOverrides, withOverrides } from '../check/index.ts';
import { planSuite } from '../measure/index.ts';
import { hashLoad } from './measuring.ts';

function hashWith(overrides: SuiteOverrides): Promise<string> {
  const changed = withOverrides(config, 'pr', overrides);
  return hashLoad(simulated().generator, changed, planSuite(changed, 'pr', 'gate.yml'), '/perf');
}

it('gives a load of more rounds the same hash, because only rounds that both runs have are compared', async () => {
  expect(await hashWith({ rounds: 8 })).toBe(await hashWith({}));
});

it('gives a load of longer blocks another hash', async () => {
  expect(await hashWith({ minutes: 1 })).not.toBe(await hashWith({}));
});
