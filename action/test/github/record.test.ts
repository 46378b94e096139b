import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readGitHubJob } from '../../src/entry/github/github-event.ts';
import { readRecordInputs } from '../../src/entry/github/inputs.ts';
import { StepAnnotations } from '../../src/entry/github/step-annotations.ts';
import { acceptanceLine } from '../../src/entry/publish/acceptance.ts';
import { recordAction } from '../../src/entry/record/record-action.ts';
import { Fault } from '../../src/model/fault.ts';
import type { Run } from '../../src/model/run.ts';
import { commentMarker } from '../../src/report/index.ts';
import { git, Remote } from '../contract/git-repositories.ts';
import { buildRun } from '../contract/run-builder.ts';
import { dispatchEvent, pushEvent, workflowRunEvent } from '../e2e/events.ts';
import type { RunnerEvent } from '../e2e/runner.ts';
import { archiveOf } from './archive.ts';
import { FakeGitHub, firstAttempt } from './fake-github.ts';
import { quickPace } from './quick-pace.ts';

const branch = 'perf-gate-baseline';
let github: FakeGitHub;
let remote: Remote;
let checkout: string;
let commit: string;

beforeEach(async () => {
  github = await FakeGitHub.start();
  remote = await Remote.create();
  checkout = remote.clone();
  commit = git(checkout, ['rev-parse', 'HEAD']);
  mkdirSync(join(checkout, 'perf'));
  const config = await readFile(join(import.meta.dirname, '../e2e/tiny/gate.yml'), 'utf8');
  writeFileSync(
    join(checkout, 'perf/gate.yml'),
    config.replace('cells: [browse@few, browse@more]', 'cells: [browse@few]'),
  );
  writeFileSync(join(remote.home, 'output'), '');
  vi.stubEnv('GITHUB_OUTPUT', join(remote.home, 'output'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await github.stop();
  expect(github.violations).toEqual([]);
});

function runOf(more: Partial<Run> = {}): Run {
  const run = buildRun(1, { id: '20260101-000000-abcdef', code: { commit, branch: '', dirty: false } });
  return {
    ...run,
    cells: run.cells.map((cell) => ({ ...cell, scenario: 'browse', load: 'few', vus: 2 })),
    ...more,
  };
}

async function upload(run: Run, changes: object = {}, headSha = commit): Promise<void> {
  const content = JSON.stringify({ schema: 3, vuFactor: 1, seconds: 1, run, ...changes });
  const archive = await archiveOf({ name: 'report.json', content });
  github.artifacts = [{ id: 1, name: 'perf-gate-baseline', runId: firstAttempt.id, headSha, archive }];
}

/** Returns the exit code, or the error code of a fault. */
async function record(event: RunnerEvent = pushEvent(), ref = 'refs/heads/main'): Promise<number | string> {
  const given: Record<string, string> = {
    config: 'perf/gate.yml',
    suite: 'pr',
    artifact: 'perf-gate-baseline',
    'baseline-branch': branch,
    'github-token': 't',
    'comment-author': 'github-actions[bot]',
  };
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    GITHUB_REPOSITORY: 'octo/shop',
    GITHUB_EVENT_NAME: event.name,
    GITHUB_API_URL: github.url,
    GITHUB_RUN_ID: String(firstAttempt.id),
    GITHUB_RUN_ATTEMPT: '2',
    GITHUB_SHA: commit,
    GITHUB_REF: ref,
    GITHUB_WORKSPACE: checkout,
  };
  try {
    return await recordAction({
      inputs: readRecordInputs((name) => given[name] ?? ''),
      job: readGitHubJob(env, event.payload),
      env,
      annotations: new StepAnnotations(),
      signal: new AbortController().signal,
      pace: quickPace(),
    });
  } catch (error) {
    if (error instanceof Fault) return error.details.code;
    throw error;
  }
}

/** Adds a commit to the default branch and checks it out. */
function commitOnMain(): string {
  const tree = git(checkout, ['rev-parse', 'HEAD^{tree}']);
  const added = remote.commitOn('main', tree, [git(checkout, ['rev-parse', 'HEAD'])]);
  git(checkout, ['pull', '--quiet', '--ff-only']);
  return added;
}

const stored = () => Object.values(remote.files(branch)).join('\n');

describe('recording what another job measured', () => {
  it('adds the run to the branch, with the commit and branch that GitHub names', async () => {
    await upload(runOf());
    expect(await record()).toBe(0);
    expect(stored()).toContain('20260101-000000-abcdef');
    expect(stored()).toContain(commit);
    expect(stored()).toMatch(/"branch": ?"main"/);
  });

  describe('that somebody accepted', () => {
    const head = 'b'.repeat(40);
    const row = { cell: 'browse@few', metric: 'p95', ceiling: 0.5 };
    const acceptance = { head, until: '2026-01-01', reason: 'an index', by: 'mona' };
    const said = (about: string, author = 'github-actions[bot]', rows = 1) => ({
      id: 1,
      issue: 8,
      author,
      body: [
        commentMarker('perf/gate.yml', 'pr'),
        acceptanceLine({ ...acceptance, head: about, rows: Array.from({ length: rows }, () => row) }),
        'Accepted',
      ].join('\n'),
    });

    const pull = {
      number: 8,
      state: 'closed',
      headSha: head,
      headBranch: 'x',
      headRepository: 'octo/shop',
    } as const;

    beforeEach(() => {
      github.pullRequests = [{ ...pull, mergedAs: commit }];
    });

    it('keeps that with the run, however long ago it was', async () => {
      github.comments = [said(head)];
      await upload(runOf());
      expect(await record()).toBe(0);
      expect(stored()).toMatch(
        /"accepted":\s*\[\{"cell":"browse@few","metric":"p95","reason":"an index","by":"mona"\}\]/,
      );
    });

    it('keeps what came with a commit that has no run of its own', async () => {
      github.pullRequests = [];
      await upload(runOf());
      expect(await record()).toBe(0);
      const unmeasured = commitOnMain();
      github.pullRequests = [{ ...pull, mergedAs: unmeasured }];
      github.comments = [said(head)];
      commit = commitOnMain();
      await upload(runOf({ id: '20260102-000000-abcdef' }));
      expect(await record()).toBe(0);
      expect(stored().match(/"an index"/g)).toHaveLength(1);
      // The run after that one starts no new level.
      commit = commitOnMain();
      await upload(runOf({ id: '20260103-000000-abcdef' }));
      expect(await record()).toBe(0);
      expect(stored()).toContain('20260103-000000-abcdef');
      expect(stored().match(/"an index"/g)).toHaveLength(1);
    });

    it.each([
      ['was about another head', () => [said('c'.repeat(40))]],
      ['is in the comment of somebody else', () => [said(head, 'eve')]],
      ['is claimed by the run alone', () => []],
    ])('keeps nothing that %s', async (_, comments) => {
      github.comments = comments();
      await upload(runOf({ accepted: [{ cell: '*', metric: 'p95', reason: 'x', by: 'eve' }] }));
      expect(await record()).toBe(0);
      expect(stored()).not.toContain('"accepted"');
    });

    it('is not lost in an outage: the run is recorded once GitHub answers', async () => {
      github.comments = [said(head)];
      const answer = { status: 500, message: 'down' };
      github.failures = [{ method: 'GET', path: /\/commits\//, times: 4, answer }];
      await upload(runOf());
      expect(await record()).toBe('E_GITHUB_DOWN');
      expect(remote.files(branch)).toEqual({});
      expect(await record()).toBe(0);
      expect(stored()).toContain('"an index"');
    });

    it('starts no new level if the commit is measured again after later ones', async () => {
      github.pullRequests = [];
      const before = commit;
      await upload(runOf());
      expect(await record()).toBe(0);
      const merged = commitOnMain();
      github.pullRequests = [{ ...pull, mergedAs: merged }];
      github.comments = [said(head)];
      commit = commitOnMain();
      await upload(runOf({ id: '20260102-000000-abcdef' }));
      expect(await record()).toBe(0);
      for (const [index, again] of [merged, before].entries()) {
        commit = again;
        await upload(runOf({ id: `20260103-00000${index}-abcdef` }));
        expect(await record()).toBe(0);
      }
      expect(stored()).toContain('20260103-000001-abcdef');
      expect(stored().match(/"an index"/g)).toHaveLength(1);
    });

    it('keeps no more changes than a run can hold', async () => {
      github.pullRequests = [];
      await upload(runOf());
      expect(await record()).toBe(0);
      const merged = [commitOnMain(), commitOnMain()] as const;
      const comment = said(head, undefined, 150);
      github.pullRequests = merged.map((mergedAs, index) => ({ ...pull, number: 8 + index, mergedAs }));
      github.comments = merged.map((_, index) => ({ ...comment, id: 1 + index, issue: 8 + index }));
      commit = merged[1];
      await upload(runOf({ id: '20260102-000000-abcdef' }));
      expect(await record()).toBe(0);
      expect(stored().match(/"an index"/g)).toHaveLength(200);
    });
  });

  it.each<readonly [string, string, () => Promise<void>]>([
    ['a report of another suite', 'E_REPORT_FOREIGN', () => upload(runOf({ suite: 'peak' }))],
    ['a cell that the suite lacks', 'E_RECORD_FOREIGN', () => upload(otherCells({ load: 'more' }))],
    ['fewer cells than the suite has', 'E_RECORD_FOREIGN', () => upload(runOf({ cells: [] }))],
    ['a cell under another load', 'E_RECORD_FOREIGN', () => upload(otherCells({ vus: 9 }))],
    ['another commit', 'E_RECORD_FOREIGN', () => upload(ofCode({ commit: 'c'.repeat(40) }))],
    ['a changed checkout', 'E_RECORD_FOREIGN', () => upload(ofCode({ dirty: true }))],
    ['a key that reports do not have', 'E_REPORT_CORRUPT', () => upload(runOf(), { baseline: [] })],
    ['an id with a path', 'E_REPORT_FOREIGN', () => upload(runOf({ id: '../../x' }))],
    ['the artifact of another head', 'E_ARTIFACT_MISSING', () => upload(runOf(), {}, 'd'.repeat(40))],
    ['no artifact', 'E_ARTIFACT_MISSING', async () => undefined],
  ])('refuses %s', async (_, code, arrange) => {
    await arrange();
    expect(await record()).toBe(code);
    expect(remote.files(branch)).toEqual({});
  });

  it('takes a run that somebody started by hand on the default branch', async () => {
    await upload(runOf());
    expect(await record(dispatchEvent(), 'refs/heads/topic')).toBe('E_RECORD_TRIGGER');
    expect(await record(dispatchEvent())).toBe(0);
    expect(stored()).toContain('20260101-000000-abcdef');
  });

  it.each([
    ['a push to another branch', pushEvent('refs/heads/topic')],
    [
      'the end of a pull request',
      workflowRunEvent({
        number: 8,
        state: 'open',
        headSha: 'b'.repeat(40),
        headBranch: 'x',
        headRepository: 'mona/shop',
      }),
    ],
  ])('refuses %s before it asks GitHub anything', async (_, event) => {
    await upload(runOf());
    expect(await record(event)).toBe('E_RECORD_TRIGGER');
    expect(github.requests).toEqual([]);
  });

  it('records no invalid run, and says so', async () => {
    await upload(runOf({ invalid: [{ code: 'I_STEAL', cause: 'x', nextStep: 'y' }] }));
    expect(await record()).toBe(0);
    expect(remote.files(branch)).toEqual({});
    expect(await readFile(join(remote.home, 'output'), 'utf8')).toContain('false');
  });

  it('records a run only once', async () => {
    await upload(runOf());
    expect(await record()).toBe(0);
    const before = stored();
    expect(await record()).toBe(0);
    expect(stored()).toBe(before);
  });
});

function otherCells(changes: Partial<Run['cells'][number]>): Run {
  const run = runOf();
  return { ...run, cells: run.cells.map((cell) => ({ ...cell, ...changes })) };
}

function ofCode(changes: Partial<Run['code']>): Run {
  const run = runOf();
  return { ...run, code: { ...run.code, ...changes } };
}
