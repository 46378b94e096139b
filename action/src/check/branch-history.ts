import { historyOf } from '../judge/index.ts';
import type { Plan } from '../measure/index.ts';
import type { Config } from '../model/config.ts';
import type { History } from '../model/history.ts';
import { type Pin, withPinned } from '../model/pin.ts';
import type { Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { judgeSuite, suiteOfRun } from './judge-suite.ts';

export interface BranchHistory {
  readonly history: History;
  /** The newest run against the ten before it; undefined without a run of the suite. */
  readonly newest: Verdict | undefined;
}

/** What the stored runs of the default branch show, and how its newest run of the suite compares with those before. */
export function branchHistory(
  config: Config,
  suite: { readonly name: string; readonly plan: Plan },
  runs: readonly Run[],
  pins: readonly Pin[],
): BranchHistory {
  const ofSuite = runs.filter((run) => run.suite === suite.name);
  const run = ofSuite.at(-1);
  return {
    history: historyOf(withPinned(runs, pins), pins, config),
    newest:
      run &&
      judgeSuite(
        config,
        suiteOfRun(suite.plan, run),
        { run, stored: ofSuite.slice(0, -1) },
        { createdAt: new Date(run.finishedAt), seconds: 0 },
      ),
  };
}
