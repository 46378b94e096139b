import { describe, expect, it } from 'vitest';
import { mayWriteCache, readGitHubJob } from './github-event.ts';

const sha = 'a'.repeat(40);
const read = (name: string, event: unknown, repository = 'octo/shop') =>
  readGitHubJob({ GITHUB_REPOSITORY: repository, GITHUB_EVENT_NAME: name, GITHUB_RUN_ID: '42' }, event);
const baseSha = 'b'.repeat(40);
const pull = (repo: unknown, changes: object = {}) => ({
  pull_request: { number: 7, head: { sha, repo, ...changes }, base: { sha: baseSha, ref: 'main' } },
});
const queued = (base: unknown = baseSha) => ({
  action: 'checks_requested',
  merge_group: {
    head_sha: sha,
    head_ref: 'refs/heads/gh-readonly-queue/main/pr-7-x',
    base_sha: base,
    base_ref: 'refs/heads/main',
  },
  repository: { full_name: 'octo/shop', default_branch: 'main' },
});
const comment = (changes: object = {}) => ({
  action: 'created',
  issue: { number: 7, pull_request: {} },
  comment: {
    id: 9,
    body: '/perf-gate accept x',
    created_at: '2026-01-01T00:00:00Z',
    user: { login: 'mona' },
  },
  repository: { full_name: 'octo/shop', default_branch: 'main' },
  ...changes,
});
const run = (changes: object = {}) => ({
  workflow_run: {
    id: 42,
    run_attempt: 2,
    run_started_at: '2026-01-01T00:00:00Z',
    event: 'pull_request',
    conclusion: 'success',
    head_sha: sha,
    head_branch: 'x',
    head_repository: { full_name: 'mona/shop' },
    ...changes,
  },
});
const push = (ref: string, changes: object = {}) => ({
  ref,
  repository: { full_name: 'octo/shop', default_branch: 'main' },
  ...changes,
});

describe('what set a job going', () => {
  it('is reported with its page', () => {
    expect(read('schedule', {})).toEqual({
      apiUrl: 'https://api.github.com',
      owner: 'octo',
      name: 'shop',
      repositoryUrl: 'https://github.com/octo/shop',
      runUrl: 'https://github.com/octo/shop/actions/runs/42',
      defaultBranch: 'main',
      trigger: { kind: 'other', name: 'schedule', onDefaultBranch: false },
    });
  });

  it.each([
    ['this repository', { full_name: 'octo/shop' }, {}],
    ['a fork', { full_name: 'mona/shop' }, { fork: 'mona/shop' }],
    ['a fork that is gone', null, { fork: 'a deleted fork' }],
  ])('is a pull request from %s', (_, repo, fork) => {
    const { trigger } = read('pull_request', pull(repo));
    expect(trigger).toMatchObject({
      kind: 'pull-request',
      pullRequest: { number: 7, headSha: sha },
      baseSha,
      ...fork,
    });
    expect('fork' in trigger).toBe('fork' in fork);
  });

  it.each([
    ['the default branch', push('refs/heads/main'), true],
    ['another branch', push('refs/heads/main2'), false],
    ['a tag of that name', push('refs/tags/main'), false],
    ['a branch that was deleted', push('refs/heads/main', { deleted: true }), false],
    [
      'another repository',
      push('refs/heads/main', { repository: { full_name: 'mona/shop', default_branch: 'main' } }),
      false,
    ],
  ])('is a push to %s', (_, event, toDefaultBranch) => {
    expect(read('push', event).trigger).toMatchObject({ kind: 'push', toDefaultBranch });
  });

  it('is an entry of a merge queue, with what it is merged onto', () => {
    expect(read('merge_group', queued()).trigger).toEqual({ kind: 'merge-group', baseSha });
  });

  it('is the end of a run of a pull request, and of no other', () => {
    expect(read('workflow_run', run()).trigger).toEqual({
      kind: 'workflow-run',
      run: {
        id: 42,
        attempt: 2,
        startedAt: new Date('2026-01-01T00:00:00Z'),
        headSha: sha,
        headBranch: 'x',
        headRepository: 'mona/shop',
      },
    });
    for (const event of ['push', 'merge_group']) {
      expect(read('workflow_run', run({ event })).trigger).toEqual({ kind: 'workflow-run', run: undefined });
    }
  });

  it.each([
    ['no repository', 'push', push('refs/heads/main'), ''],
    ['a repository that is none', 'push', push('refs/heads/main'), 'octo/shop/../x'],
    ['a sha that is none', 'pull_request', pull(null, { sha: '$(id)' }), 'octo/shop'],
    [
      'a base that is none',
      'pull_request',
      { pull_request: { number: 7, head: { sha, repo: null }, base: { sha: '--upload-pack=x' } } },
      'octo/shop',
    ],
    [
      'a number that is none',
      'pull_request',
      { pull_request: { number: '7', head: { sha, repo: null }, base: { sha: baseSha, ref: 'main' } } },
      'octo/shop',
    ],
    ['a base of a merge queue that is none', 'merge_group', queued('main:main'), 'octo/shop'],
    ['no event', 'workflow_run', {}, 'octo/shop'],
    ['an attempt that is none', 'workflow_run', run({ run_attempt: 0 }), 'octo/shop'],
    ['an attempt without a beginning', 'workflow_run', run({ run_started_at: 'today' }), 'octo/shop'],
    [
      'a fork with a name that is none',
      'workflow_run',
      run({ head_repository: { full_name: 'a b' } }),
      'octo/shop',
    ],
  ])('is refused with %s', (_, name, event, repository) => {
    expect(() => read(name, event, repository)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code: 'E_GITHUB_EVENT' }) }),
    );
  });
});

it.each([
  ['this repository', { full_name: 'octo/shop' }],
  ['a fork', { full_name: 'mona/shop' }],
])('measures nothing for pull_request_target from %s', (_, repo) => {
  expect(() => read('pull_request_target', pull(repo))).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code: 'E_PULL_REQUEST_TARGET' }) }),
  );
});

describe('a comment', () => {
  it('is one on a pull request, as it was written', () => {
    expect(read('issue_comment', comment()).trigger).toEqual({
      kind: 'comment',
      comment: {
        id: 9,
        number: 7,
        body: '/perf-gate accept x',
        author: 'mona',
        at: new Date('2026-01-01T00:00:00Z'),
      },
    });
  });

  it.each([
    ['was edited', { action: 'edited' }],
    ['is on an issue', { issue: { number: 7 } }],
  ])('does not count if it %s', (_, changes) => {
    expect(read('issue_comment', comment(changes)).trigger.kind).toBe('other');
  });
});

describe('the cache', () => {
  const mayWrite = (name: string, event: unknown, ref = 'refs/heads/main') =>
    mayWriteCache(
      readGitHubJob({ GITHUB_REPOSITORY: 'octo/shop', GITHUB_EVENT_NAME: name, GITHUB_REF: ref }, event)
        .trigger,
    );
  const known = { repository: { full_name: 'octo/shop', default_branch: 'main' } };

  it.each([
    ['push', push('refs/heads/main'), 'refs/heads/main'],
    ['pull_request', pull({ full_name: 'octo/shop' }), 'refs/pull/7/merge'],
    ['workflow_dispatch', known, 'refs/heads/main'],
    ['schedule', known, 'refs/heads/main'],
  ])('is written for a %s of this repository', (name, event, ref) => {
    expect(mayWrite(name, event, ref)).toBe(true);
  });

  it.each([
    ['push', push('refs/heads/other'), 'refs/heads/other'],
    ['push', push('refs/tags/v1'), 'refs/tags/v1'],
    ['pull_request', pull({ full_name: 'mona/shop' }), 'refs/pull/7/merge'],
    ['workflow_dispatch', known, 'refs/heads/other'],
    ['workflow_run', run(), 'refs/heads/main'],
    ['merge_group', queued(), 'refs/heads/gh-readonly-queue/main/pr-7-x'],
    ['issue_comment', comment(), 'refs/heads/main'],
    ['issues', known, 'refs/heads/main'],
  ])('is only read for a %s of anything else', (name, event, ref) => {
    expect(mayWrite(name, event, ref)).toBe(false);
  });
});
