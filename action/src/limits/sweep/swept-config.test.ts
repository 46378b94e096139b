import { expect, it } from 'vitest';
import { hasSettled } from '../../measure/warm-up.ts';
import { configSchema } from '../../model/config.ts';
import { sweepConfig, withVariant } from './swept-config.ts';

const shop = configSchema.parse({
  version: 1,
  name: 'shop',
  stack: {
    process: {
      backing: { command: ['db'], env: { KEPT: 'yes' } },
      service: {
        command: ['java', '-Xmx512m', '-jar', 'shop.jar'],
        ports: { PORT: 'auto' },
        url: 'http://127.0.0.1:${PORT}',
        ready: { url: 'http://127.0.0.1:${PORT}' },
      },
    },
  },
  scenarios: { browse: { script: 'browse.js', loads: { few: { vus: 2 } } } },
  suites: { pr: { cells: ['browse@few'] } },
});

it('warms every boot up for the same time, even one that seems to have settled', () => {
  const { warmUp } = sweepConfig(shop, 'browse@few', 60);
  expect(warmUp.cap).toBe(18);
  const flat = Array.from({ length: warmUp.cap / warmUp.window }, () => ({
    seconds: warmUp.window,
    vus: warmUp.vus,
    requests: 100,
    errors: 0,
    meanMs: 5,
    compileMsPerSecond: 0,
  }));
  expect(hasSettled(flat, shop.warmUp)).toBe(true);
  expect(hasSettled(flat, warmUp)).toBe(false);
});

it('gives a variable to the service and its backing services, and replaces an argument in the command', () => {
  const { process } = withVariant(shop, { POOL: '5', '-Xmx512m': '-Xmx1g' }).stack;
  expect(process?.backing?.env).toEqual({ KEPT: 'yes', POOL: '5' });
  expect(process?.service.env).toEqual({ POOL: '5' });
  expect(process?.service.command).toEqual(['java', '-Xmx1g', '-jar', 'shop.jar']);
});
