import { expect, it } from 'vitest';
import { type Config, configSchema } from '../../model/config.ts';
import { requireArguments, withVariant } from './swept-config.ts';

const config: Config = configSchema.parse({
  version: 1,
  name: 'shop',
  stack: {
    process: {
      service: {
        command: ['node', 'server.mjs'],
        ports: { PORT: 'auto' },
        url: 'http://127.0.0.1:${PORT}',
        ready: { url: 'http://127.0.0.1:${PORT}/ready' },
        instances: 3,
      },
    },
    compose: { file: 'compose.yml', service: 'app', port: 80, ready: { port: 80, path: '/ready' } },
  },
  scenarios: { browse: { script: 'journey.js', loads: { few: { vus: 2 } } } },
  suites: { pr: { cells: ['browse@few'] } },
});

it('a value of instances or cpus is a key of the stack, and no variable of the service', () => {
  const { process, compose } = withVariant(config, { instances: '2', cpus: '0.5', POOL: '4' }).stack;
  expect(process?.service).toMatchObject({ instances: 2, cpus: 0.5, env: { POOL: '4' } });
  expect(compose).toMatchObject({ instances: 2, cpus: 0.5, env: { POOL: '4' } });
  expect(process?.service.env).not.toHaveProperty('instances');
  expect(withVariant(config, { POOL: '4' }).stack.process?.service.instances).toBe(3);
});

it('a value that is no number of instances is refused before anything is measured', () => {
  expect(() => requireArguments(config, 'process', [{ instances: '1' }, { instances: '1.5' }])).toThrow(
    'E_INSTANCES instances=1.5: expected a whole number of instances',
  );
});
