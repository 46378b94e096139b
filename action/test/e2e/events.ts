import { type FakeAttempt, type FakePullRequest, firstAttempt } from '../github/fake-github.ts';
import { hostileNames } from '../github/hostile-names.ts';
import type { RunnerEvent } from './runner.ts';

const repository = { full_name: 'octo/shop', default_branch: 'main' };

/** Events as GitHub leaves them for a job, as far as anybody reads them. */
export function pullRequestEvent(
  { number, headSha, headBranch, headRepository }: FakePullRequest,
  baseSha = '0'.repeat(40),
): RunnerEvent {
  return {
    name: 'pull_request',
    payload: {
      action: 'synchronize',
      number,
      repository,
      pull_request: {
        number,
        title: `pull request of a stranger ${Object.values(hostileNames).join(' ')}`,
        head: {
          sha: headSha,
          ref: headBranch,
          repo: headRepository === null ? null : { full_name: headRepository },
        },
        base: { ref: 'main', sha: baseSha, repo: repository },
      },
    },
  };
}

export function workflowRunEvent(
  { headSha, headBranch, headRepository }: FakePullRequest,
  changes: Readonly<Record<string, unknown>> = {},
  { id, attempt, startedAt }: FakeAttempt = firstAttempt,
): RunnerEvent {
  return {
    name: 'workflow_run',
    payload: {
      action: 'completed',
      repository,
      workflow_run: {
        id,
        run_attempt: attempt,
        run_started_at: startedAt,
        event: 'pull_request',
        conclusion: 'success',
        head_sha: headSha,
        head_branch: headBranch,
        head_repository: headRepository === null ? null : { full_name: headRepository },
        ...changes,
      },
    },
  };
}

export function pushEvent(ref = 'refs/heads/main'): RunnerEvent {
  return { name: 'push', payload: { ref, deleted: false, repository } };
}

export function mergeGroupEvent(baseSha = '0'.repeat(40)): RunnerEvent {
  const head = { head_sha: 'a'.repeat(40), head_ref: 'refs/heads/gh-readonly-queue/main/pr-7-x' };
  const merge_group = { ...head, base_sha: baseSha, base_ref: 'refs/heads/main' };
  return { name: 'merge_group', payload: { action: 'checks_requested', repository, merge_group } };
}

export function dispatchEvent(): RunnerEvent {
  return { name: 'workflow_dispatch', payload: { repository, inputs: {} } };
}

export function commentEvent(number: number, author: string, body: string): RunnerEvent {
  return {
    name: 'issue_comment',
    payload: {
      action: 'created',
      repository,
      issue: { number, pull_request: { url: `https://api.github.com/repos/octo/shop/pulls/${number}` } },
      comment: { id: 77, body, created_at: '2026-01-01T02:00:00Z', user: { login: author } },
    },
  };
}
