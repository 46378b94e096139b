import type { CommentRequest, CommentResult } from '../../check/index.ts';
import { createSystemClock } from '../host/index.ts';
import {
  answerOf,
  type GitHubClient,
  type GitHubOptions,
  githubFault,
  isAmbiguous,
  isRefusal,
  statusOf,
} from './client.ts';
import { isCurrent } from './pull-requests.ts';

export interface CommentOptions extends GitHubOptions {
  /** Login that the token writes as, such as `github-actions[bot]`. Only its comments are touched. */
  readonly author: string;
}

interface OwnComment {
  readonly id: number;
  readonly url: string;
  readonly body: string;
  readonly author: string;
}

type Outcome =
  | { readonly kind: 'done'; readonly result: CommentResult }
  /** Nobody knows whether it was written: look again before writing again. */
  | { readonly kind: 'unknown'; readonly error: unknown };

const mostAttempts = 4;

/** Keeps one comment on a pull request: made once, edited after that, and never twice. */
export async function putComment(
  client: GitHubClient,
  options: CommentOptions,
  request: CommentRequest,
): Promise<CommentResult> {
  const clock = createSystemClock();
  const place = `${options.owner}/${options.name}#${request.pullRequest.number}: comment`;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOnce(client, options, request);
      if (outcome.kind === 'done') return outcome.result;
      if (attempt === mostAttempts) throw outcome.error;
      await clock.wait(attempt * (options.secondMs ?? 1000), options.signal);
    }
  } catch (error) {
    if (isRefusal(error)) return { kind: 'refused', cause: error.message.split('\n')[0] ?? '' };
    throw githubFault(error, place);
  }
}

async function attemptOnce(
  client: GitHubClient,
  options: CommentOptions,
  request: CommentRequest,
): Promise<Outcome> {
  const [present, ...duplicates] = await ownComments(client, options, request);
  for (const { id } of duplicates) await remove(client, options, id);
  if (present === undefined) {
    if (!request.create) return done({ kind: 'not-wanted' });
    return (await isCurrent(client, options, request.pullRequest))
      ? create(client, options, request)
      : outdated;
  }
  const { url, author } = present;
  // GitHub trims what it keeps.
  if (present.body.trim() === request.body.trim()) return done({ kind: 'unchanged', url, author });
  if (!(await isCurrent(client, options, request.pullRequest))) return outdated;
  return update(client, options, request, present.id);
}

/** Asked right before writing: finding the comment may have taken a minute of waiting at a limit. */
const outdated: Outcome = { kind: 'done', result: { kind: 'outdated' } };

function done(result: CommentResult): Outcome {
  return { kind: 'done', result };
}

/** Oldest first. By author and first line: anybody may quote the marker. */
async function ownComments(
  client: GitHubClient,
  { owner, name, author }: CommentOptions,
  { pullRequest, marker }: CommentRequest,
): Promise<OwnComment[]> {
  const all = await client.paginate('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    owner,
    repo: name,
    issue_number: pullRequest.number,
    per_page: 100,
  });
  return all
    .map(({ id, html_url, body, user }) => ({
      id: Number(id),
      url: html_url,
      // GitHub keeps line breaks as browsers send them.
      body: (body ?? '').replaceAll('\r\n', '\n'),
      author: user?.login ?? '',
    }))
    .filter((comment) => comment.author === author && comment.body.split('\n', 1)[0] === marker)
    .toSorted((a, b) => a.id - b.id);
}

/** Not repeated blindly: GitHub may have made the comment and lost only the answer. */
async function create(
  client: GitHubClient,
  { owner, name }: CommentOptions,
  { pullRequest, body }: CommentRequest,
): Promise<Outcome> {
  try {
    const { data } = await client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      owner,
      repo: name,
      issue_number: pullRequest.number,
      body,
      request: { retries: 0 },
    });
    return done({ kind: 'created', url: data.html_url, author: data.user?.login ?? '' });
  } catch (error) {
    if (isAmbiguous(error)) return { kind: 'unknown', error };
    throw error;
  }
}

/** May be repeated: the same text twice is the same comment. */
async function update(
  client: GitHubClient,
  { owner, name }: CommentOptions,
  { body }: CommentRequest,
  id: number,
): Promise<Outcome> {
  try {
    const { data } = await client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
      owner,
      repo: name,
      comment_id: id,
      body,
    });
    return done({ kind: 'updated', url: data.html_url, author: data.user?.login ?? '' });
  } catch (error) {
    // Somebody deleted it meanwhile: the next look finds that out.
    if (statusOf(error) === 404) return { kind: 'unknown', error };
    throw error;
  }
}

/** One too many is a blemish: it keeps nobody from writing the one that is read. */
async function remove(
  client: GitHubClient,
  { owner, name, note }: CommentOptions,
  id: number,
): Promise<void> {
  try {
    await client.request('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', {
      owner,
      repo: name,
      comment_id: id,
    });
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined) throw error;
    if (status !== 404) note(`comment ${id} is a duplicate that stays: ${answerOf(error as Error, status)}`);
  }
}
