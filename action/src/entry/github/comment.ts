import * as core from '@actions/core';
import { createGitHub } from '../../adapters/github/index.ts';
import type { CodeHost, CommentResult, PullRequest } from '../../check/index.ts';
import type { Fault } from '../../model/fault.ts';
import type { Verdict } from '../../model/verdict.ts';
import { isWorthAComment } from '../../report/index.ts';
import type { CommonInputs } from './inputs.ts';
import type { ActionReports } from './reports.ts';
import { type ActionContext, note } from './runner.ts';
import type { StepAnnotations } from './step-annotations.ts';

export function openCodeHost({ inputs, job, signal, pace }: ActionContext<CommonInputs>): CodeHost {
  const { apiUrl, owner, name } = job;
  return createGitHub({
    apiUrl,
    owner,
    name,
    token: inputs['github-token'],
    author: inputs['comment-author'],
    note,
    signal,
    ...pace,
  });
}

/** Comments on the pull request if the inputs want it. Returns why there is no comment, for the summary. */
export async function commentVerdict(
  host: CodeHost,
  pullRequest: PullRequest,
  { inputs, annotations }: ActionContext<CommonInputs>,
  reports: ActionReports,
  verdict: Verdict,
): Promise<string | undefined> {
  if (inputs.comment === 'never') return undefined;
  const posted = await host.putComment({
    pullRequest,
    marker: reports.marker,
    body: reports.comment,
    create: inputs.comment === 'always' || isWorthAComment(verdict),
  });
  return commentNote(posted, inputs['comment-author'], annotations);
}

/** Logs what happened to the comment. Returns why there is none, for the summary. */
export function commentNote(
  result: CommentResult,
  expectedAuthor: string,
  annotations: StepAnnotations,
): string | undefined {
  switch (result.kind) {
    case 'not-wanted':
      return undefined;
    case 'outdated':
      return 'There is no comment: the pull request was closed or has a newer head.';
    case 'refused':
      note(`no comment: ${result.cause}`);
      return /\blocked\b/.test(result.cause)
        ? 'There is no comment: the conversation of this pull request is locked.'
        : 'There is no comment: the token may not write to this pull request, which is normal for a fork.';
    default:
      note(`comment ${result.kind}: ${result.url}`);
      core.setOutput('comment-url', result.url);
      if (result.author !== expectedAuthor) {
        annotations.make(
          'warning',
          `The token comments as ${result.author}, so later runs will not find this comment. Set \`comment-author: ${result.author}\`.`,
          { title: 'perf-gate: comment author' },
        );
      }
      return undefined;
  }
}

/** The summary's line about a comment that GitHub did not accept. */
export function commentFailure({ details }: Fault): string {
  return `There is no comment: ${details.cause}.`;
}
