import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { judgeSuite } from '../../src/check/judge-suite.ts';
import { planSuite } from '../../src/measure/plan.ts';
import { configSchema } from '../../src/model/config.ts';
import type { Run } from '../../src/model/run.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { type RecordedName, recordedRun } from '../recorded/recorded-runs.ts';

const config = configSchema.parse(
  parse(readFileSync(join(import.meta.dirname, '../../../perf/gate.yml'), 'utf8')),
);

function recorded(run: Run, stored: readonly RecordedName[]): Verdict {
  return judgeSuite(
    config,
    planSuite(config, 'pr', 'perf/gate.yml'),
    { run, stored: stored.map(recordedRun) },
    { createdAt: new Date('2026-11-22T00:00:00.000Z'), seconds: 396 },
  );
}

/** The run without the value of a signal. */
function without(run: Run, signal: string): Run {
  return {
    ...run,
    cells: run.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => {
        const { [signal]: left, ...signals } = block.signals;
        return { ...block, signals };
      }),
    })),
  };
}

/** Verdicts of real runs with the configuration of the reference service. */
export const costVerdicts: Readonly<Record<string, Verdict>> = {
  'counted-costs': recorded(recordedRun('05-plan-overview-n-plus-1'), ['01-unchanged']),
  'counted-bytes': recorded(recordedRun('11-trip-detail-20-kb-larger'), ['01-unchanged']),
  'cost-not-counted': recorded(without(recordedRun('12-unchanged'), 'statements'), [
    '01-unchanged',
    '02-unchanged',
  ]),
};
