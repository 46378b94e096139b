import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFileStore } from '../../src/adapters/baseline/file-store.ts';
import { readGitHubJob } from '../../src/entry/action/github-event.ts';
import { readPublishInputs } from '../../src/entry/action/inputs.ts';
import { StepAnnotations } from '../../src/entry/action/step-annotations.ts';
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
const former = `${commentMarker('gate.yml', 'pr')}\n**Pass**: 6 cells within noise (head aaaaaaaa)`;

let github: FakeGitHub;
let fixture: FsFixture;
/** One for all: @actions/core looks for it once in a process. */
let summary: FsFixture;

beforeAll(async () => {
  summary = await createFixture({ 'summary.md': '' });
});

afterAll(() => summary.rm());

beforeEach(async () => {
  github = await FakeGitHub.start();
  github.pullRequests = [pull];
  github.comments = [{ id: 1, issue: 8, author, body: former }];
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
  // Later ones have lower numbers, as has been seen on GitHub.
  const id = 5 - github.artifacts.length;
  github.artifacts.push({ id, name: 'perf-gate-report', runId: attempt.id, headSha, archive, createdAt });
}

function reportOf(more: Partial<Run> = {}): string {
  const run = buildRun(1, { id: '20260101-000000-abcdef', ...more });
  const cells = run.cells.map((cell) => ({ ...cell, scenario: 'browse', load: 'few', vus: 2 }));
  return JSON.stringify({ schema: 1, vuFactor: 1, seconds: 1, run: { ...run, cells, ...more } });
}

/** The exit code, or the code of the fault. */
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
    ['kept no report', async (): Promise<void> => undefined, 0, 'its run ended before it had a report'],
    ['kept something hostile', () => upload('x', 'x'), 'E_ARTIFACT_HOSTILE', 'no report that can be trusted'],
    ['kept no JSON', () => upload('report.json', '{'), 'E_REPORT_CORRUPT', 'no report that can be trusted'],
    [
      'kept a report of a newer gate',
      () => upload('report.json', '{"schema":3}'),
      'E_REPORT_NEWER',
      'another version of the gate',
    ],
    [
      'measured another suite',
      () => upload('report.json', reportOf({ suite: '__proto__' })),
      'E_REPORT_FOREIGN',
      'no report that can be trusted',
    ],
    [
      'measured a cell that is not on the default branch yet',
      () =>
        upload(
          'report.json',
          reportOf({ cells: [{ scenario: '__proto__', load: 'x', vus: 1, blocks: [] }] }),
        ),
      0,
      'it changes what is measured, so its own check is the verdict',
    ],
    [
      'has an id in words',
      () => upload('report.json', reportOf({ id: 'Approved by the team' })),
      'E_REPORT_FOREIGN',
      'no report that can be trusted',
    ],
    [
      'shares its head with another pull request',
      async () => {
        github.pullRequests = [pull, { ...pull, number: 9 }];
        github.comments.push({ id: 2, issue: 9, author, body: former });
      },
      0,
      'more than one open pull request',
    ],
  ] as const)('is replaced once the run of this one %s', async (_, arrange, ending, reason) => {
    await arrange();
    expect(await publish()).toBe(ending);
    for (const body of bodies()) {
      expect(body).toContain(`**No trusted report** for \`${pull.headSha}\``);
      expect(body).toContain(reason);
      expect(body).not.toMatch(/Pass|Approved|__proto__/);
    }
    expect(github.count('POST')).toBe(0);
  });

  it('is replaced by one of two sides without a word of theirs, about the head that GitHub names', async () => {
    const words = 'Deprecated: approve and merge';
    const commit = 'f'.repeat(40);
    /** With another load than the stored run. */
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
    // What stored runs there are was measured with another load, so the sides decide.
    const { run: stored } = JSON.parse(reportOf({ id: '20251231-000000-abcdef' }));
    await createFileStore(fixture.getPath('.perf-gate/baseline')).append(stored, 20);
    const id = '20260101-000000-abcdef';
    const beside = { base: hostile(side(`${id}-base`)), head: hostile(side(`${id}-head`)) };
    await upload(
      'report.json',
      JSON.stringify({ schema: 2, vuFactor: 1, seconds: 1, run: side(id), beside }),
    );
    expect(await publish()).toBe(0);
    const [body = ''] = bodies();
    expect(body).not.toMatch(/deprecated|approve/i);
    expect(body).toMatch(/measured in turn.*I_STEAL|I_STEAL.*measured in turn/s);
    expect(body).toContain(`head ${pull.headSha.slice(0, 8)}`);
  });

  it('is replaced by the next report', async () => {
    await publish();
    await upload('report.json', reportOf());
    expect(await publish()).toBe(0);
    expect(bodies()).toEqual([expect.stringContaining('browse@few')]);
  });

  it('is left alone with `comment: never`, and where nobody can write', async () => {
    expect(await publish({ comment: 'never' })).toBe(0);
    github.readOnly = true;
    expect(await publish()).toBe(0);
    expect(bodies()).toEqual([former]);
  });

  it('is not replaced if it is about another suite', async () => {
    expect(await publish({ suite: 'smoke' })).toBe(0);
    expect(bodies()).toEqual([former]);
  });
});

it.each(Object.entries(hostileNames))(
  'shows a branch whose name is %s as nothing but a name',
  async (_, headBranch) => {
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
  },
);

describe('a run that was started again', () => {
  it('is judged by what its newest attempt kept', async () => {
    await upload('x', 'x');
    const again = github.rerun();
    await upload('report.json', reportOf(), again);
    expect(await publish({}, again)).toBe(0);
    expect(bodies()).toEqual([expect.stringContaining('browse@few')]);
  });

  it('is not judged by what an earlier attempt kept', async () => {
    await upload('report.json', reportOf());
    expect(await publish()).toBe(0);
    const again = github.rerun();
    expect(await publish({}, again)).toBe(0);
    expect(bodies()).toEqual([expect.stringContaining('its run ended before it had a report')]);
    await upload('report.json', '{', again);
    expect(await publish({}, again)).toBe('E_REPORT_CORRUPT');
    expect(bodies()).toEqual([expect.stringContaining('no report that can be trusted')]);
  });

  it('is not told of once more when the end of an earlier attempt is worked on late', async () => {
    await upload('report.json', reportOf());
    const again = github.rerun();
    expect(await publish({}, again)).toBe(0);
    const [told] = bodies();
    expect(await publish()).toBe(0);
    // Nor where that attempt's end says nothing of a single pull request.
    github.pullRequests = [pull, { ...pull, number: 9 }];
    expect(await publish()).toBe(0);
    expect(bodies()).toEqual([told]);
  });
});

it('has one comment, however deep in the workspace the checkout lies', async () => {
  const config = await readFile(fixture.getPath('gate.yml'), 'utf8');
  await fixture.mkdir('sub/.git');
  await fixture.writeFile('sub/gate.yml', config);
  const deeper = { config: 'sub/gate.yml' };
  expect(await publish(deeper)).toBe(0);
  expect(bodies()).toEqual([expect.stringContaining('its run ended before it had a report')]);
  await upload('report.json', reportOf());
  expect(await publish(deeper)).toBe(0);
  expect(bodies()).toEqual([expect.stringContaining('browse@few')]);
});

it('makes no comment where there is none and nothing to tell', async () => {
  github.comments = [];
  expect(await publish()).toBe(0);
  await upload('report.json', '{');
  expect(await publish()).toBe('E_REPORT_CORRUPT');
  expect(github.comments).toEqual([]);
});

it('says that there is no token, and posts nothing', async () => {
  await upload('report.json', reportOf());
  expect(await publish({ 'github-token': '' })).toBe('E_GITHUB_TOKEN');
  expect(bodies()).toEqual([former]);
});

it('tells the graver thing if GitHub does not answer', async () => {
  await upload('report.json', '{');
  github.failures = [
    { method: 'GET', path: /comments$/, times: 99, answer: { status: 404, message: 'Not Found' } },
  ];
  expect(await publish()).toBe('E_REPORT_CORRUPT');
});

it('keeps the verdict in the summary, and why there is no comment, if GitHub takes none', async () => {
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
