import { expect, it } from 'vitest';
import { plainPaint } from '../../src/report/format/paint.ts';
import { benchReport } from '../../src/report/render/bench.ts';
import { type ExampleCell, exampleRun, judged } from './example-run.ts';

it('prints phases, cells with their objectives, and the engine figures', async () => {
  const cell: ExampleCell = {
    scenario: 'trip-edit',
    load: 'peak',
    vus: 100,
    tps: 260,
    p95Ms: 662,
    objectives: { meanMs: 500, tps: 1000 },
  };
  const run = { ...exampleRun([cell]), phases: [{ phase: 'boot', seconds: 3.2 }] };
  const text = benchReport(
    {
      cold: { seed: 13.1 },
      run,
      verdict: judged([cell], { run }),
      engine: [{ requests: 1_000_000, rssBytes: 95_000_000, microsPerRequest: 3.03 }],
      resultDirectory: 'results',
    },
    plainPaint,
  );
  await expect(text).toMatchFileSnapshot('bench.txt');
});
