import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import * as core from '@actions/core';
import {
  seriesFileName,
  whyNotPublished,
  writeReportFile,
  writeReports,
} from '../../adapters/results/index.ts';
import { Fault } from '../../model/fault.ts';
import { reportFileSchemaVersion } from '../../model/report-file.ts';
import type { Verdict } from '../../model/verdict.ts';
import { reporters, verdictOutputs } from '../../report/index.ts';
import { storedIn } from '../check-report.ts';
import type { ActionCheckout } from '../github/checkout.ts';
import { commentFailure, commentVerdict, openCodeHost } from '../github/comment.ts';
import type { GateInputs } from '../github/inputs.ts';
import { type ActionReports, actionReports, setOutputs } from '../github/reports.ts';
import type { ActionContext } from '../github/runner.ts';
import type { StepAnnotations } from '../github/step-annotations.ts';
import type { FinishedCheck } from '../run-check.ts';

/** Shows the verdict everywhere that a workflow can: files, outputs, comment, summary and annotations. */
export async function publishCheck(
  action: ActionContext<GateInputs>,
  result: FinishedCheck,
  { workspace, root, configFile, configPath }: ActionCheckout,
  command: string | undefined,
): Promise<void> {
  const { inputs, job, annotations } = action;
  const { verdict, measured } = result;
  const directory = resolve(root, result.resultDirectory);
  const fork = job.trigger.kind === 'pull-request' ? job.trigger.fork : undefined;
  const reports = actionReports(verdict, {
    configFile,
    configPath,
    command,
    repositoryUrl: job.repositoryUrl,
    runUrl: job.runUrl,
    branch: job.defaultBranch,
    ...(fork === undefined ? {} : { fork }),
    ...storedIn(result),
  });
  const report = await writeReportFile(directory, {
    schema: reportFileSchemaVersion,
    vuFactor: inputs['vu-factor'],
    seconds: verdict.seconds,
    run: measured.run,
    ...(measured.base && { base: measured.base }),
    ...(measured.again && { again: measured.again }),
  });
  if (job.trigger.kind === 'pull-request') await warnIfTooLong(report, annotations);
  await writeReports(directory, reports.files(result.record));
  setOutputs({
    ...verdictOutputs(verdict),
    'report-json': relative(workspace, report),
    'report-html': relative(workspace, join(directory, reporters.page.file)),
    'report-url': job.runUrl,
    series: relative(workspace, join(directory, seriesFileName)),
    'comment-body': reports.comment,
  });
  const withoutComment = await comment(action, reports, verdict);
  await core.summary.addRaw(reports.summary(withoutComment)).write();
  for (const { level, message, line, ...place } of reports.annotations(annotations.made)) {
    annotations.make(level, message, { ...place, ...(line === undefined ? {} : { startLine: line }) });
  }
}

/** Warns in this job, because the publishing job could only report that the file is too long. */
async function warnIfTooLong(report: string, annotations: StepAnnotations): Promise<void> {
  const why = whyNotPublished((await stat(report)).size);
  if (why !== undefined) {
    annotations.make('warning', why, { title: 'perf-gate: report too long to publish' });
  }
}

/** Returns why there is no comment. A failure here never changes the verdict. */
async function comment(
  action: ActionContext<GateInputs>,
  reports: ActionReports,
  verdict: Verdict,
): Promise<string | undefined> {
  const { inputs, job, annotations } = action;
  if (inputs.comment === 'never' || job.trigger.kind !== 'pull-request') return undefined;
  if (inputs['github-token'] === '')
    return 'There is no comment, because the step got no token to write one.';
  try {
    return await commentVerdict(openCodeHost(action), job.trigger.pullRequest, action, reports, verdict);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    annotations.make('warning', error.message, { title: 'perf-gate: no comment' });
    return commentFailure(error);
  }
}
