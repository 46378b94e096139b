import { expect, it } from 'vitest';
import { buildRun } from '../../test/contract/run-builder.ts';
import { planSuite } from '../measure/index.ts';
import { configSchema } from '../model/config.ts';
import { type Pin, pinSchemaVersion } from '../model/pin.ts';
import { cellName, type Run } from '../model/run.ts';
import { branchHistory } from './branch-history.ts';

const config = configSchema.parse({
  version: 1,
  name: 'trips',
  stack: { compose: { file: 'compose.yml', service: 'trips', port: 80, ready: { port: 80, path: '/' } } },
  scenarios: { 'trip-edit': { script: 'trip-edit.js', loads: { peak: { vus: 510 }, calm: { vus: 10 } } } },
  suites: { pr: { cells: ['trip-edit@peak', 'trip-edit@calm'] } },
});
const suite = { name: 'pr', plan: planSuite(config, 'pr', 'perf/gate.yml') };

it('judges the newest run by the cells that it was to measure', () => {
  const runs = [1, 2, 3].map((number) => buildRun(number));
  const cellsOf = (cells: Run['cells']) =>
    branchHistory(config, suite, [...runs, buildRun(4, { cells })], []).newest?.cells.map(cellName);
  expect(cellsOf(buildRun(4).cells)).toEqual(['trip-edit@peak']);
  expect(cellsOf([])).toEqual(['trip-edit@peak', 'trip-edit@calm']);
});

it('shows a run that only a pin keeps at its time', () => {
  const pin: Pin = {
    schema: pinSchemaVersion,
    name: 'v1',
    pinnedAt: '2026-02-01T00:00:00.000Z',
    run: buildRun(3),
  };
  const { history } = branchHistory(config, suite, [buildRun(2), buildRun(4)], [pin]);
  expect(history.groups.map(({ runs }) => runs.map(({ id }) => id))).toEqual([['run-2', 'run-3', 'run-4']]);
});
