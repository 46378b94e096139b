import { expect, it } from 'vitest';
import { configSchema } from '../../model/config.ts';
import { withVariant } from './swept-config.ts';

it('gives a variable to the service and its backing services, and replaces an argument in the command', () => {
  const config = configSchema.parse({
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
  const { process } = withVariant(config, { POOL: '5', '-Xmx512m': '-Xmx1g' }).stack;
  expect(process?.backing?.env).toEqual({ KEPT: 'yes', POOL: '5' });
  expect(process?.service.env).toEqual({ POOL: '5' });
  expect(process?.service.command).toEqual(['java', '-Xmx1g', '-jar', 'shop.jar']);
});
