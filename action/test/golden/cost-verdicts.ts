import { judgeSuite } from '../../src/check/judge-suite.ts';
import { invalidReason } from '../../src/model/invalid-reason.ts';
import type { Block, Interleaved, Run } from '../../src/model/run.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { type RecordedName, recordedConfig, recordedPlan, recordedRun } from '../recorded/recorded-runs.ts';

function recorded(run: Run, stored: readonly RecordedName[], again?: Interleaved): Verdict {
  return judgeSuite(
    recordedConfig,
    recordedPlan,
    { run, stored: stored.map(recordedRun), ...(again === undefined ? {} : { again }) },
    { createdAt: new Date('2026-11-22T00:00:00.000Z'), seconds: 396 },
  );
}

function withSignals(run: Run, change: (signals: Block['signals']) => Block['signals']): Run {
  return {
    ...run,
    cells: run.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({ ...block, signals: change(block.signals) })),
    })),
  };
}

/** The run without the value of a signal. */
function without(run: Run, signal: string): Run {
  return withSignals(run, ({ [signal]: left, ...signals }) => signals);
}

/** The run next to programs that used 40% of the CPU. */
function disturbed(run: Run): Run {
  const invalid = [invalidReason('I_OTHERS_CPU', { share: 0.4, limit: 0.3 })];
  const cells = run.cells.map((cell) => ({
    ...cell,
    blocks: cell.blocks.map((block) => ({ ...block, invalid })),
  }));
  return { ...run, cells };
}

/** The run with three times the wait for a connection, as a pool of two instead of five causes. */
function waiting(name: RecordedName): Run {
  return withSignals(recordedRun(name), ({ poolAcquire = 0, ...signals }) => ({
    ...signals,
    poolAcquire: 3 * poolAcquire,
  }));
}

const unchanged: readonly RecordedName[] = ['01-unchanged', '02-unchanged'];

/** Verdicts of real runs with the configuration of the reference service. */
export const costVerdicts: Readonly<Record<string, Verdict>> = {
  'counted-costs': recorded(recordedRun('05-plan-overview-n-plus-1'), ['01-unchanged']),
  'counted-bytes': recorded(recordedRun('11-trip-detail-20-kb-larger'), ['01-unchanged']),
  'counted-costs-disturbed': recorded(disturbed(recordedRun('05-plan-overview-n-plus-1')), ['01-unchanged']),
  'cost-not-counted': recorded(without(recordedRun('12-unchanged'), 'statements'), unchanged),
  'measured-cost': recorded(waiting('12-unchanged'), unchanged, {
    base: recordedRun('07-unchanged'),
    head: waiting('07-unchanged'),
  }),
  'measured-cost-open': recorded(waiting('12-unchanged'), unchanged),
};
