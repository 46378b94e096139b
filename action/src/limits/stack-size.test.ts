import { describe, expect, it } from 'vitest';
import { type Config, configSchema } from '../model/config.ts';
import { crowdedText, sizeOf, withSize } from './stack-size.ts';

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

describe('the size of a stack', () => {
  it('is that of both kinds of stack, as far as it is given', () => {
    const { process, compose } = withSize(config, { instances: undefined, cpus: 0.5 }).stack;
    expect(process?.service).toMatchObject({ instances: 3, cpus: 0.5 });
    expect(compose).toMatchObject({ cpus: 0.5 });
    expect(compose).not.toHaveProperty('instances');
    expect(withSize(config, { instances: 2 }).stack.compose?.instances).toBe(2);
  });

  it.each([
    [1, undefined, 2, undefined],
    [2, 0.5, 2, undefined],
    [3, undefined, 4, undefined],
    [2, undefined, 2, 'to 1 core, such as two of them with `--cpus 0.5`.'],
    [2, 1, 2, 'to 1 core, such as two of them with `--cpus 0.5`.'],
    [4, 0.5, 2, 'to 1 core, such as two of them with `--cpus 0.5`.'],
    [4, undefined, 4, 'to 3 cores, such as two of them with `--cpus 1.5`.'],
    [2, 0.5, 1, 'to 0.5 cores, such as two of them with `--cpus 0.25`.'],
  ])('of %i instances with %s cores each crowds a machine of %i: %s', (count, cpus, cpuCount, advice) => {
    const text = crowdedText(withSize(config, { instances: count, cpus }), 'compose', cpuCount);
    if (advice !== undefined) expect(text).toContain(`the cores of this machine (${cpuCount})`);
    expect(text?.split('together ')[1]).toBe(advice);
  });

  it('is read from the values of a sweep', () => {
    expect(sizeOf({ instances: '2', cpus: '0.5', DB_POOL_SIZE: '4' })).toEqual({ instances: 2, cpus: 0.5 });
    expect(sizeOf({ DB_POOL_SIZE: '4' })).toEqual({});
  });

  it.each([
    ['instances', '0', 'expected at least 1 instance'],
    ['instances', '1.5', 'expected a whole number of instances'],
    ['instances', 'two', 'expected a whole number of instances'],
    ['instances', '', 'expected a whole number of instances'],
    ['instances', '101', 'expected at most 100 instances'],
    ['cpus', '0', 'expected at least 0.01 cores'],
    ['cpus', 'half', 'expected a number of cores'],
  ])('has no %s of "%s"', (name, value, cause) => {
    expect(() => sizeOf({ [name]: value })).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code: 'E_INSTANCES', cause }) }),
    );
  });
});
