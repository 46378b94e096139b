import { expect, it } from 'vitest';
import { plainPaint } from '../../src/report/format/paint.ts';
import { benchReport, pageCostReport } from '../../src/report/render/bench.ts';
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

it('prints what a page costs', () => {
  const cost = {
    requests: 2_012_345,
    blocks: 24,
    readMs: 210.4,
    pageMs: 95.2,
    peakBytes: 180_000_000,
    pageBytes: 512_000,
    points: 2_330,
    pointsMs: 12.3,
  };
  const lines = pageCostReport(cost, plainPaint).split('\n');
  expect(lines.map((line) => line.replace(/ +/g, ' ').trim()).slice(1, 5)).toEqual([
    'the check 2,012,345 requests in 24 blocks',
    'read its files 210 ms',
    'make its page 95.2 ms 500 KiB, 172 MiB of memory at most',
    'make its points 12.3 ms 2,330 points',
  ]);
});
