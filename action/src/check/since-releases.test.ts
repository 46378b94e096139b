import { expect, it } from 'vitest';
import { runOfTps, simulatedOptions, simulatedVus } from '../../test/simulation/simulated-run.ts';
import { planSuite } from '../measure/index.ts';
import { configSchema } from '../model/config.ts';
import type { Pin } from '../model/pin.ts';
import type { Run } from '../model/run.ts';
import { judgeSuite } from './judge-suite.ts';
import { withReleases } from './since-releases.ts';

const scenario = { script: 'browse.js', loads: { peak: { vus: simulatedVus } } };
const config = configSchema.parse({
  version: 1,
  name: 'shop',
  stack: { compose: { file: 'compose.yml', service: 'shop', port: 80, ready: { port: 80, path: '/' } } },
  scenarios: { 'scenario-0': scenario, 'scenario-1': scenario },
  suites: { pr: { cells: ['scenario-0@peak', 'scenario-1@peak'], rounds: 3 } },
  signals: simulatedOptions.signals,
});
const plan = { config, suite: planSuite(config, 'pr', 'perf/gate.yml') };
const when = { createdAt: new Date('2026-01-01'), seconds: 1 };

/** The second cell lost 22% of its throughput since the release, none of it since the newest runs. */
const head = runOfTps('head', 500, 390);
const newest = ['one', 'two', 'three'].map((id) => runOfTps(id, 500, 390));
const verdict = judgeSuite(config, plan.suite, { run: head, stored: newest }, when);

function pin(name: string, run: Run): Pin {
  return { schema: 1, name, pinnedAt: '2026-01-01T00:00:00.000Z', run };
}

it('reports what a check that passes lost since a release, and does not fail for it', () => {
  expect(verdict.outcome).not.toBe('regression');
  const found = withReleases(verdict, plan, head, [pin('v1', runOfTps('release', 500, 500))]);
  expect(found.outcome).toBe(verdict.outcome);
  const lost = found.since?.map(
    ({ release, scenario: name, metric }) => `${release} ${name} ${metric.metric}`,
  );
  expect(lost).toContain('v1 scenario-1 tps');
  expect(lost?.filter((text) => text.includes('scenario-0'))).toEqual([]);
  expect(found.since?.find(({ metric }) => metric.metric === 'tps')?.metric.change).toBeCloseTo(-0.22, 1);
});

it.each([
  ['no pin', []],
  ['a pin as slow', [pin('v1', runOfTps('release', 500, 390))]],
  ['a pin that was slower', [pin('v1', runOfTps('release', 500, 300))]],
  ['a change within the tolerance', [pin('v1', runOfTps('release', 500, 400))]],
  [
    'a pin of another machine',
    [
      pin('v1', {
        ...runOfTps('release', 500, 500),
        fingerprint: { ...head.fingerprint, cpuModel: 'another' },
      }),
    ],
  ],
])('says nothing with %s', (_, pins) => {
  expect(withReleases(verdict, plan, head, pins)).toEqual(verdict);
});
