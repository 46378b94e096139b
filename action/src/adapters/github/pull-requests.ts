import type { Attribution, PullRequest, PullRequestRun } from '../../check/index.ts';
import type { GitHubClient, GitHubOptions } from './client.ts';

interface PullRequestAnswer {
  readonly number: number;
  readonly state: string;
  readonly head: { readonly sha: string; readonly repo: { readonly full_name: string } | null };
}

function isAt(answer: PullRequestAnswer, head: Pick<PullRequest, 'headSha' | 'headRepository'>): boolean {
  return (
    answer.state === 'open' &&
    answer.head.sha === head.headSha &&
    // A fork that was deleted has no repository any more.
    answer.head.repo?.full_name === head.headRepository
  );
}

/** Asked of GitHub, never of anything that the pull request's own job wrote. */
export async function attribute(
  client: GitHubClient,
  options: GitHubOptions,
  run: PullRequestRun,
): Promise<Attribution> {
  if (await isOvertaken(client, options, run)) return { kind: 'overtaken' };
  const { owner, name } = options;
  const [headOwner = ''] = run.headRepository.split('/');
  const answers: readonly PullRequestAnswer[] = await client.paginate('GET /repos/{owner}/{repo}/pulls', {
    owner,
    repo: name,
    state: 'open',
    // GitHub ignores a filter that it does not understand, so what it answers is compared again.
    head: `${headOwner}:${run.headBranch}`,
    per_page: 100,
  });
  const matching = answers.filter((answer) => isAt(answer, run));
  const [first, ...others] = matching;
  if (first === undefined) return { kind: 'none' };
  if (others.length > 0) return { kind: 'several', numbers: matching.map(({ number }) => number) };
  const { headSha, headRepository } = run;
  return { kind: 'one', pullRequest: { number: first.number, headSha, headRepository } };
}

/** Events of a run may be worked on late, or again by hand, when another attempt has said more already. */
async function isOvertaken(
  client: GitHubClient,
  { owner, name }: GitHubOptions,
  run: PullRequestRun,
): Promise<boolean> {
  const { data } = await client.request('GET /repos/{owner}/{repo}/actions/runs/{run_id}', {
    owner,
    repo: name,
    run_id: run.id,
    exclude_pull_requests: true,
  });
  return (data.run_attempt ?? run.attempt) > run.attempt;
}

export async function isCurrent(
  client: GitHubClient,
  { owner, name }: GitHubOptions,
  pullRequest: PullRequest,
): Promise<boolean> {
  const { data } = await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
    owner,
    repo: name,
    pull_number: pullRequest.number,
  });
  return isAt(data, pullRequest);
}
