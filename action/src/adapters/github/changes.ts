import type { FileChange, PullRequest } from '../../check/index.ts';
import { type GitHub, githubFault, statusOf } from './client.ts';

/** The files that a pull request changes, a renamed one by both names. GitHub lists at most 3,000. */
export async function changedFiles(
  { client, repository, options }: GitHub,
  { number }: PullRequest,
): Promise<readonly FileChange[]> {
  try {
    const files = await client.paginate('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', {
      ...repository,
      pull_number: number,
      per_page: 100,
    });
    return files.flatMap(({ filename, previous_filename: before, status }) =>
      status === 'renamed' && before !== undefined
        ? [
            { path: before, inBase: true },
            { path: filename, inBase: false },
          ]
        : [{ path: filename, inBase: status !== 'added' && status !== 'copied' }],
    );
  } catch (error) {
    throw githubFault(error, `${options.owner}/${options.name}#${number}: changed files`);
  }
}

/** The text of a file in a commit, also in one of a fork with a pull request; undefined if it has none. */
export async function readFile(
  { client, repository, options }: GitHub,
  commit: string,
  path: string,
): Promise<string | undefined> {
  try {
    const { data } = await client.request('GET /repos/{owner}/{repo}/contents/{path}', {
      ...repository,
      path,
      ref: commit,
    });
    if (Array.isArray(data) || data.type !== 'file' || !('content' in data)) return undefined;
    return Buffer.from(data.content, 'base64').toString();
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw githubFault(error, `${options.owner}/${options.name}: ${path} of ${commit.slice(0, 8)}`);
  }
}

/** Whether the branch that the pull request is to be merged into has the commit in its history. */
export async function isInBase(
  { client, repository, options }: GitHub,
  { baseBranch }: PullRequest,
  commit: string,
): Promise<boolean> {
  try {
    const { data } = await client.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...repository,
      basehead: `${commit}...${baseBranch}`,
      // The answer also lists commits and files, of which none is needed.
      per_page: 1,
    });
    return data.status === 'ahead' || data.status === 'identical';
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw githubFault(error, `${options.owner}/${options.name}: history of ${commit.slice(0, 8)}`);
  }
}
