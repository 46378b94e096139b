import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { verdictSchema } from '../../src/model/verdict.ts';
import { processesMentioning, slow, TinyProject, wideTolerances } from './gate.ts';

const check = ['check', '--config', 'gate.yml'];
let project: TinyProject;

/** As a team has it: a function of its own name, a load, a threshold, metrics of its own, and data of a computed name. */
const script = `
  import http from 'k6/http';
  import { Counter, Trend } from 'k6/metrics';
  const shown = new Counter('items_shown');
  const checkout = new Trend('checkout_time', true);
  const goods = JSON.parse(open(['./go', 'ods.json'].join('')));
  export const options = {
    scenarios: { buyers: { executor: 'constant-vus', vus: 50, duration: '1h', exec: 'buy' } },
    thresholds: { checkout_time: ['p(95)<0'] },
  };
  export function setup() { http.get(__ENV.BASE_URL + '/list'); }
  export function buy() {
    for (const name of goods) {
      const { timings } = http.get(__ENV.BASE_URL + '/' + name, { tags: { name } });
      if (name === 'list') checkout.add(timings.duration);
      shown.add(2);
    }
  }`;

const signal = `signals:
  checkout:
    { title: time of the checkout, from: generator, series: [checkout_time], per: p95, unit: ms,
      gate: suspect, tolerance: 500%, floor: 5, hint: Look at the payment. }`;

beforeEach(async () => {
  project = await TinyProject.create();
  await project.edit('signals:', signal);
  await project.edit('rounds: 2', 'rounds: 4');
  await project.edit('cells: [browse@few, browse@more]', 'cells: [browse@few]');
  await project.edit('floors:', wideTolerances);
  await project.write('journey.js', script);
  await project.write('goods.json', '["list", "detail"]');
});

afterEach(async () => {
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

async function newestResults(): Promise<string> {
  const results = join(project.fixture.path, '.perf-gate/results');
  return join(results, (await readdir(results)).sort().at(-1) ?? '');
}

async function newestVerdict() {
  return verdictSchema.parse(JSON.parse(await readFile(join(await newestResults(), 'verdict.json'), 'utf8')));
}

async function newestPage(): Promise<string> {
  return readFile(join(await newestResults(), 'report.html'), 'utf8');
}

it("runs a team's own script, judges its metric, and lists its missed threshold", async () => {
  const first = await project.run(check);
  expect(first.code, first.stdout + first.stderr).toBe(0);
  const replaced = 'options.scenarios.buyers (constant-vus)';
  expect(first.stdout + first.stderr).toContain(replaced);
  const { cells, replacedOptions } = await newestVerdict();
  expect(replacedOptions).toEqual([`browse: ${replaced}`]);
  const objective = "blocks within the script's thresholds of checkout_time = 100%";
  expect(cells[0]?.objectives).toContainEqual({ objective, value: 0, limit: 1, met: false });
  expect(first.stdout).toContain(objective);

  const second = await project.run(check, slow);
  expect(second.code, second.stdout).toBe(1);
  const [cell] = (await newestVerdict()).cells;
  const checkout = cell?.signals.find(({ name }) => name === 'checkout');
  // It alone would have the cell re-measured, but p95 already decides.
  expect(checkout).toMatchObject({ unit: 'ms', moved: true, evidence: { suspect: true } });
  expect(checkout?.head).toBeGreaterThan(100);
  expect(second.stdout).toContain('time of the checkout');
  // Nobody named this one in gate.yml, so it is shown and decides nothing. Its values and the requests are counted by
  // their own times, so that an edge of the interval may separate them.
  const aboutTwo = expect.closeTo(2, 0);
  expect(cell?.signals).toContainEqual(
    expect.objectContaining({
      name: 'items_shown per request',
      base: aboutTwo,
      head: aboutTwo,
      moved: false,
    }),
  );
  expect(await newestPage()).toContain('items_shown mean');

  await project.write('goods.json', '["list", "detail", "detail"]');
  const third = await project.run(check);
  // No stored run has this load, which is no pass.
  expect(third.code, third.stdout).toBe(4);
  expect((await newestVerdict()).comparison).toMatchObject({
    kind: 'none',
    mismatches: [{ differences: [{ field: 'loadHash' }] }],
  });
});

it('fails by a missed threshold that is judged, without anything to compare with', async () => {
  await project.edit('script: journey.js', 'script: journey.js\n    thresholds: judge');
  const first = await project.run(check);
  expect(first.code, first.stdout + first.stderr).toBe(1);
  expect(first.stdout).toContain(
    "Regression: browse@few — blocks within the script's thresholds of checkout_time",
  );
  const { outcome, comparison } = await newestVerdict();
  expect({ outcome, kind: comparison.kind }).toEqual({ outcome: 'regression', kind: 'none' });
});
