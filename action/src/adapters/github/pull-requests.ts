import type { Attribution, PullRequest, PullRequestRun } from '../../check/index.ts';
import type { GitHub } from './client.ts';

interface PullRequestAnswer {
  readonly number: number;
  readonly state: string;
  readonly head: { readonly sha: string; readonly repo: { readonly full_name: string } | null };
  readonly base: { readonly ref: string };
}

function isAt(answer: PullRequestAnswer, head: Pick<PullRequest, 'headSha' | 'headRepository'>): boolean {
  return (
    answer.state === 'open' &&
    answer.head.sha === head.headSha &&
    // A deleted fork has no repository.
    answer.head.repo?.full_name === head.headRepository
  );
}

/** Finds the pull request of a run. It asks only GitHub, because the pull request's own job can write anything. */
export async function attribute(github: GitHub, run: PullRequestRun): Promise<Attribution> {
  if (await isOvertaken(github, run)) return { kind: 'overtaken' };
  const { headSha, headRepository, headBranch } = run;
  const answers: readonly PullRequestAnswer[] = await github.client.paginate(
    'GET /repos/{owner}/{repo}/pulls',
    {
      ...github.repository,
      state: 'open',
      // GitHub ignores a filter that it does not understand, so `isAt` checks each answer again.
      head: `${headRepository.split('/')[0]}:${headBranch}`,
      per_page: 100,
    },
  );
  const pullRequests = answers
    .filter((answer) => isAt(answer, run))
    .map(({ number, base }) => ({ number, headSha, headRepository, baseBranch: base.ref }));
  const [pullRequest, ...others] = pullRequests;
  if (pullRequest === undefined) return { kind: 'none' };
  return others.length > 0 ? { kind: 'several', pullRequests } : { kind: 'one', pullRequest };
}

/** True if a later attempt of the run exists: GitHub may deliver an event late, or a person may repeat it. */
async function isOvertaken({ client, repository }: GitHub, run: PullRequestRun): Promise<boolean> {
  const { data } = await client.request('GET /repos/{owner}/{repo}/actions/runs/{run_id}', {
    ...repository,
    run_id: run.id,
    exclude_pull_requests: true,
  });
  return (data.run_attempt ?? run.attempt) > run.attempt;
}

export async function isCurrent({ client, repository }: GitHub, pullRequest: PullRequest): Promise<boolean> {
  const { data } = await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
    ...repository,
    pull_number: pullRequest.number,
  });
  return isAt(data, pullRequest);
}
