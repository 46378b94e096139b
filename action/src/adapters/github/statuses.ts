import type { CommitStatus } from '../../check/index.ts';
import { type GitHub, githubFault } from './client.ts';

/** Sets the newest status of that context on the commit. A branch may require it. */
export async function setStatus(
  { client, repository, options }: GitHub,
  { commit, state, context, description, url }: CommitStatus,
): Promise<void> {
  const { owner, name } = options;
  try {
    await client.request('POST /repos/{owner}/{repo}/statuses/{sha}', {
      ...repository,
      sha: commit,
      state,
      context,
      description,
      target_url: url,
    });
  } catch (error) {
    throw githubFault(error, `${owner}/${name}: status of ${commit.slice(0, 8)}`);
  }
}
