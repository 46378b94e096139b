import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitHub } from '../../src/adapters/github.ts';
import type { CodeHost, CommentRequest, PullRequestRun } from '../../src/measure/ports.ts';
import { archiveOf } from './archive.ts';
import { FakeGitHub, type FakePullRequest } from './fake-github.ts';

const sha = 'a'.repeat(40);
const otherSha = 'b'.repeat(40);
const marker = '<!-- perf-gate -->';
const author = 'github-actions[bot]';

let fake: FakeGitHub;
let notes: string[];
let host: CodeHost;

function connect(signal = new AbortController().signal): CodeHost {
  return createGitHub({
    apiUrl: fake.url,
    token: 'token',
    owner: 'octo',
    name: 'shop',
    author,
    note: (text) => notes.push(text),
    signal,
    secondMs: 5,
  });
}

beforeEach(async () => {
  fake = await FakeGitHub.start();
  notes = [];
  host = connect();
});

afterEach(async () => {
  await fake.stop();
  expect(fake.violations).toEqual([]);
});

function pull(changes: Partial<FakePullRequest> = {}): FakePullRequest {
  return {
    number: 7,
    state: 'open',
    headSha: sha,
    headBranch: 'faster',
    headRepository: 'mona/shop',
    ...changes,
  };
}

const run: PullRequestRun = { id: 42, headSha: sha, headBranch: 'faster', headRepository: 'mona/shop' };

describe('attributing a run to a pull request', () => {
  it('finds the only open one with that head', async () => {
    fake.pullRequests = [
      pull(),
      pull({ number: 8, headBranch: 'other' }),
      pull({ number: 9, headRepository: 'eve/shop' }),
    ];
    expect(await host.attribute(run)).toEqual({
      kind: 'one',
      pullRequest: { number: 7, headSha: sha, headRepository: 'mona/shop' },
    });
  });

  it.each([
    ['a stale sha', pull({ headSha: otherSha })],
    ['a closed one', pull({ state: 'closed' })],
    ['a fork that was deleted', pull({ headRepository: null })],
    ['another repository of the same owner', pull({ headRepository: 'mona/shop-2' })],
  ])('finds none for %s', async (_, present) => {
    fake.pullRequests = [present];
    expect(await host.attribute(run)).toEqual({ kind: 'none' });
  });

  it('does not choose between two on one sha', async () => {
    fake.pullRequests = [pull(), pull({ number: 8 })];
    expect(await host.attribute(run)).toEqual({ kind: 'several', numbers: [7, 8] });
  });

  it('looks through all pages', async () => {
    fake.pullRequests = [
      ...Array.from({ length: 250 }, (_, index) => pull({ number: 100 + index, headSha: otherSha })),
      pull(),
    ];
    expect(await host.attribute(run)).toMatchObject({ kind: 'one', pullRequest: { number: 7 } });
  });

  it.each(['a"; echo pwn #', 'x&state=closed', 'weiß/ветка', '../../..', '%2e%2e', 'a:b'])(
    'keeps the branch name %s a name',
    async (headBranch) => {
      fake.pullRequests = [pull({ headBranch })];
      expect(await host.attribute({ ...run, headBranch })).toMatchObject({ kind: 'one' });
    },
  );

  it('sees that the head moved or the pull request was closed before it is written to', async () => {
    const pullRequest = { number: 7, headSha: sha, headRepository: 'mona/shop' };
    fake.pullRequests = [pull()];
    expect(await host.isCurrent(pullRequest)).toBe(true);
    fake.pullRequests = [pull({ headSha: otherSha })];
    expect(await host.isCurrent(pullRequest)).toBe(false);
    fake.pullRequests = [pull({ state: 'closed' })];
    expect(await host.isCurrent(pullRequest)).toBe(false);
  });
});

describe('the comment', () => {
  const request: CommentRequest = { pullRequest: 7, marker, body: `${marker}\nslower`, create: true };

  beforeEach(() => {
    fake.pullRequests = [pull()];
  });

  it('is made once, edited after that, and left alone if nothing changed', async () => {
    expect(await host.putComment(request)).toMatchObject({ kind: 'created', author });
    expect(await host.putComment(request)).toMatchObject({ kind: 'unchanged' });
    expect(await host.putComment({ ...request, body: `${marker}\nfaster` })).toMatchObject({
      kind: 'updated',
    });
    expect(fake.commentsOn(7)).toMatchObject([{ body: `${marker}\nfaster` }]);
  });

  it('is not made where none is wanted, but brought up to date where there is one', async () => {
    expect(await host.putComment({ ...request, create: false })).toEqual({ kind: 'not-wanted' });
    await host.putComment(request);
    expect(await host.putComment({ ...request, create: false, body: `${marker}\nas it was` })).toMatchObject({
      kind: 'updated',
    });
  });

  it("is never somebody else's, and never one that only quotes the marker", async () => {
    fake.comments = [
      { id: 1, issue: 7, author: 'mona', body: `${marker}\nmine` },
      { id: 2, issue: 7, author, body: `> ${marker}\nquoted` },
      { id: 3, issue: 7, author, body: `hello\n${marker}` },
      { id: 4, issue: 7, author, body: '<!-- perf-gate:other -->\nanother gate' },
      { id: 5, issue: 8, author, body: `${marker}\nanother pull request` },
      { id: 6, issue: 7, author: 'evil[bot]', body: `${marker}\nanother bot` },
    ];
    const before = [...fake.comments];
    expect(await host.putComment(request)).toMatchObject({ kind: 'created' });
    expect(fake.comments.slice(0, 6)).toEqual(before);
  });

  it('is found behind 1,000 others, and its duplicates are removed', async () => {
    fake.comments = [
      ...Array.from({ length: 1_000 }, (_, id) => ({ id: id + 1, issue: 7, author: 'mona', body: 'nice' })),
      { id: 2_000, issue: 7, author, body: `${marker}\r\nold` },
      { id: 2_001, issue: 7, author, body: `${marker}\nolder` },
    ];
    expect(await host.putComment(request)).toMatchObject({ kind: 'updated' });
    expect(fake.comments.slice(1_000)).toMatchObject([{ id: 2_000, body: request.body }]);
  });

  const post = /\/comments$/;
  it.each([
    ['a 502 after it was written', { status: 502, message: 'Bad Gateway' }],
    ['a 500 after it was written', { status: 500, message: 'Server Error' }],
    ['a connection reset after it was written', 'reset'],
  ] as const)('is there once after %s', async (_, answer) => {
    fake.failures = [{ method: 'POST', path: post, times: 1, carriedOut: true, answer }];
    expect(await host.putComment(request)).toMatchObject({ kind: 'unchanged' });
    expect(fake.commentsOn(7)).toHaveLength(1);
    expect(fake.count('POST')).toBe(1);
  });

  it.each([
    ['a 502', { status: 502, message: 'Bad Gateway' }],
    ['a connection reset', 'reset'],
  ] as const)('is there once after %s before it was written', async (_, answer) => {
    fake.failures = [{ method: 'POST', path: post, times: 2, answer }];
    expect(await host.putComment(request)).toMatchObject({ kind: 'created' });
    expect(fake.commentsOn(7)).toHaveLength(1);
  });

  it.each([
    [
      'secondary limit (403)',
      { status: 403, message: 'You have exceeded a secondary rate limit', headers: { 'retry-after': '2' } },
    ],
    [
      'secondary limit (429)',
      { status: 429, message: 'You have exceeded a secondary rate limit', headers: { 'retry-after': '1' } },
    ],
    [
      'rate limit that is lifted soon',
      {
        status: 403,
        message: 'API rate limit exceeded',
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '0' },
      },
    ],
  ] as const)('waits for a %s', async (_, answer) => {
    fake.failures = [{ method: 'POST', path: post, times: 2, answer }];
    expect(await host.putComment(request)).toMatchObject({ kind: 'created' });
    expect(notes.join()).toMatch(/rate limit.*waiting/);
    expect(fake.commentsOn(7)).toHaveLength(1);
  });

  it('does not wait for a limit that is lifted in an hour', async () => {
    const reset = String(Math.floor(Date.now() / 1000) + 3_600);
    fake.failures = [
      {
        method: 'GET',
        path: post,
        times: 9,
        answer: {
          status: 403,
          message: 'API rate limit exceeded',
          headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset },
        },
      },
    ];
    await expect(host.putComment(request)).rejects.toMatchObject({ details: { code: 'E_GITHUB_LIMIT' } });
    expect(notes.join()).toMatch(/not waiting/);
  });

  it.each([
    ['while GitHub does not answer', 'silence'],
    ['while GitHub is down', { status: 502, message: 'Bad Gateway' }],
  ] as const)('ends with the reason, and asks no more, when the job is cancelled %s', async (_, answer) => {
    const cancelled = new AbortController();
    const reason = new Error('cancelled');
    fake.failures = [{ method: 'GET', path: post, times: 99, answer }];
    const ended = expect(connect(cancelled.signal).putComment(request)).rejects.toBe(reason);
    await expect.poll(() => fake.requests).not.toEqual([]);
    cancelled.abort(reason);
    const asked = fake.requests.length;
    await ended;
    expect(fake.requests.length).toBeLessThanOrEqual(asked + 1);
  });

  it('is refused, and no fault, with a token that only reads', async () => {
    fake.readOnly = true;
    expect(await host.putComment(request)).toEqual({
      kind: 'refused',
      cause: expect.stringContaining('not accessible'),
    });
    expect(fake.count('POST')).toBe(1);
  });

  it.each([
    [404, 'E_GITHUB_MISSING', () => ({ ...request, pullRequest: 99 })],
    [422, 'E_GITHUB_REQUEST', () => ({ ...request, body: `${marker}\n${'x'.repeat(70_000)}` })],
  ])('ends with a %d as a fault, without another try', async (_, code, make) => {
    await expect(host.putComment(make())).rejects.toMatchObject({ details: { code } });
    expect(fake.count('POST')).toBe(1);
  });

  it('ends as a fault once GitHub stays away', async () => {
    fake.failures = [
      { method: 'POST', path: post, times: 99, answer: { status: 502, message: 'Bad Gateway' } },
    ];
    await expect(host.putComment(request)).rejects.toMatchObject({ details: { code: 'E_GITHUB_DOWN' } });
    expect(fake.count('POST')).toBe(4);
    expect(fake.comments).toEqual([]);
  });

  it('is made anew when somebody deletes it between looking and writing', async () => {
    await host.putComment(request);
    fake.failures = [
      { method: 'PATCH', path: /comments/, times: 1, answer: { status: 404, message: 'Not Found' } },
    ];
    expect(await host.putComment({ ...request, body: `${marker}\nagain` })).toMatchObject({
      kind: 'updated',
    });
    expect(fake.commentsOn(7)).toHaveLength(1);
  });

  it('survives that reading fails some times', async () => {
    fake.failures = [
      { method: 'GET', path: post, times: 1, answer: { status: 503, message: 'Unavailable' } },
      { method: 'GET', path: post, times: 1, answer: 'reset' },
    ];
    expect(await host.putComment(request)).toMatchObject({ kind: 'created' });
  });
});

describe('the artifact', () => {
  const artifact = async (content = '{"a":1}') => ({
    id: 11,
    name: 'perf-gate-report',
    runId: 42,
    headSha: sha,
    archive: await archiveOf({ name: 'report.json', content }),
  });
  const read = () => host.readArtifact(run, 'perf-gate-report', 'report.json');

  it('is read from that run, the newest of that name', async () => {
    fake.artifacts = [
      { ...(await artifact('"newer"')), id: 12 },
      await artifact('"older"'),
      { ...(await artifact('"other run"')), id: 13, runId: 43 },
      { ...(await artifact('"other name"')), id: 14, name: 'perf-gate-report-2' },
    ];
    expect(await read()).toMatchObject({ text: '"newer"' });
  });

  it.each([
    ['none', 'E_ARTIFACT_MISSING', { runId: 43 }],
    ['of another head', 'E_ARTIFACT_MISSING', { headSha: otherSha }],
    ['expired', 'E_ARTIFACT_MISSING', { expired: true }],
    ['too large by its own words', 'E_ARTIFACT_SIZE', { claimedBytes: 3_000_000 }],
    ['too large in truth', 'E_ARTIFACT_SIZE', { archive: Buffer.alloc(3_000_000), claimedBytes: 100 }],
    ['not what GitHub says it is', 'E_ARTIFACT_DIGEST', { claimedDigest: `sha256:${'0'.repeat(64)}` }],
    ['not an archive', 'E_ARTIFACT_HOSTILE', { archive: Buffer.from('hello') }],
  ])('is refused: %s', async (_, code, changes) => {
    fake.artifacts = [{ ...(await artifact()), ...changes }];
    await expect(read()).rejects.toMatchObject({ details: { code } });
  });

  it.each([
    ['the API', /actions\/runs/],
    ['the storage', /^\/blob/],
  ])('is a fault when %s is down', async (_, path) => {
    fake.artifacts = [await artifact()];
    fake.failures = [{ method: 'GET', path, times: 99, answer: { status: 503, message: 'down' } }];
    await expect(read()).rejects.toMatchObject({
      details: { code: expect.stringMatching(/E_GITHUB_DOWN|E_ARTIFACT_DOWNLOAD/) },
    });
  });
});
