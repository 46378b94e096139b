import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGitHub } from '../../src/adapters/github/code-host.ts';
import type { CodeHost, CommentRequest, PullRequestRun } from '../../src/check/ports.ts';
import { archiveOf } from './archive.ts';
import {
  type FakeAttempt,
  FakeGitHub,
  type FakePullRequest,
  firstAttempt,
  minutesInto,
} from './fake-github.ts';
import { FakeProxy } from './fake-proxy.ts';
import { hostileNames } from './hostile-names.ts';
import { quickPace } from './quick-pace.ts';

const sha = 'a'.repeat(40);
const otherSha = 'b'.repeat(40);
const marker = '<!-- perf-gate -->';
const author = 'github-actions[bot]';

let fake: FakeGitHub;
let notes: string[];
let host: CodeHost;
/** Runs while the gate waits for a rate limit. */
let whenNoted: () => void;

function connect(signal = new AbortController().signal, secondMs = 5, apiUrl = fake.url): CodeHost {
  return createGitHub({
    apiUrl,
    token: 'token',
    owner: 'octo',
    name: 'shop',
    author,
    note: (text) => {
      notes.push(text);
      whenNoted();
    },
    signal,
    ...quickPace(secondMs),
  });
}

beforeEach(async () => {
  fake = await FakeGitHub.start();
  notes = [];
  whenNoted = () => undefined;
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

const runAt = ({ id, attempt, startedAt }: FakeAttempt): PullRequestRun => ({
  id,
  attempt,
  startedAt: new Date(startedAt),
  headSha: sha,
  headBranch: 'faster',
  headRepository: 'mona/shop',
});
const run = runAt(firstAttempt);

/** Errors that GitHub may answer with, and the code that the gate reports. */
const errorAnswers = [
  ['401', { status: 401, message: 'Bad credentials' }, 'E_GITHUB_TOKEN'],
  ['403', { status: 403, message: 'Resource not accessible by integration' }, 'E_GITHUB_FORBIDDEN'],
  ['404', { status: 404, message: 'Not Found' }, 'E_GITHUB_MISSING'],
  ['429', { status: 429, message: 'You have exceeded a secondary rate limit' }, 'E_GITHUB_LIMIT'],
  ['502', { status: 502, message: 'Bad Gateway' }, 'E_GITHUB_DOWN'],
  ['nothing, and closes the connection', 'reset', 'E_GITHUB_DOWN'],
] as const;

describe('attributing a run to a pull request', () => {
  it('finds the only open pull request with that head', async () => {
    fake.pullRequests = [
      pull(),
      pull({ number: 8, headBranch: 'other' }),
      pull({ number: 9, headRepository: 'eve/shop' }),
    ];
    expect(await host.attribute(run)).toEqual({
      kind: 'one',
      pullRequest: { number: 7, headSha: sha, headRepository: 'mona/shop', baseBranch: 'main' },
    });
  });

  it.each([
    ['a pull request with a newer head', pull({ headSha: otherSha })],
    ['a closed pull request', pull({ state: 'closed' })],
    ['a deleted fork', pull({ headRepository: null })],
    ['another repository of the same owner', pull({ headRepository: 'mona/shop-2' })],
  ])('finds nothing for %s', async (_, present) => {
    fake.pullRequests = [present];
    expect(await host.attribute(run)).toEqual({ kind: 'none' });
  });

  it('does not choose between two pull requests with the same head', async () => {
    fake.pullRequests = [pull(), pull({ number: 8 })];
    expect(await host.attribute(run)).toMatchObject({
      kind: 'several',
      pullRequests: [{ number: 7 }, { number: 8 }],
    });
  });

  it('chooses by branch if two pull requests have the same commit', async () => {
    fake.pullRequests = [pull(), pull({ number: 8, headBranch: 'same-commit' })];
    expect(await host.attribute({ ...run, headBranch: 'same-commit' })).toMatchObject({
      kind: 'one',
      pullRequest: { number: 8 },
    });
  });

  it('only attributes the newest attempt', async () => {
    fake.pullRequests = [pull()];
    const again = runAt(fake.rerun());
    expect(await host.attribute(run)).toEqual({ kind: 'overtaken' });
    expect(await host.attribute(again)).toMatchObject({ kind: 'one' });
  });

  it('fails for a run that GitHub does not know', async () => {
    await expect(host.attribute({ ...run, id: 43 })).rejects.toMatchObject({
      details: { code: 'E_GITHUB_MISSING' },
    });
  });

  describe.each([
    ['the open pull requests', /pulls$/],
    ['the newest attempt', /runs\/42$/],
  ] as const)('when the gate asks for %s,', (_asked, path) => {
    it.each(errorAnswers)('fails if GitHub answers %s', async (_, answer, code) => {
      fake.pullRequests = [pull()];
      fake.failures = [{ method: 'GET', path, times: 99, answer }];
      await expect(host.attribute(run)).rejects.toMatchObject({ details: { code } });
    });
  });

  it('searches all pages', async () => {
    fake.pullRequests = [
      ...Array.from({ length: 250 }, (_, index) => pull({ number: 100 + index, headSha: otherSha })),
      pull(),
    ];
    expect(await host.attribute(run)).toMatchObject({ kind: 'one', pullRequest: { number: 7 } });
  });

  it.each([...Object.values(hostileNames), 'x&state=closed', 'weiß/ветка', '../../..', '%2e%2e', 'a:b'])(
    'treats the branch name %s as plain text',
    async (headBranch) => {
      fake.pullRequests = [pull({ headBranch })];
      expect(await host.attribute({ ...run, headBranch })).toMatchObject({ kind: 'one' });
    },
  );
});

describe('the comment', () => {
  const pullRequest = { number: 7, headSha: sha, headRepository: 'mona/shop', baseBranch: 'main' };
  const request: CommentRequest = { pullRequest, marker, body: `${marker}\nslower`, create: true };

  beforeEach(() => {
    fake.pullRequests = [pull()];
  });

  it('is created once, then updated, and left alone if nothing changed', async () => {
    expect(await host.putComment(request)).toMatchObject({ kind: 'created', author });
    expect(await host.putComment(request)).toMatchObject({ kind: 'unchanged' });
    expect(await host.putComment({ ...request, body: `${marker}\nfaster` })).toMatchObject({
      kind: 'updated',
    });
    expect(fake.commentsOn(7)).toMatchObject([{ body: `${marker}\nfaster` }]);
  });

  it('is not created if none is wanted, but an existing one is updated', async () => {
    expect(await host.putComment({ ...request, create: false })).toEqual({ kind: 'not-wanted' });
    await host.putComment(request);
    expect(await host.putComment({ ...request, create: false, body: `${marker}\nas it was` })).toMatchObject({
      kind: 'updated',
    });
  });

  it('never replaces a comment of another author, or one that only quotes the marker', async () => {
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

  it('is found after 1,000 other comments, and its duplicates are deleted', async () => {
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
    ['a 502 after the write', { status: 502, message: 'Bad Gateway' }],
    ['a 500 after the write', { status: 500, message: 'Server Error' }],
    ['a connection reset after the write', 'reset'],
  ] as const)('exists once after %s', async (_, answer) => {
    fake.failures = [{ method: 'POST', path: post, times: 1, performed: true, answer }];
    expect(await host.putComment(request)).toMatchObject({ kind: 'unchanged' });
    expect(fake.commentsOn(7)).toHaveLength(1);
    expect(fake.count('POST')).toBe(1);
  });

  it.each([
    ['a 502', { status: 502, message: 'Bad Gateway' }],
    ['a connection reset', 'reset'],
  ] as const)('exists once after %s before the write', async (_, answer) => {
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
      'rate limit that resets soon',
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

  it.each([
    ['GET', 429],
    ['GET', 403],
    ['POST', 429],
    ['POST', 403],
    ['PATCH', 429],
    ['PATCH', 403],
  ] as const)('repeats a limited %s (%d) only after the time that GitHub names', async (method, status) => {
    if (method === 'PATCH') await host.putComment({ ...request, body: `${marker}\nas it was` });
    const answer = {
      status,
      message: 'You have exceeded a secondary rate limit',
      headers: { 'retry-after': '40' },
    };
    fake.failures = [{ method, path: /comments/, times: 1, answer }];
    const started = performance.now();
    expect(await host.putComment(request)).toMatchObject({
      kind: method === 'PATCH' ? 'updated' : 'created',
    });
    // The test shortens each second to 5 ms.
    expect(performance.now() - started).toBeGreaterThan(200);
    expect(notes.join()).toContain('waiting 40 s');
    expect(fake.requests.filter((one) => one.startsWith(method) && one.includes('comments'))).toHaveLength(2);
  });

  it('fails at once if a limit lasts longer than a job should wait', async () => {
    const answer = {
      status: 403,
      message: 'You have exceeded a secondary rate limit',
      headers: { 'retry-after': '3600' },
    };
    fake.failures = [{ method: 'POST', path: post, times: 99, answer }];
    await expect(host.putComment(request)).rejects.toMatchObject({ details: { code: 'E_GITHUB_LIMIT' } });
    expect(notes.join()).toContain('not waiting 3600 s');
    expect(fake.count('POST')).toBe(1);
  });

  it.each([
    ['while GitHub does not answer', 'silence'],
    ['while GitHub is down', { status: 502, message: 'Bad Gateway' }],
  ] as const)(
    'stops with the reason, and sends no more requests, if the job is cancelled %s',
    async (_, answer) => {
      const cancelled = new AbortController();
      const reason = new Error('cancelled');
      fake.failures = [{ method: 'GET', path: post, times: 99, answer }];
      const ended = expect(connect(cancelled.signal).putComment(request)).rejects.toBe(reason);
      await expect.poll(() => fake.requests).not.toEqual([]);
      cancelled.abort(reason);
      const requestCount = fake.requests.length;
      await ended;
      expect(fake.requests.length).toBeLessThanOrEqual(requestCount + 1);
    },
  );

  it('stops with the reason if the job is cancelled before it checks whether the write succeeded', async () => {
    const cancelled = new AbortController();
    const reason = new Error('cancelled');
    fake.failures = [
      { method: 'POST', path: post, times: 99, answer: { status: 502, message: 'Bad Gateway' } },
    ];
    const ended = expect(connect(cancelled.signal, 60_000).putComment(request)).rejects.toBe(reason);
    // Only the pause before that check listens to the signal.
    await expect.poll(() => getEventListeners(cancelled.signal, 'abort')).not.toEqual([]);
    expect(fake.count('POST')).toBe(1);
    cancelled.abort(reason);
    await ended;
  });

  it('is refused without an error if the token is read-only', async () => {
    fake.readOnly = true;
    expect(await host.putComment(request)).toEqual({
      kind: 'refused',
      cause: expect.stringContaining('not accessible'),
    });
    expect(fake.count('POST')).toBe(1);
  });

  it.each([
    [404, 'E_GITHUB_MISSING', { ...request, pullRequest: { ...pullRequest, number: 99 } }, 0],
    [422, 'E_GITHUB_REQUEST', { ...request, body: `${marker}\n${'x'.repeat(70_000)}` }, 1],
  ])('fails without a retry on a %d', async (_, code, given, writes) => {
    await expect(host.putComment(given)).rejects.toMatchObject({ details: { code } });
    expect(fake.count('POST')).toBe(writes);
  });

  describe.each([
    ['created', []],
    ['updated', [{ id: 1, issue: 7, author, body: `${marker}\nfaster` }]],
  ] as const)('is not %s', (_, comments) => {
    it.each([
      ['the head moved', { headSha: otherSha }],
      ['the pull request was closed', { state: 'closed' }],
      ['another fork has that head', { headRepository: 'eve/shop' }],
    ] as const)('if %s while the gate searched the comments', async (_reason, changes) => {
      fake.comments = [...comments];
      const answer = {
        status: 429,
        message: 'You have exceeded a secondary rate limit',
        headers: { 'retry-after': '1' },
      };
      fake.failures = [{ method: 'GET', path: /comments$/, times: 1, answer }];
      whenNoted = () => {
        fake.pullRequests = [pull(changes)];
      };
      expect(await host.putComment(request)).toEqual({ kind: 'outdated' });
      expect(fake.comments).toEqual(comments);
    });
  });

  describe('that already exists', () => {
    const patch = /\/comments\/1$/;
    const outages = [
      ['a 502', { status: 502, message: 'Bad Gateway' }],
      ['a 500', { status: 500, message: 'Server Error' }],
      ['a connection reset', 'reset'],
    ] as const;

    beforeEach(() => {
      fake.comments = [{ id: 1, issue: 7, author, body: `${marker}\nfaster` }];
    });

    it.each(outages)('is updated once after %s', async (_, answer) => {
      fake.failures = [{ method: 'PATCH', path: patch, times: 2, answer }];
      expect(await host.putComment(request)).toMatchObject({ kind: 'updated' });
      expect(fake.commentsOn(7)).toMatchObject([{ id: 1, body: request.body }]);
    });

    it.each(outages)('is up to date after %s that follows the write', async (_, answer) => {
      fake.failures = [{ method: 'PATCH', path: patch, times: 1, performed: true, answer }];
      expect(await host.putComment(request)).toMatchObject({ kind: 'updated' });
      expect(fake.commentsOn(7)).toMatchObject([{ id: 1, body: request.body }]);
      expect(fake.count('POST')).toBe(0);
    });

    it('stays unchanged and fails if GitHub stays down', async () => {
      fake.failures = [{ method: 'PATCH', path: patch, times: 99, answer: outages[0][1] }];
      await expect(host.putComment(request)).rejects.toMatchObject({ details: { code: 'E_GITHUB_DOWN' } });
      expect(fake.commentsOn(7)).toMatchObject([{ id: 1, body: `${marker}\nfaster` }]);
    });

    it.each([
      ['is already deleted', { status: 404, message: 'Not Found' }, 0],
      ['is protected from deletion', { status: 403, message: 'Resource not accessible by integration' }, 1],
      ['cannot be deleted', { status: 502, message: 'Bad Gateway' }, 1],
      ['cannot be reached', 'reset', 1],
    ] as const)('is updated although a duplicate of it %s', async (_, answer, noteCount) => {
      fake.comments.push({ id: 2, issue: 7, author, body: `${marker}\nold` });
      fake.failures = [{ method: 'DELETE', path: /\/comments\/2$/, times: 99, answer }];
      expect(await host.putComment(request)).toMatchObject({ kind: 'updated' });
      expect(fake.commentsOn(7)[0]).toMatchObject({ id: 1, body: request.body });
      expect(notes.filter((one) => one.includes('duplicate comment 2'))).toHaveLength(noteCount);
    });
  });

  describe.each([
    ['created', []],
    ['updated', [{ id: 1, issue: 7, author, body: `${marker}\nfaster` }]],
  ] as const)('is not %s', (_, comments) => {
    const putAfterAnswer = (answer: (typeof errorAnswers)[number][1]) => {
      fake.comments = [...comments];
      fake.failures = [{ method: 'GET', path: /pulls\/7$/, times: 99, answer }];
      return host.putComment(request);
    };
    afterEach(() => expect(fake.comments).toEqual(comments));

    it.each(errorAnswers.filter(([status]) => status === '401' || status === '403'))(
      'if the token gets a %s for the pull request',
      async (_status, answer) => {
        expect(await putAfterAnswer(answer)).toMatchObject({ kind: 'refused' });
      },
    );

    it.each(errorAnswers.filter(([status]) => status !== '401' && status !== '403'))(
      'if GitHub answers %s for the pull request',
      async (_status, answer, code) => {
        await expect(putAfterAnswer(answer)).rejects.toMatchObject({ details: { code } });
      },
    );
  });

  it('fails if GitHub stays down', async () => {
    fake.failures = [
      { method: 'POST', path: post, times: 99, answer: { status: 502, message: 'Bad Gateway' } },
    ];
    await expect(host.putComment(request)).rejects.toMatchObject({ details: { code: 'E_GITHUB_DOWN' } });
    expect(fake.count('POST')).toBe(4);
    expect(fake.comments).toEqual([]);
  });

  it('is created again if somebody deletes it before the update', async () => {
    await host.putComment(request);
    fake.failures = [
      { method: 'PATCH', path: /comments/, times: 1, answer: { status: 404, message: 'Not Found' } },
    ];
    expect(await host.putComment({ ...request, body: `${marker}\nagain` })).toMatchObject({
      kind: 'updated',
    });
    expect(fake.commentsOn(7)).toHaveLength(1);
  });

  it('is written although some reads fail', async () => {
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
  const read = (of = run) => host.readArtifact(of, 'perf-gate-report', 'report.json');

  it('is the newest one of that name in that run', async () => {
    fake.artifacts = [
      { ...(await artifact('"newer"')), id: 10, createdAt: '2026-01-01T00:06:00Z' },
      await artifact('"older"'),
      { ...(await artifact('"other run"')), id: 13, runId: 43 },
      { ...(await artifact('"other name"')), id: 14, name: 'perf-gate-report-2' },
    ];
    expect(await read()).toMatchObject({ text: '"newer"' });
  });

  it('belongs to that attempt of the run, in any order and numbering of the artifacts', async () => {
    const again = fake.rerun();
    const first = { ...(await artifact('"first"')), id: 12 };
    const second = { ...(await artifact('"second"')), createdAt: minutesInto(again) };
    for (const artifacts of [
      [first, second],
      [second, first],
    ]) {
      fake.artifacts = artifacts;
      expect(await read(runAt(again))).toMatchObject({
        text: '"second"',
        place: 'artifact perf-gate-report of run 42, attempt 2: report.json',
      });
    }
  });

  it('of an earlier attempt is not used for an attempt that uploaded none', async () => {
    fake.artifacts = [await artifact()];
    await expect(read(runAt(fake.rerun()))).rejects.toMatchObject({
      details: { code: 'E_ARTIFACT_MISSING', cause: 'this attempt kept no such artifact' },
    });
  });

  it.each([
    ['missing', 'E_ARTIFACT_MISSING', { runId: 43 }],
    ['of another head', 'E_ARTIFACT_MISSING', { headSha: otherSha }],
    ['expired', 'E_ARTIFACT_MISSING', { expired: true }],
    ['without a creation time', 'E_ARTIFACT_MISSING', { createdAt: null }],
    ['too large by its declared size', 'E_ARTIFACT_SIZE', { claimedBytes: 9_000_000 }],
    ['larger than it declares', 'E_ARTIFACT_SIZE', { archive: Buffer.alloc(9_000_000), claimedBytes: 100 }],
    [
      'different from the digest that GitHub lists',
      'E_ARTIFACT_DIGEST',
      { claimedDigest: `sha256:${'0'.repeat(64)}` },
    ],
    ['not an archive', 'E_ARTIFACT_HOSTILE', { archive: Buffer.from('hello') }],
  ])('is rejected if it is %s', async (_, code, changes) => {
    fake.artifacts = [{ ...(await artifact()), ...changes }];
    await expect(read()).rejects.toMatchObject({ details: { code } });
  });

  it.each(errorAnswers)('fails if GitHub answers %s', async (_, answer, code) => {
    fake.artifacts = [await artifact()];
    for (const path of [/artifacts$/, /zip$/]) {
      fake.failures = [{ method: 'GET', path, times: 99, answer }];
      await expect(read()).rejects.toMatchObject({ details: { code } });
    }
  });

  it('is missing if it expires between the listing and the download', async () => {
    fake.artifacts = [await artifact()];
    const answer = { status: 410, message: 'Artifact has expired' };
    fake.failures = [{ method: 'GET', path: /zip$/, times: 1, answer }];
    await expect(read()).rejects.toMatchObject({ details: { code: 'E_ARTIFACT_MISSING' } });
  });

  it.each([
    ['answers with an error', { status: 503, message: 'down' }],
    ['closes the connection', 'reset'],
  ] as const)('fails if the storage %s', async (_, answer) => {
    fake.artifacts = [await artifact()];
    fake.failures = [{ method: 'GET', path: /^\/blob/, times: 99, answer }];
    await expect(read()).rejects.toMatchObject({ details: { code: 'E_ARTIFACT_DOWNLOAD' } });
  });
});

it('lists the files of a pull request, a renamed one by both names', async () => {
  fake.files = [
    { filename: 'perf/journey.js', status: 'modified' },
    { filename: '.github/workflows/new.yml', status: 'added' },
    { filename: 'perf/moved.js', previous_filename: 'docs/moved.js', status: 'renamed' },
  ];
  expect(
    await host.changedFiles({ number: 7, headSha: sha, headRepository: 'mona/shop', baseBranch: 'main' }),
  ).toEqual([
    { path: 'perf/journey.js', inBase: true },
    { path: '.github/workflows/new.yml', inBase: false },
    { path: 'docs/moved.js', inBase: true },
    { path: 'perf/moved.js', inBase: false },
  ]);
});

describe('behind a proxy', () => {
  const pullRequest = { number: 7, headSha: sha, headRepository: 'mona/shop', baseBranch: 'main' };
  const request: CommentRequest = { pullRequest, marker, body: `${marker}\nslower`, create: true };
  let proxy: FakeProxy;

  const through = (apiUrl: string): CodeHost => connect(undefined, undefined, apiUrl);

  beforeEach(async () => {
    proxy = await FakeProxy.start(fake.url);
    vi.stubEnv('http_proxy', `http://${proxy.host}`);
    vi.stubEnv('no_proxy', 'elsewhere.example.invalid');
    fake.pullRequests = [pull()];
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await proxy.stop();
  });

  it('creates a comment through the proxy', async () => {
    expect(await through('http://api.example.invalid').putComment(request)).toMatchObject({
      kind: 'created',
    });
    expect(fake.commentsOn(7)).toMatchObject([{ body: request.body }]);
    expect(new Set(proxy.connections)).toEqual(new Set(['api.example.invalid:80']));
  });

  it('reads an artifact through the proxy, also from its storage, and sends the token only to GitHub', async () => {
    fake.storageUrl = 'http://storage.example.invalid';
    const archive = await archiveOf({ name: 'report.json', content: '"far"' });
    fake.artifacts = [{ id: 11, name: 'perf-gate-report', runId: 42, headSha: sha, archive }];
    const github = through('http://api.example.invalid');
    expect(await github.readArtifact(run, 'perf-gate-report', 'report.json')).toMatchObject({
      text: '"far"',
    });
    expect(new Set(proxy.connections)).toEqual(
      new Set(['api.example.invalid:80', 'storage.example.invalid:80']),
    );
  });

  it("sends the proxy's user name and password", async () => {
    vi.stubEnv('http_proxy', `http://mona:p%40ss@${proxy.host}`);
    await through('http://api.example.invalid').putComment(request);
    expect(new Set(proxy.credentials)).toEqual(
      new Set([`Basic ${Buffer.from('mona:p@ss').toString('base64')}`]),
    );
  });

  it('does not wait for an answer if the job is cancelled', async () => {
    const cancelled = new AbortController();
    const reason = new Error('cancelled');
    fake.failures = [{ method: 'GET', path: /comments$/, times: 99, answer: 'silence' }];
    const github = connect(cancelled.signal, undefined, 'http://api.example.invalid');
    const ended = expect(github.putComment(request)).rejects.toBe(reason);
    await expect.poll(() => fake.requests).not.toEqual([]);
    cancelled.abort(reason);
    await ended;
  });

  it('fails if the proxy is down', async () => {
    await proxy.stop();
    await expect(through('http://api.example.invalid').putComment(request)).rejects.toMatchObject({
      details: { code: 'E_GITHUB_DOWN', cause: expect.stringContaining('ECONNREFUSED') },
    });
  });

  it('connects directly to a server that no_proxy names', async () => {
    // This address reaches this machine, but is not a loopback address, which would bypass the proxy anyway.
    const direct = new URL(fake.url);
    direct.hostname = '0.0.0.0';
    vi.stubEnv('no_proxy', 'elsewhere.example.invalid, 0.0.0.0');
    expect(await through(direct.origin).putComment(request)).toMatchObject({ kind: 'created' });
    expect(proxy.connections).toEqual([]);
  });
});
