import { loadConfig } from '../../adapters/config/index.ts';
import { createSystemClock } from '../../adapters/host/index.ts';
import {
  type CodeHost,
  judgeSuite,
  judgingChanges,
  type PullRequest,
  type PullRequestRun,
  readStoredRuns,
  withReleases,
} from '../../check/index.ts';
import { planSuite } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import type { ReportFile } from '../../model/report-file.ts';
import type { Run } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import { openBaseline } from '../baseline-store.ts';
import { withCurrentWaivers } from '../current-waivers.ts';
import type { ActionCheckout } from '../github/checkout.ts';
import { childEnvironment } from '../github/child-environment.ts';
import { baselineAccess, type PublishInputs } from '../github/inputs.ts';
import type { ActionContext } from '../github/runner.ts';
import { configOr } from '../judging-since.ts';
import { restateRun } from './restate-run.ts';

/** What is judged, and whose it is. */
interface ToJudge {
  readonly report: ReportFile;
  readonly run: PullRequestRun;
  readonly pullRequest: PullRequest;
}

/** Nothing that the pull request's job measured counts next to a commit that its base does not have. */
async function requireBaseInHistory(
  host: CodeHost,
  pullRequest: PullRequest,
  { base, again }: ReportFile,
): Promise<void> {
  const commits = new Set([base, again?.base].flatMap((run) => (run === undefined ? [] : [run.code.commit])));
  for (const commit of commits) {
    if (await host.isInBase(pullRequest, commit)) continue;
    throw new Fault({
      code: 'E_REPORT_BASE',
      kind: 'measurement',
      place: 'report',
      cause: `it compares with ${commit.slice(0, 8)}, which is not in the history of the branch to merge into`,
      nextStep: 'let the check choose its base, or name one in that history as `base-ref`',
    });
  }
}

/** The verdict on a pull request's report, by this repository's own configuration and baseline. */
export async function judgeReport(
  { inputs, env, signal }: ActionContext<PublishInputs>,
  host: CodeHost,
  { report, run, pullRequest }: ToJudge,
  { root, configFile, configPath }: ActionCheckout,
): Promise<Verdict> {
  await requireBaseInHistory(host, pullRequest, report);
  const clock = createSystemClock();
  const { config: ours } = loadConfig(configFile);
  // A waiver that has ended fails the job of every pull request that still has it. One that removes it has to pass here.
  const config = withCurrentWaivers(ours, clock.now());
  const plan = planSuite(config, inputs.suite, configPath, { vuFactor: report.vuFactor });
  const options = { root, env: childEnvironment(env), clock, signal };
  const { store, readPins } = openBaseline(baselineAccess(inputs, false), config.baseline, options);
  const stored = await readStoredRuns(store);
  // GitHub says which commit and branch the run belongs to; only the base commit comes from the report.
  const restate = (measured: Run, commit = run.headSha, branch = run.headBranch): Run => ({
    ...restateRun(measured, { plan, runs: stored }),
    code: { commit, branch, dirty: false },
  });
  const restateBase = (one: Run): Run => restate(one, one.code.commit, '');
  const { base, again } = report;
  const [theirs, files] = await Promise.all([
    host.readFile(run.headSha, configPath),
    host.changedFiles(pullRequest),
  ]);
  const changed = theirs === undefined ? undefined : configOr(theirs, configPath);
  const unread = theirs === undefined ? 'removed' : 'not understood by the gate of the default branch';
  const changes = [
    ...(changed === undefined ? [{ what: configPath, change: unread }] : []),
    ...judgingChanges(ours, changed, files, configPath),
  ];
  const verdict = judgeSuite(
    config,
    plan,
    {
      run: restate(report.run),
      ...(base && { base: restateBase(base) }),
      ...(again && { again: { base: restateBase(again.base), head: restate(again.head) } }),
      stored,
    },
    { createdAt: clock.now(), seconds: report.seconds, storedStands: true },
  );
  const since = withReleases(
    verdict,
    { config, suite: plan },
    restate(report.run),
    (await readPins?.()) ?? [],
  );
  return changes.length === 0
    ? since
    : { ...since, judgingChanges: [...changes], judgedByDefaultBranch: true };
}
