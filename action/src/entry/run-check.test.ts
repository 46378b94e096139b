import { expect, it } from 'vitest';
import { config, simulated } from '../../test/fakes/simulated-service.ts';
import type { SuiteOverrides } from '../check/index.ts';
import { hashLoad } from './measuring.ts';
import { configuredPlan } from './run-check.ts';

function hashWith(overrides: SuiteOverrides): Promise<string> {
  const request = { configPath: 'gate.yml', suite: 'pr', vuFactor: 1, overrides };
  return hashLoad(simulated().generator, config, configuredPlan(request, config), '/perf');
}

it('takes runs with more rounds than configured for the same load', async () => {
  expect(await hashWith({ rounds: 8 })).toBe(await hashWith({}));
});

it('takes runs with longer blocks for another load', async () => {
  expect(await hashWith({ minutes: 1 })).not.toBe(await hashWith({}));
});
