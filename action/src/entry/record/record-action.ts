import * as core from '@actions/core';
import { loadConfig } from '../../adapters/config/index.ts';
import { commitsSince } from '../../adapters/git/index.ts';
import { createGitHub } from '../../adapters/github/index.ts';
import { createSystemClock } from '../../adapters/host/index.ts';
import { parseReportFile, reportFileName } from '../../adapters/results/index.ts';
import { readStoredRuns } from '../../check/index.ts';
import { isTrusted } from '../../judge/index.ts';
import { planSuite } from '../../measure/index.ts';
import { exitCodes, Fault } from '../../model/fault.ts';
import { cellName, type Run } from '../../model/run.ts';
import { commentMarker } from '../../report/index.ts';
import { openBaseline } from '../baseline-store.ts';
import { gitIn, gitLeftovers } from '../checkout-git.ts';
import { actionCheckout } from '../github/checkout.ts';
import { childEnvironment } from '../github/child-environment.ts';
import { mayRecord } from '../github/github-event.ts';
import { baselineAccess, type RecordInputs } from '../github/inputs.ts';
import { type ActionContext, note } from '../github/runner.ts';
import { acceptedWith } from '../publish/acceptance.ts';
import { requireOfSuite } from '../publish/restate-run.ts';
import { openWorkspace, prepareWork } from '../workspace.ts';

/** GitHub is asked about each commit since the stored runs, but about no more than these. */
const mostCommits = 50;

/**
 * Adds a run to the baseline that a job without write access measured. This job holds the token that may write, so it runs
 * nothing of the project and reads the report as strictly as that of a stranger.
 */
export async function recordAction(action: ActionContext<RecordInputs>): Promise<number> {
  const { inputs, job, env, annotations, signal, pace } = action;
  const { trigger, apiUrl, owner, name } = job;
  if (!mayRecord(trigger)) {
    throw new Fault({
      code: 'E_RECORD_TRIGGER',
      kind: 'usage',
      place: 'perf-gate/record',
      cause:
        'only a push to the default branch of the same repository, or a dispatch on it, may add to the baseline',
      nextStep: 'use it only in a workflow that runs on one of them',
    });
  }
  const commit = env.GITHUB_SHA ?? '';
  const host = createGitHub({
    apiUrl,
    owner,
    name,
    token: inputs['github-token'],
    author: inputs['comment-author'],
    note,
    signal,
    ...pace,
  });
  const { text, place } = await host.readArtifact(
    {
      id: Number(env.GITHUB_RUN_ID),
      attempt: Number(env.GITHUB_RUN_ATTEMPT ?? 1),
      // If only this job is run again, the report is of an earlier attempt, but of the same commit.
      startedAt: new Date(0),
      headSha: commit,
    },
    inputs.artifact,
    reportFileName,
  );
  const report = parseReportFile(text, place);
  const checkout = actionCheckout(env, inputs.config);
  const { config } = loadConfig(checkout.configFile);
  const plan = planSuite(config, inputs.suite, checkout.configPath, { vuFactor: report.vuFactor });
  const workspace = openWorkspace(checkout.root, '');
  prepareWork(workspace);
  const { store } = openBaseline(
    baselineAccess({ ...inputs, 'baseline-store': 'branch' }, true),
    config.baseline,
    {
      root: checkout.root,
      env: childEnvironment(env),
      clock: createSystemClock(),
      signal,
      // The next check in this checkout ends what is left if this job is killed.
      gitFiles: gitLeftovers(workspace),
    },
  );
  const { run } = report;
  // Only a person accepts, never the job that measured.
  const { accepted: _, ...measuredRun } = run;
  const runs = await readStoredRuns(store);
  if (runs.some(({ id, code }) => id === run.id && code.commit === commit)) {
    note(`run ${run.id} is in ${store.place} already`);
    core.setOutput('recorded', 'true');
    return exitCodes.pass;
  }
  requireOfSuite(run, { plan, runs });
  requireCommit(run, commit);
  const measured = shapes(run.cells);
  const wanted = shapes(plan.cells);
  if (measured !== wanted) {
    throw foreign(`it measured ${measured || 'nothing'}, but the configuration of this commit has ${wanted}`);
  }
  const recorded = isTrusted(run);
  if (recorded) {
    const marker = commentMarker(checkout.configPath, inputs.suite);
    const known = runs.filter(({ suite }) => suite === run.suite).map(({ code }) => code.commit);
    const git = gitIn(checkout.root, childEnvironment(env), signal);
    // What was accepted before the first run changes nothing.
    const since = await commitsSince(git, known, commit, known.length === 0 ? 1 : mostCommits);
    if (since.length === mostCommits) {
      const text = `Only the newest ${mostCommits} commits were asked for what was accepted with them.`;
      annotations.make('warning', text, { title: 'perf-gate: many commits since the stored runs' });
    }
    const accepted = await acceptedWith(host, since, marker);
    // The commit is GitHub's word, and so is the branch: a checkout of a commit has none.
    await store.append(
      {
        ...measuredRun,
        code: { commit, branch: job.defaultBranch, dirty: false },
        ...(accepted.length > 0 && { accepted: [...accepted] }),
      },
      config.baseline.keep,
    );
    note(`recorded run ${run.id} in ${store.place}`);
  } else {
    core.notice('the run is invalid or too noisy to compare with', { title: 'perf-gate: nothing recorded' });
  }
  core.setOutput('recorded', String(recorded));
  return exitCodes.pass;
}

/** Which cells were measured, each with its virtual users. */
function shapes(
  cells: readonly { readonly scenario: string; readonly load: string; readonly vus: number }[],
) {
  return cells
    .map((cell) => `${cellName(cell)} (${cell.vus} users)`)
    .toSorted()
    .join(', ')
    .slice(0, 400);
}

function requireCommit({ code }: Run, commit: string): void {
  if (commit !== '' && code.commit === commit && !code.dirty) return;
  throw foreign(
    code.commit === commit
      ? 'it measured a checkout with uncommitted changes'
      : `it measured commit ${code.commit || 'unknown'}, but this push is of ${commit}`,
  );
}

function foreign(cause: string): Fault {
  return new Fault({
    code: 'E_RECORD_FOREIGN',
    kind: 'measurement',
    place: 'report',
    cause,
    nextStep: 'measure the checkout of this push, unchanged, in the job before; nothing was recorded',
  });
}
