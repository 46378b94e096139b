import type { CommentRequest, CommentResult } from '../../check/index.ts';
import { createSystemClock } from '../host/index.ts';
import { answerOf, type GitHub, githubFault, isRefusal, statusOf } from './client.ts';
import { isCurrent } from './pull-requests.ts';

interface OwnComment {
  readonly id: number;
  readonly url: string;
  readonly body: string;
  readonly author: string;
}

type Outcome =
  | { readonly kind: 'done'; readonly result: CommentResult }
  /** The comment may have been written or not: read again before writing again. */
  | { readonly kind: 'unknown'; readonly error: unknown };

const mostAttempts = 4;

/** Keeps one comment on a pull request: creates it once, then edits it. */
export async function putComment(github: GitHub, request: CommentRequest): Promise<CommentResult> {
  const { owner, name, secondMs = 1000, signal } = github.options;
  const clock = createSystemClock();
  try {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOnce(github, request);
      if (outcome.kind === 'done') return outcome.result;
      if (attempt === mostAttempts) throw outcome.error;
      await clock.wait(attempt * secondMs, signal);
    }
  } catch (error) {
    if (isRefusal(error)) return { kind: 'refused', cause: error.message.split('\n')[0] ?? '' };
    throw githubFault(error, `${owner}/${name}#${request.pullRequest.number}: comment`);
  }
}

/** The text of the comment, as GitHub has it. */
export async function findComment(
  github: GitHub,
  request: Pick<CommentRequest, 'pullRequest' | 'marker'>,
): Promise<string | undefined> {
  const { owner, name } = github.options;
  try {
    return (await ownComments(github, request))[0]?.body;
  } catch (error) {
    throw githubFault(error, `${owner}/${name}#${request.pullRequest.number}: comment`);
  }
}

export async function react(
  { client, repository, options }: GitHub,
  commentId: number,
  done: boolean,
): Promise<void> {
  try {
    await client.request('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', {
      ...repository,
      comment_id: commentId,
      content: done ? '+1' : 'confused',
    });
  } catch (error) {
    throw githubFault(error, `${options.owner}/${options.name}: reaction to comment ${commentId}`);
  }
}

async function attemptOnce(github: GitHub, request: CommentRequest): Promise<Outcome> {
  const [present, ...duplicates] = await ownComments(github, request);
  for (const { id } of duplicates) await remove(github, id);
  if (present === undefined && !request.create) return done({ kind: 'not-wanted' });
  // GitHub trims the text of comments.
  if (present?.body.trim() === request.body.trim()) {
    return done({ kind: 'unchanged', url: present.url, author: present.author });
  }
  // Finding the comment may have taken a minute at a rate limit, so this check comes right before writing.
  if (!(await isCurrent(github, request.pullRequest))) return done({ kind: 'outdated' });
  return present === undefined ? create(github, request) : update(github, request, present.id);
}

function done(result: CommentResult): Outcome {
  return { kind: 'done', result };
}

/** Comments with our author and first line, oldest first. The marker alone is not enough, because anybody may quote it. */
async function ownComments(
  { client, repository, options }: GitHub,
  { pullRequest, marker }: Pick<CommentRequest, 'pullRequest' | 'marker'>,
): Promise<OwnComment[]> {
  const all = await client.paginate('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...repository,
    issue_number: pullRequest.number,
    per_page: 100,
  });
  return all
    .map(({ id, html_url, body, user }) => ({
      id: Number(id),
      url: html_url,
      // GitHub stores line breaks as browsers send them.
      body: (body ?? '').replaceAll('\r\n', '\n'),
      author: user?.login ?? '',
    }))
    .filter(({ author, body }) => author === options.author && body.split('\n', 1)[0] === marker)
    .toSorted((a, b) => a.id - b.id);
}

/** The client does not repeat this, because GitHub may have created the comment and lost only the answer. */
async function create(
  { client, repository }: GitHub,
  { pullRequest, body }: CommentRequest,
): Promise<Outcome> {
  try {
    const { data } = await client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...repository,
      issue_number: pullRequest.number,
      body,
      request: { retries: 0 },
    });
    return done({ kind: 'created', url: data.html_url, author: data.user?.login ?? '' });
  } catch (error) {
    if ((statusOf(error) ?? 0) >= 500) return { kind: 'unknown', error };
    throw error;
  }
}

/** The client may repeat this, because writing the same text twice changes nothing. */
async function update(
  { client, repository }: GitHub,
  { body }: CommentRequest,
  id: number,
): Promise<Outcome> {
  try {
    const { data } = await client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
      ...repository,
      comment_id: id,
      body,
    });
    return done({ kind: 'updated', url: data.html_url, author: data.user?.login ?? '' });
  } catch (error) {
    // Somebody has deleted the comment, and the next attempt creates a new one.
    if (statusOf(error) === 404) return { kind: 'unknown', error };
    throw error;
  }
}

/** A duplicate that cannot be removed is no reason to leave the comment itself unwritten. */
async function remove({ client, repository, options }: GitHub, id: number): Promise<void> {
  try {
    await client.request('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', {
      ...repository,
      comment_id: id,
    });
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined) throw error;
    if (status === 404) return;
    options.note(`duplicate comment ${id} could not be removed: ${answerOf(error as Error, status)}`);
  }
}
