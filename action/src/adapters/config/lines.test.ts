import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configLines } from './lines.ts';

const text = `version: 1
name: sample
scenarios:
  browse:
    script: browse.ts
    loads: &loads
      average: { vus: 5 }
      peak:
        vus: 20
  search:
    script: search.ts
    loads: *loads
suites:
  pr:
    cells: [browse@peak]
`;

describe('the line of a configuration', () => {
  const locate = configLines(text, 'perf/gate.yml', 'pr');

  it.each([
    ["a cell's load", { scenario: 'browse', load: 'average' }, 7],
    ["a cell's load over several lines", { scenario: 'browse', load: 'peak' }, 8],
    ['an aliased load', { scenario: 'search', load: 'peak' }, 8],
    ['the scenario of an unknown load', { scenario: 'search', load: 'night' }, 10],
    ['the suite for an unknown cell', { scenario: 'constructor', load: '__proto__' }, 14],
    ['the suite for the whole run', undefined, 14],
  ])('is that of %s', (_, cell, line) => {
    expect(locate(cell)).toEqual({ file: 'perf/gate.yml', line });
  });

  it('is undefined if nothing matches', () => {
    expect(configLines(text, 'perf/gate.yml', 'nightly')(undefined)).toBeUndefined();
  });

  it('is correct in the configuration of this repository', () => {
    const own = readFileSync(new URL('../../../../perf/gate.yml', import.meta.url), 'utf8');
    const place = configLines(own, 'perf/gate.yml', 'pr')({ scenario: 'plan-edit', load: 'peak' });
    expect(own.split('\n')[(place?.line ?? 0) - 1]).toMatch(/^ {6}peak: \{ vus: 1200/);
  });
});
