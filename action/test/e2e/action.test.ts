import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reportFileSchema } from '../../src/model/report-file.ts';
import { archiveOf } from '../github/archive.ts';
import { FakeGitHub, type FakePullRequest } from '../github/fake-github.ts';
import { dispatchEvent, pullRequestEvent, pushEvent, workflowRunEvent } from './events.ts';
import { processesMentioning, TinyProject } from './gate.ts';
import { FakeRunner, type StepResult } from './runner.ts';

let project: TinyProject;
let remote: FsFixture;
let github: FakeGitHub;
let runner: FakeRunner;

const inputs = { config: 'gate.yml' };
const slow = { TINY_DELAY_MS: '30' };
const own: FakePullRequest = {
  number: 7,
  state: 'open',
  headSha: 'a'.repeat(40),
  headBranch: 'a";-echo-pwn-#',
  headRepository: 'octo/shop',
};
const fromFork = { ...own, number: 8, headRepository: 'mona/shop' };

function git(...args: string[]): string {
  return execFileSync('git', ['-C', project.fixture.path, ...args], { encoding: 'utf8' });
}

beforeEach(async () => {
  project = await TinyProject.create();
  // Two blocks of two seconds cannot see 25%; what is asked here is another question.
  await project.edit('floors:', 'tolerances: { p95: 100%, tps: 40% }\nfloors:');
  await project.edit('rounds: 2', 'rounds: 3');
  await project.edit('cells: [browse@few, browse@more]', 'cells: [browse@few]');
  await project.write('.gitignore', '.perf-gate/\n.runner/\n');
  remote = await createFixture();
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote.path]);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'first');
  git('remote', 'add', 'origin', remote.path);
  git('push', '-q', 'origin', 'main');
  github = await FakeGitHub.start();
  github.pullRequests = [own, fromFork];
  runner = new FakeRunner(project.fixture.path, github);
});

afterEach(async () => {
  await github.stop();
  expect(github.violations).toEqual([]);
  // Whatever a test did, nothing may be left running that knows this folder.
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
  await remote.rm();
});

async function record(): Promise<void> {
  const recorded = await runner.main(pushEvent(), { ...inputs, record: 'true' });
  expect(recorded.code, recorded.log).toBe(0);
}

/** The report that the measuring job left. */
function reportOf({ outputs }: StepResult): Promise<string> {
  return readFile(join(project.fixture.path, outputs['report-json'] ?? ''), 'utf8');
}

/** Keeps the report for that run, as actions/upload-artifact does. */
async function upload(report: string): Promise<void> {
  github.artifacts = [
    {
      id: 11,
      name: 'perf-gate-report',
      runId: 42,
      headSha: own.headSha,
      archive: await archiveOf({ name: 'report.json', content: report }),
    },
  ];
}

describe('the Action', () => {
  it('records main, passes the same code in silence, and names a regression in a comment', async () => {
    await record();
    expect(git('ls-remote', 'origin', 'perf-gate-baseline')).toMatch(/refs\/heads\/perf-gate-baseline/);

    const good = await runner.main(pullRequestEvent(own), inputs);
    expect(good.code, good.log).toBe(0);
    expect(good.outputs).toMatchObject({
      verdict: expect.stringMatching(/pass|inconclusive/),
      regressions: '0',
    });
    expect(good.summary).toContain('browse@few');
    const page = await readFile(join(project.fixture.path, good.outputs['report-html'] ?? ''), 'utf8');
    expect(page).toContain('<code>browse@few</code>');

    const bad = await runner.main(pullRequestEvent(own), inputs, slow);
    expect(bad.code, bad.log).toBe(1);
    expect(bad.outputs).toMatchObject({ verdict: 'regression', regressions: '1' });
    expect(Number(bad.outputs['worst-p95-change'])).toBeGreaterThan(1);
    expect(Number(bad.outputs['worst-tps-change'])).toBeLessThan(-0.4);
    const [comment, ...others] = github.commentsOn(7);
    expect(others).toEqual([]);
    expect(comment?.body).toBe(bad.outputs['comment-body']?.trim());
    expect(comment?.body).toContain('browse@few');
    expect(bad.log).toMatch(/^::error title=browse@\w+.*file=gate\.yml,line=\d+/m);

    const mended = await runner.main(pullRequestEvent(own), inputs);
    expect(mended.code, mended.log).toBe(0);
    expect(github.commentsOn(7)).toHaveLength(1);
    expect(github.commentsOn(7)[0]?.body).not.toBe(comment?.body);
  });

  it('gives a pull request from a fork the same verdict without a token that writes, and publishes it from the trusted side', async () => {
    await record();
    github.readOnly = true;
    const head = git('ls-remote', 'origin');
    const measured = await runner.main(pullRequestEvent(fromFork), inputs, slow);
    expect(measured.code, measured.log).toBe(1);
    expect(measured.outputs.verdict).toBe('regression');
    expect(measured.summary).toContain('token may not write');
    expect(git('ls-remote', 'origin')).toBe(head);
    expect(github.comments).toEqual([]);

    github.readOnly = false;
    await upload(await reportOf(measured));
    const published = await runner.publish(workflowRunEvent(fromFork), inputs);
    expect(published.code, published.log).toBe(0);
    expect(published.outputs).toMatchObject({ verdict: 'regression', 'pull-request': '8' });
    expect(github.commentsOn(8)).toHaveLength(1);
    expect(github.commentsOn(8)[0]?.body).toContain('mona/shop');
    expect(github.commentsOn(7)).toEqual([]);
  });

  it('gives the commands of gate.yml no token and no file of the runner', async () => {
    await project.edit(
      '      command: [node, server.mjs]',
      '      command: [sh, -c, "env >env.txt; exec node server.mjs"]',
    );
    const { code, log } = await runner.main(
      pullRequestEvent(own),
      { ...inputs, compare: 'none' },
      { ACTIONS_RUNTIME_TOKEN: 'of-the-runner', GITHUB_TOKEN: 'of-the-job' },
    );
    expect(code, log).toBe(0);
    const seen = await readFile(join(project.fixture.path, 'env.txt'), 'utf8');
    expect(seen).toContain('GITHUB_REPOSITORY=octo/shop');
    expect(seen).not.toMatch(/token-of-the-job|of-the-runner|of-the-job|GITHUB_(ENV|PATH|OUTPUT|STATE)=/);
  });

  it('lets no text of the service be a command to the runner', async () => {
    const { code, log } = await runner.main(
      pullRequestEvent(own),
      { ...inputs, compare: 'none' },
      {
        TINY_BOOT_FAILURE: '::error::pwn\n::add-mask::x\n##[group]pwn',
      },
    );
    expect(code).toBe(3);
    const token = /^::stop-commands::(\S+)$/m.exec(log)?.[1] ?? '';
    const outside = log.slice(0, log.indexOf('::stop-commands::')) + log.slice(log.indexOf(`::${token}::`));
    expect(outside).not.toMatch(/^(::error::pwn|::add-mask::|##\[)/m);
    expect(outside).toMatch(/^::error title=perf-gate E_SERVICE_BOOT::/m);
  });

  it.each([
    ['a pull request', pullRequestEvent(own)],
    ['another branch', pushEvent('refs/heads/other')],
    ['a tag', pushEvent('refs/tags/main')],
    ['a dispatch', dispatchEvent()],
  ])('adds nothing to the baseline for %s', async (_, event) => {
    const { code, log } = await runner.main(event, { ...inputs, record: 'true' });
    expect(log).toContain('E_RECORD_TRIGGER');
    expect(code).toBe(2);
    expect(git('ls-remote', 'origin')).not.toContain('baseline');
  });

  it('measures for a dispatch, longer and with more users as its inputs say', async () => {
    const { code, log, outputs } = await runner.main(dispatchEvent(), {
      ...inputs,
      compare: 'none',
      'vu-factor': '2',
      minutes: '0.2',
      ramp: 'true',
    });
    expect(code, log).toBe(0);
    const report = reportFileSchema.parse(
      JSON.parse(await readFile(join(project.fixture.path, outputs['report-json'] ?? ''), 'utf8')),
    );
    expect(report.run.cells[0]?.blocks[0]?.latency).not.toHaveProperty('histogram');
    expect(report.run.cells.map(({ vus }) => vus)).toEqual([4]);
    expect(report.run.cells[0]?.blocks[0]?.countedSeconds).toBeCloseTo(4, 0);
    expect(github.requests).toEqual([]);
  });

  it('says in the summary why there is no comment without a token', async () => {
    const { code, log, summary } = await runner.main(pullRequestEvent(own), {
      ...inputs,
      comment: 'always',
      'github-token': '',
    });
    expect(code, log).toBe(0);
    expect(summary).toContain('no token was given');
    expect(github.requests).toEqual([]);
  });

  it('has the same verdict when GitHub is down', async () => {
    await record();
    github.failures = [{ method: 'GET', path: /./, times: 99, answer: 'reset' }];
    const { code, log, outputs, summary } = await runner.main(pullRequestEvent(own), inputs, slow);
    expect(code, log).toBe(1);
    expect(outputs.verdict).toBe('regression');
    expect(summary).toContain('There is no comment');
    expect(log).toMatch(/^::warning title=perf-gate%3A no comment/m);
  });
});

it('goes on without the cache service, before measuring as after', async () => {
  // The discard port: nothing listens there.
  const down = {
    ACTIONS_RESULTS_URL: 'http://127.0.0.1:9/',
    ACTIONS_RUNTIME_TOKEN: 'x',
    ACTIONS_CACHE_SERVICE_V2: 'true',
  };
  const event = pullRequestEvent(own);
  const kept = { 'cache-key': 'k', 'cache-paths': join(project.fixture.path, 'journey.js') };
  const step = await runner.start('main', event, { ...inputs, ...kept, compare: 'none' }, down);
  await step.printed(/… boot/);
  step.process.kill('SIGINT');
  const result = await step.done;
  expect(result.log).toContain('Failed to restore');
  expect(result.log).toMatch(/cache perf-gate-\S+-k: miss/);
  const { code, log } = await runner.post(event, result, down);
  expect(code, log).toBe(0);
  expect(log).toContain('Failed to save');
});

describe('a cancelled job', () => {
  const service = async () =>
    (await processesMentioning(project.fixture.path)).filter((line) => line.includes('server.mjs'));

  it.each([
    ['SIGINT', /… boot/, { TINY_BOOT_MS: '60000' }],
    ['SIGINT', /… warm-up/, {}],
    ['SIGINT', /… load/, {}],
    ['SIGTERM', /… load/, {}],
    ['SIGKILL', /… boot/, { TINY_BOOT_MS: '60000' }],
    ['SIGKILL', /… warm-up/, {}],
    ['SIGKILL', /… load/, {}],
  ] as const)(
    'by %s at %s leaves nothing once post has run, which may run twice',
    async (signal, phase, env) => {
      const event = pullRequestEvent(own);
      const step = await runner.start('main', event, { ...inputs, compare: 'none' }, env);
      await step.printed(phase);
      // The phase is told before the service is started.
      await expect.poll(service, { timeout: 20_000 }).toHaveLength(1);
      step.process.kill(signal);
      const result = await step.done;
      const first = await runner.post(event, result);
      expect(first.code, first.log).toBe(0);
      if (signal === 'SIGKILL') expect(first.log).toMatch(/ended what was left running: .*service/);
      // k6 ends by itself as soon as it writes to the pipe that has ended with the gate.
      await expect.poll(() => processesMentioning(project.fixture.path), { timeout: 10_000 }).toEqual([]);
      const second = await runner.post(event, result);
      expect(second).toMatchObject({ code: 0, log: expect.stringContaining('nothing was left running') });
    },
  );

  it('before anything began has nothing to clean up', async () => {
    expect(await runner.post(pullRequestEvent(own), { state: {} })).toMatchObject({
      code: 0,
      log: expect.stringContaining('nothing was started'),
    });
  });
});

describe('publishing', () => {
  /** Measured once: what is asked here is what becomes of it. */
  let report: string | undefined;

  beforeEach(async () => {
    if (report !== undefined) return;
    const measured = await runner.main(pullRequestEvent(fromFork), {
      ...inputs,
      compare: 'none',
      comment: 'never',
    });
    expect(measured.code, measured.log).toBe(0);
    expect(github.requests).toEqual([]);
    report = await reportOf(measured);
  });

  const uploadChanged = (change: (text: string) => string = (text) => text) => upload(change(report ?? ''));

  const publish = (event = workflowRunEvent(fromFork)) =>
    runner.publish(event, { ...inputs, comment: 'always' });

  it.each([
    [
      'a stale sha',
      () => {
        github.pullRequests = [{ ...fromFork, headSha: 'b'.repeat(40) }];
      },
    ],
    [
      'a closed pull request',
      () => {
        github.pullRequests = [{ ...fromFork, state: 'closed' }];
      },
    ],
    [
      'two on one sha',
      () => {
        github.pullRequests = [fromFork, { ...fromFork, number: 9 }];
      },
    ],
  ] as const)('writes nothing for %s, and does not even look at the artifact', async (_, arrange) => {
    arrange();
    await uploadChanged();
    const { code, log } = await publish();
    expect(code, log).toBe(0);
    expect(log).toMatch(/^::notice title=perf-gate%3A nothing posted::/m);
    expect(github.comments).toEqual([]);
    expect(github.requests.filter((request) => request.includes('artifacts'))).toEqual([]);
  });

  it('writes nothing for a run that was no pull request, or whose fork is gone', async () => {
    for (const changes of [{ event: 'push' }, { head_repository: null }]) {
      const { code, log } = await publish(workflowRunEvent(fromFork, changes));
      expect(code, log).toBe(0);
      expect(log).toContain('nothing posted');
    }
    expect(github.requests).toEqual([]);
  });

  it('writes nothing without an artifact', async () => {
    const { code, log } = await publish();
    expect(code, log).toBe(0);
    expect(log).toContain('ended before it had a report');
    expect(github.comments).toEqual([]);
  });

  it.each([
    [
      'a number of a pull request',
      (text: string) => text.replace('{', '{"pullRequest":7,'),
      /E_REPORT_CORRUPT/,
    ],
    ['a verdict of its own', (text: string) => text.replace('{', '{"verdict":"pass",'), /E_REPORT_CORRUPT/],
    ['something that is no JSON', () => '{"schema":1,', /E_REPORT_CORRUPT/],
    ['NaN', (text: string) => text.replace(/"tps":[\d.]+/, '"tps":NaN'), /E_REPORT_CORRUPT/],
    ['infinity', (text: string) => text.replace(/"tps":[\d.]+/, '"tps":1e999'), /E_REPORT_CORRUPT/],
    ['a newer schema', (text: string) => text.replace('"schema":1', '"schema":2'), /E_REPORT_NEWER/],
    [
      'a suite that is not there',
      (text: string) => text.replaceAll('"suite":"pr"', '"suite":"::error::x"'),
      /E_REPORT_FOREIGN/,
    ],
  ])('refuses a report with %s', async (_, change, fault) => {
    await uploadChanged(change);
    const { code, log } = await publish();
    expect(log).toMatch(fault);
    expect(code).not.toBe(0);
    expect(github.comments).toEqual([]);
  });

  it('prints its own words, whatever the report says of itself', async () => {
    await uploadChanged((text) =>
      text
        .replace(/"commit":"[^"]*"/, `"commit":"${'f'.repeat(40)}"`)
        .replace(/"runner":"[^"]*"/, '"runner":"@org/team <!-- perf-gate --> | ::error::x"'),
    );
    const { code, log, outputs } = await publish();
    expect(code, log).toBe(0);
    const body = github.commentsOn(8)[0]?.body ?? '';
    expect(body).toBe(outputs['comment-body']?.trim());
    expect(body).toContain('aaaaaaa');
    expect(body).not.toContain('fffffff');
    expect(body).not.toMatch(/(^|[^`\\\u200b])@org\/team/m);
    expect(body.slice(1)).not.toContain('<!-- perf-gate -->');
    expect(log).not.toMatch(/^::error::x/m);
  });

  it('leaves no file behind in the checkout', async () => {
    await uploadChanged();
    const before = (await readdir(project.fixture.path)).filter((name) => name !== '.runner');
    await publish();
    // What stands in for the runner keeps its own files there.
    expect((await readdir(project.fixture.path)).filter((name) => name !== '.runner')).toEqual(before);
  });
});
