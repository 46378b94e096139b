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

it('metrics that no signal reads are shown, but not those of a report by a stranger', () => {
  const counted = { 'queue mean': 4, 'queue p95': 9, 'buy now': 1, '<img>: mean': 1 };
  const ofMetrics = {
    ...run,
    cells: run.cells.map((one) => ({
      ...one,
      blocks: one.blocks.map((block) => ({ ...block, signals: { ...block.signals, ...counted } })),
    })),
  };
  const config = configSchema.parse(input);
  const suite = planSuite(config, 'pr', 'gate.yml');
  const shown = (storedStands: boolean) =>
    judgeSuite(config, suite, { run: ofMetrics, base: ofMetrics }, { ...when, storedStands })
      .cells.flatMap(({ signals }) => signals)
      .filter(({ name }) => !Object.hasOwn(config.signals, name))
      .map(({ name, moved, failed }) => ({ name, moved, failed }));
  expect(shown(false)).toEqual(
    ['queue mean', 'queue p95'].map((name) => ({ name, moved: false, failed: false })),
  );
  expect(shown(true)).toEqual([]);
});

it('a missed objective is a regression only if its load or its suite says so', () => {
  const missed = { meanMs: 0.001 };
  expect(outcome(missed)).toBe('pass');
  expect(outcome({ ...missed, gate: true })).toBe('regression');
  expect(outcome(missed, { objectives: { gate: true } })).toBe('regression');
  expect(outcome({ meanMs: 1e9 }, { objectives: { gate: true } })).toBe('pass');
});
