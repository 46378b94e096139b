import { expect, it } from 'vitest';
import { buildRun } from '../../test/contract/run-builder.ts';
import { input } from '../../test/fakes/simulated-service.ts';
import { planSuite } from '../measure/index.ts';
import { configSchema } from '../model/config.ts';
import { judgeSuite } from './judge-suite.ts';

const when = { createdAt: new Date(0), seconds: 1 };
const {
  cells: [cell],
  ...rest
} = buildRun(0);
const run = {
  ...rest,
  suite: 'pr',
  cells: cell === undefined ? [] : [{ ...cell, scenario: 'browse', load: 'few', vus: 2 }],
};

function outcome(objectives: object, ofSuite: object = {}) {
  const few = { vus: 2, objectives };
  const config = configSchema.parse({
    ...input,
    scenarios: { browse: { script: 'browse.js', loads: { few } } },
    suites: { pr: { ...input.suites.pr, ...ofSuite } },
  });
  return judgeSuite(config, planSuite(config, 'pr', 'gate.yml'), { run }, when).outcome;
}

it('a missed objective is a regression only if its load or its suite says so', () => {
  const missed = { meanMs: 0.001 };
  expect(outcome(missed)).toBe('pass');
  expect(outcome({ ...missed, gate: true })).toBe('regression');
  expect(outcome(missed, { objectives: { gate: true } })).toBe('regression');
  expect(outcome({ meanMs: 1e9 }, { objectives: { gate: true } })).toBe('pass');
});
