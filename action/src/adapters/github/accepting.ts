import type { HeadRun, PullRequest } from '../../check/index.ts';
import { type GitHub, githubFault } from './client.ts';

export async function openPullRequest(
  { client, repository, options }: GitHub,
  number: number,
): Promise<PullRequest | undefined> {
  try {
    const { data } = await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
      ...repository,
      pull_number: number,
    });
    const headRepository = data.head.repo?.full_name;
    if (data.state !== 'open' || headRepository === undefined) return undefined;
    return { number, headSha: data.head.sha, headRepository, baseBranch: data.base.ref };
  } catch (error) {
    throw githubFault(error, `${options.owner}/${options.name}#${number}`);
  }
}

export async function mergedPullRequest(
  { client, repository, options }: GitHub,
  commit: string,
): Promise<PullRequest | undefined> {
  try {
    const { data } = await client.request('GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls', {
      ...repository,
      commit_sha: commit,
    });
    const merged = data.find((one) => one.merged_at !== null && one.merge_commit_sha === commit);
    return (
      merged && {
        number: merged.number,
        headSha: merged.head.sha,
        headRepository: merged.head.repo?.full_name ?? '',
        baseBranch: merged.base.ref,
      }
    );
  } catch (error) {
    throw githubFault(error, `${options.owner}/${options.name}: pull requests of ${commit.slice(0, 8)}`);
  }
}

/** Runs of any workflow on the head: only their artifacts show which of them measured. */
export async function headRuns(
  { client, repository, options }: GitHub,
  { number, headSha, headRepository }: PullRequest,
): Promise<readonly HeadRun[]> {
  try {
    const runs = await client.paginate('GET /repos/{owner}/{repo}/actions/runs', {
      ...repository,
      head_sha: headSha,
      event: 'pull_request',
      per_page: 100,
    });
    return runs
      .filter((run) => run.head_sha === headSha && run.head_repository?.full_name === headRepository)
      .map((run) => ({
        id: Number(run.id),
        attempt: run.run_attempt ?? 1,
        workflow: Number(run.workflow_id),
        startedAt: new Date(run.run_started_at ?? run.created_at),
        endedAt: run.status === 'completed' ? new Date(run.updated_at) : undefined,
        headSha,
        headBranch: run.head_branch ?? '',
        headRepository,
      }))
      .toSorted((a, b) => b.startedAt.getTime() - a.startedAt.getTime());
  } catch (error) {
    throw githubFault(error, `${options.owner}/${options.name}#${number}: runs`);
  }
}

export async function mayWrite({ client, repository, options }: GitHub, login: string): Promise<boolean> {
  try {
    const { data } = await client.request('GET /repos/{owner}/{repo}/collaborators/{username}/permission', {
      ...repository,
      username: login,
    });
    // `maintain` counts as `write` here.
    return data.permission === 'admin' || data.permission === 'write';
  } catch (error) {
    throw githubFault(error, `${options.owner}/${options.name}: permission of ${login}`);
  }
}
