import { expect, it } from 'vitest';
import { plainPaint } from '../../src/report/format/paint.ts';
import { benchReport } from '../../src/report/render/bench.ts';
import { runOf, simulatedBlock, simulatedCell } from '../simulation/simulated-run.ts';
import { measuredCell, verdict } from './verdict-builder.ts';

it('prints phases, cells with their objectives, and the engine figures', async () => {
  const cell = simulatedCell(0, [simulatedBlock(0, 260, 80), simulatedBlock(1, 250, 84)]);
  const text = benchReport(
    {
      cold: { seed: 13.1 },
      run: { ...runOf('run', [cell]), phases: [{ phase: 'boot', seconds: 3.2 }] },
      verdict: verdict(
        [
          {
            ...measuredCell(cell.scenario, cell.load, cell.vus),
            objectives: [
              { objective: 'mean < 500 ms', value: 385, limit: 500, met: true },
              { objective: 'p99 < 200 ms', value: 923, limit: 200, met: false },
            ],
          },
        ],
        { seconds: 326 },
      ),
      engine: [{ requests: 1_000_000, rssBytes: 95_000_000, microsPerRequest: 3.03 }],
      resultDirectory: 'results',
    },
    plainPaint,
  );
  await expect(text).toMatchFileSnapshot('bench.txt');
});
