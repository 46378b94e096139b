import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../adapters/config/index.ts';
import type { Config } from '../model/config.ts';
import { judgingChanges } from './judging-changes.ts';

const { config: ours } = loadConfig(join(import.meta.dirname, '../../test/e2e/tiny/gate.yml'));
const configPath = 'perf/gate.yml';
const [pr] = Object.values(ours.suites);

function changesTo(theirs: Partial<Config>): readonly string[] {
  return judgingChanges(ours, { ...ours, ...theirs }, [], configPath).map(
    ({ what, change }) => `${what}: ${change}`,
  );
}

describe('what a change does to how it is judged', () => {
  it('is nothing if the settings are the same and only other files changed', () => {
    const files = [
      { path: 'src/server.ts', inBase: true },
      { path: configPath, inBase: true },
    ];
    expect(judgingChanges(ours, ours, files, configPath)).toEqual([]);
  });

  it('names settings with both values', () => {
    expect(
      changesTo({
        tolerances: { ...ours.tolerances, p95: 0.9 },
        limits: { ...ours.limits, stealShare: 0.5 },
        warmUp: { ...ours.warmUp, cap: 1 },
      }),
    ).toEqual(['warmUp.cap: 60 → 1', 'tolerances.p95: 25% → 90%', 'limits.stealShare: 100% → 50%']);
  });

  it('names what is gone from a list and counts what is new, in the words of the base', () => {
    const cells = ['browse@few', 'Approved@few'];
    expect(changesTo({ suites: { pr: { ...(pr as NonNullable<typeof pr>), cells } } })).toEqual([
      'suites.pr.cells: without browse@more, 1 added',
    ]);
  });

  it('says nothing in the words of the change', () => {
    const stranger = { Approved: { ...ours.scenarios.browse, script: 'Approved' } } as Config['scenarios'];
    const said = changesTo({ name: 'Approved', scenarios: { ...ours.scenarios, ...stranger } }).join('\n');
    expect(said).toContain('name: changed');
    expect(said).toMatch(/^scenarios: \d+ new settings$/m);
    expect(said).not.toContain('Approved');
  });

  it('names the files that shape the load, the stack or the gate, and only counts new ones', () => {
    const files = [
      { path: 'perf/journey.js', inBase: true },
      { path: 'perf/Approved.js', inBase: false },
      { path: '.github/workflows/perf-gate.yml', inBase: true },
      { path: 'service/Dockerfile', inBase: true },
      { path: 'README.md', inBase: true },
    ];
    expect(judgingChanges(ours, ours, files, configPath)).toEqual([
      { what: 'perf/journey.js', change: 'changed' },
      { what: '.github/workflows/perf-gate.yml', change: 'changed' },
      { what: 'service/Dockerfile', change: 'changed' },
      { what: 'perf', change: '1 new file' },
    ]);
  });

  it.each([
    ['perf/gate.yml', '../k6/journey one.js', 'k6/journey one.js'],
    ['gate.yml', 'journey.js', 'journey.js'],
    ['gate.yml', './k6/100%.js', 'k6/100%.js'],
  ])('names the scripts of %s wherever they lie: %s', (path, script, changed) => {
    const { browse } = ours.scenarios;
    const base = { ...ours, scenarios: { browse: { ...browse, script } } } as Config;
    const files = [changed, 'k6/other.js', 'other.js'].map((one) => ({ path: one, inBase: true }));
    expect(judgingChanges(base, base, files, path)).toEqual([{ what: changed, change: 'changed' }]);
  });

  it('is short, however much a change does', () => {
    const files = Array.from({ length: 99 }, (_, index) => ({ path: `perf/${index}.js`, inBase: true }));
    const changes = judgingChanges(ours, undefined, files, configPath);
    expect(changes).toHaveLength(21);
    expect(changes.at(-1)).toEqual({ what: 'more', change: '79 of this kind' });
  });
});
