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
import { runOfTps } from '../simulation/simulated-run.ts';
import { archiveOf } from './archive.ts';
import {
  type FakeAttempt,
  FakeGitHub,
  type FakePullRequest,
  type FakeRun,
  firstAttempt,
  gateWorkflow,
  minutesInto,
} from './fake-github.ts';
import { hostileNames } from './hostile-names.ts';
import { quickPace } from './quick-pace.ts';

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

async function upload(
  file: string,
  content: string,
  attempt = firstAttempt,
  name = 'perf-gate-report',
): Promise<void> {
  const archive = await archiveOf({ name: file, content });
  const createdAt = minutesInto(attempt);
  const { headSha } = pull;
  // GitHub has been seen to give later artifacts lower ids.
  const id = 5 - github.artifacts.length;
  github.artifacts.push({ id, name, runId: attempt.id, headSha, archive, createdAt });
}

function reportOf(more: Partial<Run> = {}): string {
  const run = buildRun(1, { id: '20260101-000000-abcdef', ...more });
  const cells = run.cells.map((cell) => ({ ...cell, scenario: 'browse', load: 'few', vus: 2 }));
  return JSON.stringify({ schema: 3, vuFactor: 1, seconds: 1, run: { ...run, cells, ...more } });
}

/** Returns the exit code, or the error code of a fault. */
function publish(
  inputs: Record<string, string> = {},
  attempt: FakeAttempt = firstAttempt,
  of = pull,
): Promise<number | string> {
  return publishOn('workflow_run', workflowRunEvent(of, {}, attempt).payload, inputs);
}

async function publishOn(
  event: string,
  payload: unknown,
  inputs: Record<string, string> = {},
  workspace = fixture.path,
): Promise<number | string> {
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
    GITHUB_EVENT_NAME: event,
    GITHUB_API_URL: github.url,
    GITHUB_RUN_ID: '43',
  };
  try {
    return await publishAction({
      inputs: readPublishInputs((name) => given[name] ?? ''),
      job: readGitHubJob(env, payload),
      env: { ...env, GITHUB_WORKSPACE: workspace },
      annotations: new StepAnnotations(),
      signal: new AbortController().signal,
      pace: quickPace(),
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
      'measured no cell that the default branch has',
      () =>
        upload(
          'report.json',
          reportOf({ cells: [{ scenario: '__proto__', load: 'x', vus: 1, blocks: [] }] }),
        ),
      0,
      'it measures none of the cells that the default branch has',
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
    github.baseHistory.add(commit);
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

const forker = 'f'.repeat(40);
const id = '20260101-000000-abcdef';
/** Requests per second of both cells. */
const measured = (name: string, commit: string, few: number, more = 500): Run => {
  const run = runOfTps(name, few, more);
  const cells = run.cells.map((cell, index) => ({
    ...cell,
    scenario: 'browse',
    load: index === 0 ? 'few' : 'more',
    vus: 2 * (index + 1),
  }));
  return { ...run, cells, code: { commit, branch: '', dirty: false } };
};
const report = (parts: object): string => JSON.stringify({ schema: 3, vuFactor: 1, seconds: 1, ...parts });
const storeRuns = async (): Promise<void> => {
  const store = createFileStore(fixture.getPath('.perf-gate/baseline'));
  for (const day of ['29', '30', '31']) {
    await store.append(measured(`202512${day}-000000-abcdef`, forker, 500), 20);
  }
};
const slow = measured(id, pull.headSha, 100);

describe('a pull request that bends its judge', () => {
  beforeEach(() => {
    github.baseHistory.add(forker);
  });

  it('stays red if forged figures of the base clear what the stored runs prove', async () => {
    await storeRuns();
    const base = measured(`${id}-confirmation-base`, forker, 100);
    const head = measured(`${id}-confirmation`, pull.headSha, 100);
    await upload('report.json', report({ run: slow, again: { base, head } }));
    expect(await publish()).toBe(0);
    expect(github.statuses.at(-1)).toMatchObject({ state: 'failure' });
    expect(bodies()[0]).toMatch(/regression/i);
    github.artifacts = [];
    await upload('report.json', report({ run: slow, base: measured(`${id}-base`, forker, 100) }));
    expect(await publish()).toBe(0);
    expect(github.statuses.at(-1)).toMatchObject({ state: 'failure' });
  });

  it.each(['base', 'again'])(
    'gets no verdict if its %s is a commit that its base branch lacks',
    async (part) => {
      const base = measured(`${id}-base`, 'e'.repeat(40), 100);
      const more = part === 'base' ? { base } : { again: { base, head: slow } };
      await upload('report.json', report({ run: slow, ...more }));
      expect(await publish()).toBe('E_REPORT_BASE');
      expect(github.statuses.at(-1)).toMatchObject({
        state: 'failure',
        description: expect.stringContaining('not in the history of the base branch'),
      });
      expect(bodies()[0]).toContain('not in the history of the branch to merge into');
    },
  );

  it('is judged in the cells that the default branch has, and what it changes is named', async () => {
    await storeRuns();
    const own = { scenario: 'Approved', load: 'few', vus: 2, blocks: slow.cells[0]?.blocks ?? [] };
    await upload('report.json', report({ run: { ...slow, cells: [...slow.cells, own] } }));
    const config = await readFile(fixture.getPath('gate.yml'), 'utf8');
    const wider = `${config}\ntolerances: { all: 900%, errorRate: 90% }\n`;
    github.contents.set(`gate.yml?ref=${pull.headSha}`, wider);
    github.files = [
      { filename: 'gate.yml', status: 'modified' },
      { filename: '.github/workflows/Approved.yml', status: 'added' },
      { filename: '.github/workflows/perf-gate.yml', status: 'modified' },
    ];
    expect(await publish()).toBe(0);
    expect(github.statuses.at(-1)).toMatchObject({ state: 'failure' });
    const [body = ''] = bodies();
    expect(body).toContain('browse@few');
    expect(body).toMatch(/tolerances\.p95.*900%/);
    expect(body).toContain('.github/workflows/perf-gate.yml');
    expect(body).toMatch(/limits of the default branch/);
    expect(body).not.toContain('Approved');
  });

  it('is not a success if it leaves out a cell', async () => {
    await storeRuns();
    const run = measured(id, pull.headSha, 500);
    await upload('report.json', report({ run }));
    expect(await publish()).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('success');
    github.artifacts = [];
    await upload('report.json', report({ run: { ...run, cells: run.cells.slice(1) } }));
    expect(await publish()).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('failure');
  });
});

describe('accepting by a comment', () => {
  const command = '/perf-gate accept the new index makes writing slower';
  const comment = (body: string, more: { readonly author?: string; readonly at?: string } = {}): unknown => ({
    action: 'created',
    repository: { full_name: 'octo/shop', default_branch: 'main' },
    issue: { number: pull.number, pull_request: {} },
    comment: {
      id: 77,
      body,
      created_at: more.at ?? '2026-01-01T02:00:00Z',
      user: { login: more.author ?? 'mona' },
    },
  });
  const say = (body: string, more = {}): Promise<number | string> =>
    publishOn('issue_comment', comment(body, more));
  /** A run that began after the one that was judged. */
  const later = (run: number, workflow: number): FakeRun => ({
    id: run,
    attempt: 1,
    startedAt: '2026-01-01T01:30:00Z',
    workflow,
  });

  beforeEach(async () => {
    await storeRuns();
    github.writers.add('mona');
    github.ranUntil = '2026-01-01T01:00:00Z';
    await upload('report.json', report({ run: slow }));
    expect(await publish()).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('failure');
  });

  it('accepts nothing where several pull requests share the head', async () => {
    github.pullRequests = [pull, { ...pull, number: 9 }];
    await say(command);
    expect(github.reactions).toEqual(['77 confused']);
    expect(github.statuses.at(-1)?.state).toBe('failure');
  });

  it('turns the status green for this head, and says who, why and until when', async () => {
    expect(await say(command)).toBe(0);
    expect(github.reactions).toEqual(['77 +1']);
    expect(github.statuses.at(-1)).toMatchObject({
      sha: pull.headSha,
      state: 'success',
      description: expect.stringMatching(/^Slower, but accepted: .*Accepted by mona\.$/),
    });
    const [body = ''] = bodies();
    expect(body).toMatch(/accepted by mona until \d{4}-\d\d-\d\d: the new index makes writing slower/);
    // The same head measured again stays accepted.
    const again = github.rerun();
    await upload('report.json', report({ run: slow }), again);
    expect(await publish({}, again)).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('success');
  });

  it('outlasts an attempt without a report', async () => {
    expect(await say(command)).toBe(0);
    const cancelled = github.rerun();
    expect(await publish({}, cancelled)).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('failure');
    expect(bodies()).toEqual([expect.stringContaining('its run ended before it wrote a report')]);
    const again = github.rerun();
    await upload('report.json', report({ run: slow }), again);
    expect(await publish({}, again)).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('success');
  });

  it.each([
    ['breaks down', 'E_GITHUB_DOWN', { status: 502, message: 'Bad Gateway' }],
    ['refuses it', 'E_ACCEPT_COMMENT', { status: 403, message: 'Unable to edit: the issue is locked' }],
  ] as const)('does not count if GitHub %s when the comment is to keep it', async (_, code, answer) => {
    github.failures = [{ method: 'PATCH', path: /comments\/\d+$/, times: 99, answer }];
    expect(await say(command)).toBe(code);
    expect(github.statuses.at(-1)?.state).toBe('failure');
    expect(github.reactions).toEqual(['77 confused']);
  });

  it('does not count if later runs would search the comment of another author', async () => {
    const inputs = { 'comment-author': 'another[bot]' };
    expect(await publishOn('issue_comment', comment(command), inputs)).toBe('E_ACCEPT_COMMENT');
    expect(github.statuses.at(-1)?.state).toBe('failure');
    expect(github.reactions).toEqual(['77 confused']);
  });

  it('covers no other regression of the same head', async () => {
    expect(await say(command)).toBe(0);
    const again = github.rerun();
    await upload('report.json', report({ run: measured(id, pull.headSha, 100, 100) }), again);
    expect(await publish({}, again)).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('failure');
  });

  it('ends with the head that it was about', async () => {
    expect(await say(command)).toBe(0);
    const headSha = 'd'.repeat(40);
    const next = { ...pull, headSha };
    github.pullRequests = [next];
    const attempt = github.rerun();
    const archive = await archiveOf({ name: 'report.json', content: report({ run: slow }) });
    github.artifacts = [
      {
        id: 9,
        name: 'perf-gate-report',
        runId: attempt.id,
        headSha,
        archive,
        createdAt: minutesInto(attempt),
      },
    ];
    expect(await publish({}, attempt, next)).toBe(0);
    expect(github.statuses.at(-1)).toMatchObject({ sha: headSha, state: 'failure' });
  });

  it.each([
    ['somebody who may not write', 'E_ACCEPT_PERMISSION', () => say(command, { author: 'eve' })],
    ['a writer without a reason', 'E_ACCEPT_REASON', () => say('/perf-gate accept')],
    [
      'a writer before the verdict on this head',
      'E_ACCEPT_EARLY',
      () => say(command, { at: '2026-01-01T00:30:00Z' }),
    ],
    [
      'a writer while the check of this head is under way',
      'E_ACCEPT_EARLY',
      () => {
        github.ranUntil = undefined;
        return say(command);
      },
    ],
    [
      'a writer while a push back to this head is measured again',
      'E_ACCEPT_EARLY',
      () => {
        github.otherRuns = [later(50, gateWorkflow)];
        return say(command);
      },
    ],
    [
      'a writer after the report has expired',
      'E_ACCEPT_EARLY',
      () => {
        github.artifacts = github.artifacts.map((one) => ({ ...one, expired: true }));
        return say(command);
      },
    ],
    [
      'a writer where an objective is missed too',
      'E_ACCEPT_PARTLY',
      async () => {
        const config = await readFile(fixture.getPath('gate.yml'), 'utf8');
        await fixture.writeFile('gate.yml', config.replace('meanMs: 500', 'meanMs: 0.001, gate: true'));
        return say(command);
      },
    ],
    [
      'a writer whose gate keeps no comment',
      'E_ACCEPT_COMMENT',
      () => publishOn('issue_comment', comment(command), { comment: 'never' }),
    ],
    [
      'a writer on a closed pull request',
      'E_ACCEPT_CLOSED',
      () => {
        github.pullRequests = [{ ...pull, state: 'closed' }];
        return say(command);
      },
    ],
    [
      'a writer where only the machine was disturbed',
      'E_ACCEPT_NOTHING',
      async () => {
        github.artifacts = [];
        const reason = { code: 'I_STEAL', cause: 'x', nextStep: 'x' };
        const run = { ...measured(id, pull.headSha, 500), invalid: [reason] };
        await upload('report.json', report({ run }));
        return say(command);
      },
    ],
  ] as const)('is refused to %s', async (_, code, attempt) => {
    const before = github.statuses.length;
    expect(await attempt()).toBe(code);
    expect(github.statuses.slice(before).map(({ state }) => state)).not.toContain('success');
    expect(github.reactions).toEqual(['77 confused']);
  });

  it('says nothing where nothing fails, because the comment may be about another gate', async () => {
    github.artifacts = [];
    await upload('report.json', report({ run: measured(id, pull.headSha, 500) }));
    const before = github.statuses.length;
    expect(await say(command)).toBe(0);
    expect(github.reactions).toEqual([]);
    expect(github.statuses).toHaveLength(before);
  });

  it('says nothing where this gate measured nothing, because the comment may be about another gate', async () => {
    github.artifacts = [];
    github.comments = [];
    expect(await say(command)).toBe(0);
    expect(github.reactions).toEqual([]);
  });

  it('finds the run that measured among many of other workflows, also of one under way', async () => {
    const ended = Array.from({ length: 100 }, (_, index) => ({
      ...later(100 + index, 2),
      endedAt: '2026-01-01T01:45:00Z',
    }));
    github.otherRuns = [later(50, 3), ...ended];
    expect(await say(command)).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('success');
  });

  it('is not asked by another comment', async () => {
    const before = github.requests.length;
    for (const text of ['nice work', 'use /perf-gate accept', '/perf-gate accepted']) {
      expect(await say(text)).toBe(0);
    }
    expect(github.requests.slice(before)).toEqual([]);
  });

  it('is not believed from a comment of somebody else', async () => {
    expect(await say(command)).toBe(0);
    const accepted = bodies()[0] ?? '';
    github.comments = [
      { id: 1, issue: 8, author, body: earlierComment },
      { id: 2, issue: 8, author: 'eve', body: accepted },
    ];
    expect(await publish()).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('failure');
  });
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

it('keeps an artifact, a comment and a status for each gate of a repository that has several', async () => {
  const config = await readFile(fixture.getPath('gate.yml'), 'utf8');
  await fixture.writeFile('orders.yml', config);
  github.comments = [];
  const gates = [
    { config: 'gate.yml', artifact: 'perf-gate-report' },
    { config: 'orders.yml', artifact: 'perf-gate-orders' },
  ];
  await upload('report.json', reportOf());
  await upload('report.json', '{', firstAttempt, 'perf-gate-orders');
  const publishBoth = async () => {
    const codes = [];
    for (const gate of gates) codes.push(await publish({ ...gate, comment: 'always' }));
    return codes;
  };
  expect(await publishBoth()).toEqual([0, 'E_REPORT_CORRUPT']);
  const [own, ...others] = bodies();
  expect(own).toContain(commentMarker('gate.yml', 'pr'));
  expect(others).toEqual([]);
  github.artifacts.pop();
  await upload('report.json', reportOf(), firstAttempt, 'perf-gate-orders');
  expect(await publishBoth()).toEqual([0, 0]);
  expect(bodies()).toEqual([own, expect.stringContaining(commentMarker('orders.yml', 'pr'))]);
  const contexts = new Set(github.statuses.map(({ context }) => context));
  expect([...contexts]).toEqual(['perf-gate (gate.yml: pr)', 'perf-gate (orders.yml: pr)']);
  // They lack a cell of the suite.
  expect(github.statuses.map(({ state }) => state)).not.toContain('success');
});

it('names the command that checks the same suite, where the checkout holds the gate', async () => {
  const run = buildRun(1, { id, suite: 'peak' });
  await upload('report.json', JSON.stringify({ schema: 3, vuFactor: 1, seconds: 1, run }));
  const { payload } = workflowRunEvent(pull, {}, firstAttempt);
  const inputs = { config: 'perf/gate.yml', suite: 'peak', comment: 'always' };
  const repository = join(import.meta.dirname, '../../..');
  expect(await publishOn('workflow_run', payload, inputs, repository)).toBe(0);
  expect(bodies().at(-1)).toContain('`./gate check --suite peak`');
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

  it('is a success of a change that removes a waiver which has ended', async () => {
    const config = await readFile(fixture.getPath('gate.yml'), 'utf8');
    const waiver = '{ cell: browse@few, metric: p95, ceiling: 20%, until: 2025-01-01, reason: an index }';
    await fixture.writeFile('gate.yml', `${config}\nwaivers: [${waiver}]\n`);
    await storeRuns();
    github.contents.set(`gate.yml?ref=${pull.headSha}`, config);
    await upload('report.json', report({ run: measured(id, pull.headSha, 500) }));
    expect(await publish()).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('success');
    expect(bodies()[0]).toMatch(/waivers/);
    // A head that still has it, measured on its last day, changes nothing.
    github.comments = [];
    github.contents.set(`gate.yml?ref=${pull.headSha}`, `${config}\nwaivers: [${waiver}]\n`);
    expect(await publish({ comment: 'always' })).toBe(0);
    expect(bodies()[0]).not.toMatch(/waivers/);
    // It no longer excuses anything either.
    github.artifacts = [];
    await upload('report.json', report({ run: slow }));
    expect(await publish()).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('failure');
  });

  it('is a failure of a regression, unless that is not to fail', async () => {
    await upload('report.json', await slower());
    expect(await publish()).toBe(0);
    expect(await publish({ 'fail-on': 'never' })).toBe(0);
    expect(github.statuses.map(({ state }) => state)).toEqual(['failure', 'success']);
    expect(github.statuses[0]?.description).toMatch(/^Fails more: /);
  });

  it('is set by nobody but the newest attempt, and of no head that no pull request has', async () => {
    await upload('report.json', reportOf());
    github.rerun();
    expect(await publish()).toBe(0);
    github.pullRequests = [];
    expect(await publish({}, github.run)).toBe(0);
    expect(github.statuses).toEqual([]);
  });

  it('is no longer a success if GitHub does not say what was accepted', async () => {
    const cells = ['few', 'more'].map((load, index) => ({ load, vus: 2 * (index + 1) }));
    const [cell] = JSON.parse(reportOf()).run.cells;
    await upload('report.json', reportOf({ cells: cells.map((one) => ({ ...cell, ...one })) }));
    expect(await publish()).toBe(0);
    expect(github.statuses.at(-1)?.state).toBe('success');
    const before = bodies();
    // As often as a request is tried: the next one would succeed.
    const answer = { status: 502, message: 'Bad Gateway' };
    github.failures = [{ method: 'GET', path: /comments$/, times: 4, answer }];
    expect(await publish()).toBe('E_GITHUB_DOWN');
    expect(github.statuses.at(-1)?.state).toBe('error');
    // The comment is where the acceptance is kept.
    expect(bodies()).toEqual(before);
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
