import { z } from 'zod';
import { mayWriteBaseline, type PullRequest, type PullRequestRun } from '../../check/index.ts';
import { Fault } from '../../model/fault.ts';

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const fullName = z.string().regex(/^[\w.-]+\/[\w.-]+$/);
const repository = z.object({ full_name: fullName });

const pullRequestEvent = z.object({
  pull_request: z.object({
    number: z.int().positive(),
    // A fork that was deleted has no repository any more.
    head: z.object({ sha, repo: repository.nullable() }),
    base: z.object({ sha, ref: z.string() }),
  }),
});

const mergeGroupEvent = z.object({ merge_group: z.object({ base_sha: sha }) });

const workflowRunEvent = z.object({
  workflow_run: z.object({
    id: z.int().positive(),
    run_attempt: z.int().positive(),
    run_started_at: z.iso.datetime({ offset: true }),
    event: z.string(),
    conclusion: z.string().nullable(),
    head_sha: sha,
    head_branch: z.string().nullable(),
    head_repository: repository.nullable(),
  }),
});

const commentEvent = z.object({
  action: z.string(),
  issue: z.object({ number: z.int().positive(), pull_request: z.object({}).optional() }),
  comment: z.object({
    id: z.int().positive(),
    body: z.string(),
    created_at: z.iso.datetime({ offset: true }),
    user: z.object({ login: z.string().regex(/^[\w[\]-]{1,100}$/) }),
  }),
});

const pushEvent = z.object({
  ref: z.string(),
  deleted: z.boolean().default(false),
  repository: repository.extend({ default_branch: z.string() }),
});

const anyEvent = z.object({ repository: z.object({ default_branch: z.string() }) });

/** A comment on a pull request, by anybody. */
export interface PullRequestComment {
  readonly id: number;
  /** Number of the pull request. */
  readonly number: number;
  readonly body: string;
  readonly author: string;
  readonly at: Date;
}

/** What GitHub says set the job going. */
export type Trigger =
  | {
      readonly kind: 'pull-request';
      readonly pullRequest: PullRequest;
      /** A commit of the branch that it is to be merged into, the newest one at some time before this was set going. */
      readonly baseSha: string;
      /** `owner/name` of the fork; absent if head lies in this repository. */
      readonly fork?: string;
    }
  /** An entry of a merge queue: no pull request to comment on, and not merged yet. */
  | {
      readonly kind: 'merge-group';
      /** What the entry is to be merged onto: the base branch, or the entry before it in the queue. */
      readonly baseSha: string;
    }
  | { readonly kind: 'push'; readonly ref: string; readonly toDefaultBranch: boolean }
  /** Of a pull request's workflow that has ended; absent if it belonged to something else, or its fork is gone. */
  | { readonly kind: 'workflow-run'; readonly run: PullRequestRun | undefined }
  /** Somebody has written a comment on a pull request. */
  | { readonly kind: 'comment'; readonly comment: PullRequestComment }
  | { readonly kind: 'other'; readonly name: string; readonly onDefaultBranch: boolean };

export interface GitHubJob {
  /** Such as `https://api.github.com`. */
  readonly apiUrl: string;
  readonly owner: string;
  readonly name: string;
  /** Page of the repository. */
  readonly repositoryUrl: string;
  /** Page of this run, where its summary stands. */
  readonly runUrl: string;
  readonly defaultBranch: string;
  readonly trigger: Trigger;
}

function malformed(place: string, cause: string): Fault {
  return new Fault({
    code: 'E_GITHUB_EVENT',
    kind: 'usage',
    place,
    cause,
    nextStep: 'run this as an action of a GitHub workflow',
  });
}

function parse<T extends z.ZodType>(schema: T, event: unknown, name: string): z.output<T> {
  const result = schema.safeParse(event);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw malformed(`event ${name}`, `${issue?.path.map(String).join('.')}: ${issue?.message}`);
}

/** Such a job has the rights and the secrets of this repository, and what it would measure is a stranger's code. */
function refuseTarget(): never {
  throw new Fault({
    code: 'E_PULL_REQUEST_TARGET',
    kind: 'usage',
    place: 'event pull_request_target',
    cause: "it runs with this repository's rights, which a pull request's code must not get",
    nextStep: 'measure `on: pull_request`, and post with perf-gate/publish `on: workflow_run`',
  });
}

function triggerOf(name: string, event: unknown, repositoryName: string, onDefaultBranch: boolean): Trigger {
  switch (name) {
    case 'pull_request_target':
      return refuseTarget();
    case 'pull_request': {
      const { pull_request: pull } = parse(pullRequestEvent, event, name);
      const headRepository = pull.head.repo?.full_name ?? '';
      return {
        kind: 'pull-request',
        pullRequest: {
          number: pull.number,
          headSha: pull.head.sha,
          headRepository,
          baseBranch: pull.base.ref,
        },
        baseSha: pull.base.sha,
        ...(headRepository === repositoryName ? {} : { fork: headRepository || 'a deleted fork' }),
      };
    }
    case 'merge_group':
      return { kind: 'merge-group', baseSha: parse(mergeGroupEvent, event, name).merge_group.base_sha };
    case 'workflow_run': {
      const { workflow_run: run } = parse(workflowRunEvent, event, name);
      const isPullRequest = run.event === 'pull_request' && run.head_repository !== null;
      return {
        kind: 'workflow-run',
        run: isPullRequest
          ? {
              id: run.id,
              attempt: run.run_attempt,
              startedAt: new Date(run.run_started_at),
              headSha: run.head_sha,
              headBranch: run.head_branch ?? '',
              headRepository: run.head_repository?.full_name ?? '',
            }
          : undefined,
      };
    }
    case 'issue_comment': {
      const { action, issue, comment } = parse(commentEvent, event, name);
      // An edited comment may have had another author's eyes on it than the one that was written.
      if (action !== 'created' || issue.pull_request === undefined)
        return { kind: 'other', name, onDefaultBranch };
      return {
        kind: 'comment',
        comment: {
          id: comment.id,
          number: issue.number,
          body: comment.body,
          author: comment.user.login,
          at: new Date(comment.created_at),
        },
      };
    }
    case 'push': {
      const { ref, deleted, repository: own } = parse(pushEvent, event, name);
      return {
        kind: 'push',
        ref,
        toDefaultBranch:
          !deleted &&
          mayWriteBaseline({
            name,
            ref,
            defaultBranch: own.default_branch,
            repository: repositoryName,
            headRepository: own.full_name,
            fromFork: false,
          }),
      };
    }
    default:
      return { kind: 'other', name, onDefaultBranch };
  }
}

/**
 * Whether the job may keep what later jobs restore, those of the default branch among them. Only what runs code of this
 * repository: a job of another kind may have been started by a stranger's words.
 */
export function mayWriteCache(trigger: Trigger): boolean {
  switch (trigger.kind) {
    case 'push':
      return trigger.toDefaultBranch;
    case 'pull-request':
      return trigger.fork === undefined;
    case 'merge-group':
    case 'workflow-run':
    case 'comment':
      return false;
    case 'other':
      return trigger.onDefaultBranch && ['workflow_dispatch', 'schedule'].includes(trigger.name);
  }
}

/**
 * Whether what the job measures may be added to the baseline, by the job itself or by a later one. Both triggers run what the
 * default branch has, and only somebody who may write can set them going.
 */
export function mayRecord(trigger: Trigger): boolean {
  return trigger.kind === 'push'
    ? trigger.toDefaultBranch
    : trigger.kind === 'other' && trigger.name === 'workflow_dispatch' && trigger.onDefaultBranch;
}

/** Reads what GitHub says about the job. The event comes from GitHub itself, unlike anything that a job wrote. */
export function readGitHubJob(env: Readonly<Record<string, string | undefined>>, event: unknown): GitHubJob {
  const named = fullName.safeParse(env.GITHUB_REPOSITORY);
  if (!named.success) throw malformed('GITHUB_REPOSITORY', 'it names no repository');
  const [owner = '', name = ''] = named.data.split('/');
  const told = anyEvent.safeParse(event);
  // Events that name no repository, such as a schedule's, run on the default branch.
  const defaultBranch = told.data?.repository.default_branch ?? env.GITHUB_REF_NAME ?? 'main';
  const repositoryUrl = `${env.GITHUB_SERVER_URL ?? 'https://github.com'}/${named.data}`;
  return {
    apiUrl: env.GITHUB_API_URL ?? 'https://api.github.com',
    owner,
    name,
    repositoryUrl,
    runUrl: `${repositoryUrl}/actions/runs/${env.GITHUB_RUN_ID ?? ''}`,
    defaultBranch,
    trigger: triggerOf(
      env.GITHUB_EVENT_NAME ?? '',
      event,
      named.data,
      env.GITHUB_REF === `refs/heads/${defaultBranch}`,
    ),
  };
}
