import { describe, expect, it } from 'vitest';
import { configSchema } from '../model/config.ts';
import { withOverrides } from './suite-overrides.ts';

const config = configSchema.parse({
  version: 1,
  name: 'shop',
  stack: { compose: { file: 'compose.yml', service: 'shop', port: 80, ready: { port: 80, path: '/' } } },
  scenarios: { browse: { script: 'a.js', loads: { few: { vus: 1 }, more: { vus: 2 } } } },
  suites: {
    pr: { cells: ['browse@few', 'browse@more'], rounds: 3 },
    peak: { cells: ['browse@more'], costs: ['browse@few'], rounds: 3 },
  },
});

it('divides the minutes of a cell among its blocks, in that suite alone', () => {
  const changed = withOverrides(config, 'pr', { minutes: 30, ramp: true });
  expect(changed.suites.pr).toEqual({ ...config.suites.pr, counted: 600, ramp: true });
  expect(changed.suites.peak).toEqual(config.suites.peak);
});

it('measures as many rounds as asked for, each as long as before or for a share of the minutes', () => {
  const rounds = (more: { readonly minutes?: number }) =>
    withOverrides(config, 'pr', { rounds: 8, ...more }).suites.pr;
  expect(rounds({})).toEqual({ ...config.suites.pr, rounds: 8 });
  expect(rounds({ minutes: 4 })).toEqual({ ...config.suites.pr, rounds: 8, counted: 30 });
});

it('leaves alone what nobody asked to change, and a suite that is not there', () => {
  expect(withOverrides(config, 'pr', {})).toBe(config);
  expect(withOverrides(config, 'pr', { scenarios: [] })).toBe(config);
  for (const suite of ['nightly', 'constructor', '__proto__']) {
    expect(withOverrides(config, suite, { minutes: 1, scenarios: ['browse'] })).toBe(config);
  }
});

describe('the choice of scenarios', () => {
  const cellsOf = (suite: string, scenarios: readonly string[]) => {
    const { cells, costs } = withOverrides(config, suite, { scenarios }).suites[suite] ?? {};
    return { cells, costs };
  };

  it('takes all cells of a scenario, or one', () => {
    expect(cellsOf('pr', ['browse'])).toEqual({ cells: ['browse@few', 'browse@more'], costs: [] });
    expect(cellsOf('pr', ['browse@more'])).toEqual({ cells: ['browse@more'], costs: [] });
    expect(cellsOf('peak', ['browse'])).toEqual({ cells: ['browse@more'], costs: ['browse@few'] });
  });

  it('keeps the order of the suite, and names nothing twice', () => {
    const { cells } = cellsOf('pr', ['browse@more', 'browse@few', 'browse']);
    expect(cells).toEqual(['browse@few', 'browse@more']);
  });

  const refused = (details: object) => expect.objectContaining({ details: expect.objectContaining(details) });

  it.each(['brows', 'buy', '', 'browse@', 'browse@none', 'browse@few@more'])('refuses %j', (name) => {
    expect(() => cellsOf('pr', ['browse', name])).toThrow(
      refused({
        code: 'E_SCENARIO_UNKNOWN',
        cause: `the suite has no scenario or cell "${name}"`,
        nextStep: 'name some of: browse@few, browse@more',
      }),
    );
  });

  it('needs a cell that is timed', () => {
    expect(() => cellsOf('peak', ['browse@few'])).toThrow(refused({ nextStep: 'name some of: browse@more' }));
  });
});
