import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { withLoads } from './set-loads.ts';

const file = `# what users do
scenarios:
  browse: # a comment
    script: a.js
    loads:
      # few at night
      average: { vus: 5 } # still
      wide:
        vus: 7
        objectives: { meanMs: 3 }

suites: { pr: { cells: [browse@average] } }
`;
const load = (vus: number) => ({ vus, objectives: { meanMs: 500, tps: 2 * vus } });
const options = { force: false, shown: 'gate.yml' };

it('adds a load after the others, and keeps every other line', () => {
  const text = withLoads(file, 'browse', { peak: load(20) }, options);
  expect(text.split('\n').filter((line) => !file.includes(line))).toEqual([
    '      peak: { vus: 20, objectives: { meanMs: 500, tps: 40 } }',
  ]);
  expect(parse(text).scenarios.browse.loads.peak).toEqual(load(20));
});

it('leaves a load that is as wanted, and replaces another only if asked to', () => {
  const once = withLoads(file, 'browse', { peak: load(20) }, options);
  expect(withLoads(once, 'browse', { peak: load(20) }, options)).toBe(once);
  expect(() => withLoads(file, 'browse', { average: load(10) }, options)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code: 'E_LOADS_DIFFER' }) }),
  );
  // The same users with no or other objectives are another load.
  expect(() => withLoads(file, 'browse', { average: load(5) }, options)).toThrow(
    'browse@average is { vus: 5 }, not { vus: 5, objectives: { meanMs: 500, tps: 10 } }',
  );
  expect(() => withLoads(file, 'browse', { wide: load(7) }, options)).toThrow('objectives: { meanMs: 3 }');
  const forced = withLoads(
    file,
    'browse',
    { average: load(10), wide: load(15) },
    { ...options, force: true },
  );
  expect(forced).toContain('average: { vus: 10, objectives: { meanMs: 500, tps: 20 } } # still');
  expect(parse(forced).scenarios.browse.loads.wide).toEqual(load(15));
  expect(forced).toContain('suites:');
});

it('reads a load that is an alias', () => {
  const aliased = `scenarios:
  other: { script: o.js, loads: { day: &day { vus: 20, objectives: { meanMs: 500, tps: 40 } } } }
  browse:
    script: a.js
    loads:
      peak: *day
`;
  expect(withLoads(aliased, 'browse', { peak: load(20) }, options)).toBe(aliased);
});

it.each([
  ['another scenario', 'scenarios: { a: { loads: { x: { vus: 1 } } } }', 'browse', 'E_SCENARIO_UNKNOWN'],
  [
    'loads that are an alias',
    'scenarios: { a: { loads: &loads { x: { vus: 1 } } }, b: { loads: *loads } }',
    'b',
    'E_LOADS_SHARED',
  ],
  ['loads within brackets', 'scenarios: { a: { loads: { x: { vus: 1 } } } }', 'a', 'E_LOADS_FLOW'],
])('refuses %s', (_, text, scenario, code) => {
  expect(() => withLoads(text, scenario, { peak: load(20) }, options)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code }) }),
  );
});
