import { describe, expect, it } from 'vitest';
import { configSchema } from '../model/config.ts';
import { verdictSchema } from '../model/verdict.ts';
import { createRandom } from '../stats/random.ts';
import { judge } from './judge.ts';
import type { JudgeOptions } from './options.ts';
import { asExpected, simulatedRun, simulatedVus } from './simulated-run.ts';

const defaults = configSchema.parse({
  version: 1,
  name: 'test',
  stack: {
    process: {
      service: { command: ['true'], ports: {}, url: 'http://127.0.0.1', ready: { url: 'http://127.0.0.1' } },
    },
  },
  scenarios: {},
  suites: {},
});
const options: JudgeOptions = {
  tolerances: defaults.tolerances,
  floors: defaults.floors,
  signals: {},
  cells: Array.from({ length: 6 }, (_, index) => ({
    scenario: `scenario-${index}`,
    load: 'peak',
    vus: simulatedVus,
    objectives: {},
  })),
};
const when = { createdAt: '2026-01-01T00:20:00Z', seconds: 600 };

describe('judge', () => {
  it('finds a cell that became half as slow again', () => {
    const random = createRandom(1);
    const runs = ['a', 'b', 'c'].map((id) => simulatedRun(id, random, asExpected));
    const run = simulatedRun('head', random, asExpected, (cell) => (cell === 2 ? 1.5 : 1));
    const verdict = judge({ run, base: { kind: 'stored', runs }, options, ...when });
    expect(() => verdictSchema.parse(verdict)).not.toThrow();
    expect(verdict.outcome).toBe('regression');
    expect(verdict.cells.map(({ outcome }) => outcome === 'regression')).toEqual([
      false,
      false,
      true,
      false,
      false,
      false,
    ]);
  });
});
