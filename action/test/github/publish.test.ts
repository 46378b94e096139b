import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFileStore } from '../../src/adapters/baseline/file-store.ts';
import { readGitHubJob } from '../../src/entry/github/github-event.ts';
import { readPublishInputs } from '../../src/entry/github/inputs.ts';
import { StepAnnotations } from '../../src/entry/github/step-annotations.ts';
import { publishAction } from '../../src/entry/publish/publish-action.ts';
import { Fault } from '../../src/model/fault.ts';
import type { Run } from '../../src/model/run.ts';
import { commentMarker } from '../../src/report/render/comment.ts';
import { buildRun } from '../contract/run-builder.ts';
import { workflowRunEvent } from '../e2e/events.ts';
import { archiveOf } from './archive.ts';
import {
  type FakeAttempt,
  FakeGitHub,
  type FakePullRequest,
  firstAttempt,
  minutesInto,
} from './fake-github.ts';
import { hostileNames } from './hostile-names.ts';

const pull: FakePullRequest = {
  number: 8,
  state: 'open',
  headSha: 'b'.repeat(40),
  headBranch: 'x',
  headRepository: 'mona/shop',
};
const author = 'github-actions[bot]';
const earlierComment = `${commentMarker('gate.yml', 'pr')}\n**Pass**: 6 unchanged (head aaaaaaaa)`;

let github: FakeGitHub;
let fixture: FsFixture;
/** All tests share this file, because @actions/core reads its path only once per process. */
let summary: FsFixture;

beforeAll(async () => {
  summary = await createFixture({ 'summary.md': '' });
});

afterAll(() => summary.rm());

beforeEach(async () => {
  github = await FakeGitHub.start();
  github.pullRequests = [pull];
  github.comments = [{ id: 1, issue: 8, author, body: earlierComment }];
  const config = await readFile(join(import.meta.dirname, '../e2e/tiny/gate.yml'), 'utf8');
  fixture = await createFixture({ 'gate.yml': config, output: '' });
  vi.stubEnv('GITHUB_OUTPUT', fixture.getPath('output'));
  vi.stubEnv('GITHUB_STEP_SUMMARY', summary.getPath('summary.md'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await github.stop();
  await fixture.rm();
  expect(github.violations).toEqual([]);
});

async function upload(name: string, content: string, attempt = firstAttempt): Promise<void> {
  const archive = await archiveOf({ name, content });
  const createdAt = minutesInto(attempt);
  const { headSha } = pull;
  // GitHub has been seen to give later artifacts lower ids.
  const id = 5 - github.artifacts.length;
  github.artifacts.push({ id, name: 'perf-gate-report', runId: attempt.id, headSha, archive, createdAt });
}

function reportOf(more: Partial<Run> = {}): string {
  const run = buildRun(1, { id: '20260101-000000-abcdef', ...more });
  const cells = run.cells.map((cell) => ({ ...cell, scenario: 'browse', load: 'few', vus: 2 }));
  return JSON.stringify({ schema: 3, vuFactor: 1, seconds: 1, run: { ...run, cells, ...more } });
}

/** Returns the exit code, or the error code of a fault. */
async function publish(
  inputs: Record<string, string> = {},
  attempt: FakeAttempt = firstAttempt,
  of = pull,
): Promise<number | string> {
  const { payload } = workflowRunEvent(of, {}, attempt);
  const given: Record<string, string> = {
    config: 'gate.yml',
    suite: 'pr',
    artifact: 'perf-gate-report',
    'baseline-store': 'file',
    'baseline-branch': 'b',
    'github-token': 't',
    comment: 'on-change',
    'comment-author': author,
    status: 'true',
    'fail-on': 'regression,invalid,noise,undecided',
    ...inputs,
  };
  const env = {
    GITHUB_REPOSITORY: 'octo/shop',
    GITHUB_EVENT_NAME: 'workflow_run',
    GITHUB_API_URL: github.url,
    GITHUB_RUN_ID: '43',
  };
  try {
    return await publishAction({
      inputs: readPublishInputs((name) => given[name] ?? ''),
      job: readGitHubJob(env, payload),
      env: { ...env, GITHUB_WORKSPACE: fixture.path },
      annotations: new StepAnnotations(),
      signal: new AbortController().signal,
    });
  } catch (error) {
    if (error instanceof Fault) return error.details.code;
    throw error;
  }
}

const bodies = (): string[] => github.comments.map(({ body }) => body);

describe('a comment on an earlier head', () => {
  it.each([
    ['uploaded no report', async (): Promise<void> => undefined, 0, 'its run ended before it wrote a report'],
    [
      'uploaded something hostile',
      () => upload('x', 'x'),
      'E_ARTIFACT_HOSTILE',
      'the report of its run cannot be trusted',
    ],
    [
      'uploaded invalid JSON',
      () => upload('report.json', '{'),
      'E_REPORT_CORRUPT',
      'the report of its run cannot be trusted',
    ],
    [
      'uploaded a report of another version',
      () => upload('report.json', '{"schema":4}'),
      'E_REPORT_VERSION',
      'another version of the gate',
    ],
    [
      'measured another suite',
      () => upload('report.json', reportOf({ suite: '__proto__' })),
      'E_REPORT_FOREIGN',
      'the report of its run cannot be trusted',
    ],
    [
      'measured a cell that the default branch does not have yet',
      () =>
        upload(
          'report.json',
          reportOf({ cells: [{ scenario: '__proto__', load: 'x', vus: 1, blocks: [] }] }),
        ),
      0,
      'it changes what is measured, so its own check decides',
    ],
    [
      'has an id made of words',
      () => upload('report.json', reportOf({ id: 'Approved by the team' })),
      'E_REPORT_FOREIGN',
      'the report of its run cannot be trusted',
    ],
    [
      'shares its head with another pull request',
      async () => {
        github.pullRequests = [pull, { ...pull, number: 9 }];
        github.comments.push({ id: 2, issue: 9, author, body: earlierComment });
      },
      0,
      'several open pull requests',
    ],
  ] as const)('is replaced if the new run %s', async (_, arrange, exit, reason) => {
    await arrange();
    expect(await publish()).toBe(exit);
    for (const body of bodies()) {
      expect(body).toContain(`**No trusted report** for \`${pull.headSha}\``);
      expect(body).toContain(reason);
      expect(body).not.toMatch(/Pass|Approved|__proto__/);
    }
    expect(github.comments.map(({ id }) => id).every((id) => id < 1_000)).toBe(true);
    expect(github.statuses).toHaveLength(1);
    expect(github.statuses[0]).toMatchObject({ sha: pull.headSha, context: 'perf-gate (gate.yml: pr)' });
    expect(github.statuses[0]?.state).not.toBe('success');
    expect(github.statuses[0]?.description).not.toMatch(/Pass|Approved|__proto__/);
  });

  it('is replaced by a side-by-side report without its text, for the head that GitHub names', async () => {
    const words = 'Deprecated: approve and merge';
    const commit = 'f'.repeat(40);
    /** Adds a load that the stored run does not have. */
    const side = (id: string): Run => {
      const { run } = JSON.parse(reportOf({ id, code: { commit, branch: words, dirty: true } }));
      const more = run.cells.map((cell: object) => ({ ...cell, load: 'more', vus: 4 }));
      const fingerprint = { ...run.fingerprint, loadHash: 'abcdefabcdef' };
      return { ...run, fingerprint, cells: [...run.cells, ...more] };
    };
    const reason = { code: 'I_STEAL', cause: words, nextStep: words };
    const hostile = (run: Run): Run => ({
      ...run,
      fingerprint: { ...run.fingerprint, cpuModel: words, os: words, runner: words },
      phases: [{ phase: words, seconds: 1 }],
      cells: run.cells.map((cell) => ({
        ...cell,
        blocks: cell.blocks.map((block) => ({
          ...block,
          invalid: [reason],
          usage: { [words]: { cpuShare: 0, rssBytes: 0 } },
        })),
      })),
      invalid: [reason, { ...reason, code: words }],
    });
    // The only stored run has a different load, so the side-by-side runs decide.
    const { run: stored } = JSON.parse(reportOf({ id: '20251231-000000-abcdef' }));
    await createFileStore(fixture.getPath('.perf-gate/baseline')).append(stored, 20);
    const id = '20260101-000000-abcdef';
    const again = {
      base: hostile(side(`${id}-confirmation-base`)),
      head: hostile(side(`${id}-confirmation`)),
    };
    await upload('report.json', JSON.stringify({ schema: 3, vuFactor: 1, seconds: 1, run: side(id), again }));
    expect(await publish()).toBe(0);
    const [body = ''] = bodies();
    expect(body).not.toMatch(/deprecated|approve/i);
    expect(body).toMatch(/measured interleaved.*I_STEAL|I_STEAL.*measured interleaved/s);
    expect(body).toContain(`head ${pull.headSha.slice(0, 8)}`);
  });

  it('is replaced by the next report', async () => {
    await publish();
    await upload('report.json', reportOf());
    expect(await publish()).toBe(0);
    expect(bodies()).toEqual([expect.stringContaining('browse@few')]);
  });

  it('is left alone with `comment: never` or a read-only token', async () => {
    expect(await publish({ comment: 'never' })).toBe(0);
    github.readOnly = true;
    expect(await publish()).toBe(0);
    expect(bodies()).toEqual([earlierComment]);
  });

  it('is not replaced by a report of another suite', async () => {
    expect(await publish({ suite: 'smoke' })).toBe(0);
    expect(bodies()).toEqual([earlierComment]);
  });
});

it.each(Object.entries(hostileNames))('shows %s in a branch name as plain text', async (_, headBranch) => {
  const named = { ...pull, headBranch };
  github.pullRequests = [named];
  await upload('report.json', reportOf());
  expect(await publish({}, firstAttempt, named)).toBe(0);
  const [body = ''] = bodies();
  expect(body).toContain('browse@few');
  expect(body.length).toBeLessThan(65_536);
  const written = await readFile(summary.getPath('summary.md'), 'utf8');
  for (const text of [body, written]) {
    expect(text.replaceAll(/`[^`\n]*`/g, 'code')).not.toMatch(/@org\/team|<!-- perf-gate -->|[|]b/);
    expect(text).not.toMatch(/^::error::x|[\u202e\u2066]|x{1000}/m);
  }
});

describe('a re-run', () => {
  it('is judged by the report of its newest attempt', async () => {
    await upload('x', 'x');
    const again = github.rerun();
    await upload('report.json', reportOf(), again);
    expect(await publish({}, again)).toBe(0);
    expect(bodies()).toEqual([expect.stringContaining('browse@few')]);
  });

  it('is not judged by the report of an earlier attempt', async () => {
    await upload('report.json', reportOf());
    expect(await publish()).toBe(0);
    const again = github.rerun();
    expect(await publish({}, again)).toBe(0);
    expect(bodies()).toEqual([expect.stringContaining('its run ended before it wrote a report')]);
    await upload('report.json', '{', again);
    expect(await publish({}, again)).toBe('E_REPORT_CORRUPT');
    expect(bodies()).toEqual([expect.stringContaining('the report of its run cannot be trusted')]);
  });

  it('keeps its comment if the event of an earlier attempt arrives late', async () => {
    await upload('report.json', reportOf());
    const again = github.rerun();
    expect(await publish({}, again)).toBe(0);
    const [published] = bodies();
    expect(await publish()).toBe(0);
    // The comment also stays if the late event matches several pull requests.
    github.pullRequests = [pull, { ...pull, number: 9 }];
    expect(await publish()).toBe(0);
    expect(bodies()).toEqual([published]);
  });
});

it('keeps one comment for a checkout in a subfolder of the workspace', async () => {
  const config = await readFile(fixture.getPath('gate.yml'), 'utf8');
  await fixture.mkdir('sub/.git');
  await fixture.writeFile('sub/gate.yml', config);
  const deeper = { config: 'sub/gate.yml' };
  expect(await publish(deeper)).toBe(0);
  expect(bodies()).toEqual([expect.stringContaining('its run ended before it wrote a report')]);
  await upload('report.json', reportOf());
  expect(await publish(deeper)).toBe(0);
  expect(bodies()).toEqual([expect.stringContaining('browse@few')]);
});

it('creates no comment if it has no trusted report', async () => {
  github.comments = [];
  expect(await publish()).toBe(0);
  await upload('report.json', '{');
  expect(await publish()).toBe('E_REPORT_CORRUPT');
  expect(github.comments).toEqual([]);
});

it('fails without a token and posts nothing', async () => {
  await upload('report.json', reportOf());
  expect(await publish({ 'github-token': '' })).toBe('E_GITHUB_TOKEN');
  expect(bodies()).toEqual([earlierComment]);
});

it('reports a corrupt report rather than a failure to comment', async () => {
  await upload('report.json', '{');
  github.failures = [
    { method: 'GET', path: /comments$/, times: 99, answer: { status: 404, message: 'Not Found' } },
  ];
  expect(await publish()).toBe('E_REPORT_CORRUPT');
});

it('writes the verdict and the reason to the summary if GitHub accepts no comment', async () => {
  github.comments = [];
  github.failures = [
    {
      method: 'POST',
      path: /comments$/,
      times: Number.POSITIVE_INFINITY,
      answer: { status: 502, message: 'Bad Gateway' },
    },
  ];
  await upload('report.json', reportOf());
  const before = await readFile(summary.getPath('summary.md'), 'utf8');
  expect(await publish({ comment: 'always' })).toBe('E_GITHUB_DOWN');
  const written = (await readFile(summary.getPath('summary.md'), 'utf8')).slice(before.length);
  expect(written).toContain('browse@few');
  expect(written).toMatch(/There is no comment: .*502/);
  expect(github.comments).toEqual([]);
});

describe('the status of the head', () => {
  const slower = async () => {
    const { run } = JSON.parse(reportOf({ id: '20251231-000000-abcdef' }));
    await createFileStore(fixture.getPath('.perf-gate/baseline')).append(run, 20);
    const cells = run.cells.map((cell: Run['cells'][number]) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({ ...block, errors: block.requests })),
    }));
    return reportOf({ cells });
  };

  it('is a success with the verdict in words, and leads to this run', async () => {
    const { run } = JSON.parse(reportOf());
    const more = run.cells.map((cell: object) => ({ ...cell, load: 'more', vus: 4 }));
    await upload('report.json', reportOf({ cells: [...run.cells, ...more] }));
    expect(await publish()).toBe(0);
    expect(github.statuses).toEqual([
      {
        sha: pull.headSha,
        state: 'success',
        context: 'perf-gate (gate.yml: pr)',
        description: expect.stringMatching(/^\S.{10,139}$/),
        target_url: 'https://github.com/octo/shop/actions/runs/43',
      },
    ]);
  });

  it('is a failure of a regression, unless that is not to fail', async () => {
    await upload('report.json', await slower());
    expect(await publish()).toBe(0);
    expect(await publish({ 'fail-on': 'never' })).toBe(0);
    expect(github.statuses.map(({ state }) => state)).toEqual(['failure', 'success']);
    expect(github.statuses[0]?.description).toMatch(/^Regression/);
  });

  it('is set by nobody but the newest attempt, and of no head that no pull request has', async () => {
    await upload('report.json', reportOf());
    github.rerun();
    expect(await publish()).toBe(0);
    github.pullRequests = [];
    expect(await publish({}, github.run)).toBe(0);
    expect(github.statuses).toEqual([]);
  });

  it('is not asked for with `status: false`, and a token that may not is only a warning', async () => {
    await upload('report.json', reportOf());
    expect(await publish({ status: 'false' })).toBe(0);
    expect(github.statuses).toEqual([]);
    github.readOnly = true;
    expect(await publish()).toBe(0);
    expect(github.statuses).toEqual([]);
  });
});
