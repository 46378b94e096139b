import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { reportFileSchema } from '../../src/model/report-file.ts';
import { archiveOf } from '../github/archive.ts';
import { FakeGitHub, type FakePullRequest, minutesInto } from '../github/fake-github.ts';
import { hostileNames } from '../github/hostile-names.ts';
import { dispatchEvent, mergeGroupEvent, pullRequestEvent, pushEvent, workflowRunEvent } from './events.ts';
import { FakeCache } from './fake-cache.ts';
import { processesMentioning, TinyProject } from './gate.ts';
import { FakeRunner, type RunnerEvent, type StepResult } from './runner.ts';

let project: TinyProject;
let remote: FsFixture;
let github: FakeGitHub;
let runner: FakeRunner;

const config = { config: 'gate.yml' };
/** Most tests ask for something else than a second look. */
const inputs = { ...config, compare: 'stored' };
const slow = { TINY_DELAY_MS: '60' };
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
  await project.edit('floors:', 'tolerances: { p95: 250%, tps: 60% }\nfloors:');
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

async function record(): Promise<StepResult> {
  const recorded = await runner.main(pushEvent(), { ...inputs, record: 'true' });
  expect(recorded.code, recorded.log).toBe(0);
  return recorded;
}

/** The report that the measuring job left. */
function reportOf({ outputs }: Pick<StepResult, 'outputs'>): Promise<string> {
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
    const [begun, judged] = [bad.secondsTo(/^… /m), bad.secondsTo(/^Regression: /m)];
    expect([begun, judged]).not.toContain(Number.NaN);
    process.stdout.write(
      `the Action: ${begun.toFixed(1)} s to its first phase, ${(bad.seconds - judged).toFixed(1)} s from the verdict to the end, comment posted\n`,
    );
    expect(bad.log).toMatch(/^::error title=browse@\w+.*file=gate\.yml,line=\d+/m);

    const mended = await runner.main(pullRequestEvent(own), inputs);
    expect(mended.code, mended.log).toBe(0);
    expect(github.commentsOn(7)).toHaveLength(1);
    expect(github.commentsOn(7)[0]?.body).not.toBe(comment?.body);
  });

  it('tells what it measured also where the baseline does not take it, and fails', async () => {
    await record();
    const before = git('ls-remote', 'origin');
    const refusal = '#!/bin/sh\necho "error: GH013: Repository rule violations found" >&2\nexit 1\n';
    await writeFile(remote.getPath('hooks/pre-receive'), refusal, { mode: 0o755 });
    const { code, log, outputs, summary } = await runner.main(pushEvent(), { ...inputs, record: 'true' });
    expect(code, log).toBe(3);
    expect(log).toMatch(/^::error title=perf-gate E_BASELINE_PROTECTED::/m);
    expect(outputs.verdict).toMatch(/pass|inconclusive/);
    expect(summary).toContain('browse@few');
    expect(reportFileSchema.safeParse(JSON.parse(await reportOf({ outputs }))).success).toBe(true);
    expect(git('ls-remote', 'origin')).toBe(before);
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
    const published = await runner.publish(workflowRunEvent(fromFork), config);
    expect(published.code, published.log).toBe(0);
    expect(published.outputs).toMatchObject({ verdict: 'regression', 'pull-request': '8' });
    process.stdout.write(`publishing a report with its comment: ${published.seconds.toFixed(1)} s\n`);
    expect(github.commentsOn(8)).toHaveLength(1);
    expect(github.commentsOn(8)[0]?.body).toContain('mona/shop');
    expect(github.commentsOn(7)).toEqual([]);
  });

  it('belongs to the checkout that the configuration lies in, deeper in the workspace too', async () => {
    // For an annotation.
    await project.edit('meanMs: 500', 'meanMs: 1');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qam', 'a bold objective');
    git('push', '-q', 'origin', 'main');
    const workspace = await createFixture();
    onTestFinished(() => workspace.rm());
    execFileSync('git', ['clone', '-q', remote.path, workspace.getPath('sub')]);
    const deeper = new FakeRunner(workspace.path, github);
    const given = { ...inputs, config: 'sub/gate.yml', record: 'true' };
    const recorded = await deeper.main(pushEvent(), given);
    expect(recorded.code, recorded.log).toBe(0);
    expect(git('ls-remote', 'origin')).toMatch(/refs\/heads\/perf-gate-baseline/);
    expect(recorded.outputs['report-json']).toMatch(/^sub\/\.perf-gate\//);
    expect(recorded.log).toMatch(/^::notice title=browse@few.*file=gate\.yml,line=\d+/m);
    const cleaned = await deeper.post(pushEvent(), recorded);
    expect(cleaned.log).toContain('nothing was left running');
    expect((await readdir(workspace.path)).toSorted()).toEqual(['.runner', 'sub']);
    expect(await processesMentioning(workspace.path)).toEqual([]);
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

  it('shows names that mean something to others as nothing but names', async () => {
    // As many as the comment shows; the other ones are the branch's.
    const names = Object.values(hostileNames).filter((name) => !/pwn|@/.test(name));
    git('switch', '-q', '-c', 'a";-echo-pwn-#@org/team');
    await project.edit('    endpoints: [list, detail]\n', '');
    await project.write(
      'journey.js',
      `import http from 'k6/http';
       export default function () {
         for (const name of ${JSON.stringify(names)}) http.get(__ENV.BASE_URL + '/list', { tags: { name } });
       }`,
    );
    const recorded = await record();
    const { code, log, summary, ...files } = await runner.main(pullRequestEvent(own), inputs, slow);
    expect(code, log).toBe(1);
    expect(files).toMatchObject({ env: '', path: '' });
    // A name that knew what ends an output could go on with one of its own.
    const delimiters = [...recorded.delimiters, ...files.delimiters];
    for (const delimiter of delimiters) expect(delimiter).toMatch(/^ghadelimiter_[0-9a-f-]{36}$/);
    expect(delimiters.length).toBeGreaterThan(10);
    expect(new Set(delimiters).size).toBe(delimiters.length);
    const body = github.commentsOn(7)[0]?.body ?? '';
    for (const name of ['echo-pwn', 'org/team', '`<!-- perf-gate -->`', '`::error::x`', '`a¦b`', 'txt.exe']) {
      expect(body).toContain(name);
    }
    expect(body.length).toBeLessThan(65_536);
    expect(body.replaceAll(/`[^`\n]*`/g, '')).not.toMatch(/<!-- perf-gate -->|@org\/team/);
    const token = /^::stop-commands::(\S+)$/m.exec(log)?.[1] ?? '';
    const heard = log.slice(0, log.indexOf('::stop-commands::')) + log.slice(log.indexOf(`::${token}::`));
    expect(heard).not.toMatch(/^::error::x/m);
    for (const text of [body, summary, heard]) {
      // Of the title, which nobody asked for.
      expect(text).not.toContain('pull request of a stranger');
      expect(text).not.toContain('\u202e');
      expect(text).not.toContain('x'.repeat(1_000));
    }
  });

  it.each(Object.entries(hostileNames))('refuses a scenario whose name is %s', async (_, name) => {
    await project.edit('  browse:', `  ${JSON.stringify(name)}:`);
    const { code, log, summary, env, path } = await runner.main(pullRequestEvent(own), inputs);
    expect(code, log).toBe(2);
    expect({ env, path }).toEqual({ env: '', path: '' });
    expect(log).toMatch(/^::error title=perf-gate E_CONFIG\w*,file=gate\.yml,line=\d+,col=\d+::/m);
    expect(log).not.toMatch(/^::error::x|[\u202e\u2066]|x{1000}/m);
    expect(summary).toBe('');
  });

  it.each([
    ['a pull request', pullRequestEvent(own)],
    ['another branch', pushEvent('refs/heads/other')],
    ['a tag', pushEvent('refs/tags/main')],
    ['an entry of a merge queue', mergeGroupEvent()],
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

describe('a base commit measured against the head', () => {
  const commit = (message: string) =>
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qam', message);

  /**
   * A pull request that makes the service slower, checked out as actions/checkout does it: its merge alone. Its event
   * names what was main before others merged theirs.
   */
  async function mergeCheckout({ changesLoad = false } = {}): Promise<{
    path: string;
    event: RunnerEvent;
    mergedOnto: string;
    headSha: string;
  }> {
    const opened = git('rev-parse', 'HEAD').trim();
    git('switch', '-qc', 'slower');
    await project.edit('? 4 + delayMs', '? 64 + delayMs', 'server.mjs');
    if (changesLoad)
      await project.edit('export default', '// Another journey.\nexport default', 'journey.js');
    commit('slower');
    const headSha = git('rev-parse', 'HEAD').trim();
    git('switch', '-q', 'main');
    await project.edit('tiny: out of seats', 'tiny: no seats left', 'server.mjs');
    commit('of others');
    git('push', '-q', 'origin', 'main');
    const mergedOnto = git('rev-parse', 'HEAD').trim();
    git('switch', '-q', '--detach');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'merge', '-q', '--no-ff', 'slower');
    git('push', '-q', 'origin', 'HEAD:refs/pull/7/merge');
    const path = join(project.fixture.path, '.runner/checkout');
    const at = (...args: string[]) => execFileSync('git', ['-C', path, ...args]);
    execFileSync('git', ['init', '-q', path]);
    at('remote', 'add', 'origin', `file://${remote.path}`);
    at('fetch', '-q', '--no-tags', '--depth=1', 'origin', 'refs/pull/7/merge');
    at('checkout', '-q', '--detach', 'FETCH_HEAD');
    return { path, event: pullRequestEvent({ ...own, headSha }, opened), mergedOnto, headSha };
  }

  const published = () => runner.publish(workflowRunEvent(own), config);

  it('is fetched for a shallow checkout, confirms a regression, and is judged anew on the trusted side', async () => {
    await record();
    const { path, event, mergedOnto, headSha } = await mergeCheckout();
    github.readOnly = true;
    const measured = await new FakeRunner(path, github).main(event, config);
    expect(measured.log).toContain(`so re-measured against ${mergedOnto.slice(0, 8)}`);
    expect(measured.code, measured.log).toBe(1);
    expect(measured.outputs['comment-body']).toContain('re-measured against');
    const merge = execFileSync('git', ['-C', path, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).slice(0, 8);
    for (const text of [measured.outputs['comment-body'], measured.summary]) {
      expect(text).toContain(headSha.slice(0, 8));
      expect(text).not.toContain(merge);
    }
    const report = await readFile(join(path, measured.outputs['report-json'] ?? ''), 'utf8');
    expect(reportFileSchema.parse(JSON.parse(report)).beside?.base.code.commit).toBe(mergedOnto);

    github.readOnly = false;
    await upload(report);
    // The trusted checkout is that of main.
    git('switch', '-q', 'main');
    const { code, log, outputs } = await published();
    expect(code, log).toBe(0);
    expect(outputs).toMatchObject({ verdict: 'regression', 'pull-request': '7' });
    expect(github.commentsOn(7)[0]?.body).toContain('re-measured against');
  });

  it('stands in at once for stored runs that the pull request made incomparable, on the trusted side too', async () => {
    await record();
    const { path, event, mergedOnto } = await mergeCheckout({ changesLoad: true });
    const measured = await new FakeRunner(path, github).main(event, { ...config, comment: 'never' });
    expect(measured.log).toContain(`so measured against ${mergedOnto.slice(0, 8)} from the start`);
    expect(measured.code, measured.log).toBe(1);
    const report = await readFile(join(path, measured.outputs['report-json'] ?? ''), 'utf8');
    expect(Object.keys(reportFileSchema.parse(JSON.parse(report)).beside ?? {})).toEqual(['base']);
    await upload(report);
    git('switch', '-q', 'main');
    const { code, log, outputs } = await published();
    expect(code, log).toBe(0);
    expect(outputs).toMatchObject({ verdict: 'regression', 'pull-request': '7' });
    const [posted] = github.commentsOn(7);
    const why = 'no stored run is comparable, so every cell was compared with';
    expect(posted?.body).toContain(`${why} ${mergedOnto.slice(0, 8)}`);
    expect(posted?.body).toContain(`head ${own.headSha.slice(0, 8)}`);
  });

  it('clears a pull request of what the machine did', async () => {
    await record();
    const event = pullRequestEvent(own, git('rev-parse', 'HEAD').trim());
    const measured = await runner.main(event, config, slow);
    expect(measured.code, measured.log).toBe(0);
    expect(measured.summary).toContain('re-measured against');
    expect(measured.summary).not.toMatch(/\d confirmed/);
    await upload(await reportOf(measured));
    const { outputs } = await published();
    expect(outputs).toMatchObject({ verdict: measured.outputs.verdict, regressions: '0' });
  });

  it('cannot be made up without the stored baseline being heard beside it', async () => {
    await record();
    const { path, event } = await mergeCheckout();
    const sideBySide = { ...config, compare: 'side-by-side', comment: 'never' };
    const measured = await new FakeRunner(path, github).main(event, sideBySide);
    expect(measured.code, measured.log).toBe(1);
    expect(measured.outputs.verdict).toBe('regression');
    const report = reportFileSchema.parse(
      JSON.parse(await readFile(join(path, measured.outputs['report-json'] ?? ''), 'utf8')),
    );
    // Base is told to be as slow as head.
    const forged = { ...report, beside: { base: { ...report.run, code: report.beside?.base.code } } };
    await upload(JSON.stringify(forged));
    git('switch', '-q', 'main');
    const { code, log, outputs } = await published();
    expect(code, log).toBe(0);
    expect(outputs.regressions).toBe('0');
    expect(github.commentsOn(7)[0]?.body).toMatch(
      /against the stored baseline it would be: regression in browse/,
    );
  });

  it.each(['auto', 'side-by-side'])('is asked for before anything is measured: %s', async (compare) => {
    const { code, log } = await runner.main(pullRequestEvent(own), { ...config, compare });
    expect(log).toMatch(/^::error title=perf-gate E_BASE_REF::/m);
    expect(log).not.toContain('… boot');
    expect(code).toBe(2);
  });

  it('leaves nothing on either side when the job is killed', async () => {
    await project.edit('tiny: out of seats', 'tiny: no seats left', 'server.mjs');
    const event = pullRequestEvent(own, git('rev-parse', 'HEAD').trim());
    const step = await runner.start('main', event, { ...config, compare: 'side-by-side' }, {});
    await step.printed(/… load/);
    step.process.kill('SIGKILL');
    const { code, log } = await runner.post(event, await step.done);
    expect(code, log).toBe(0);
    expect(log.match(/service \(process \d+\)/g)).toHaveLength(2);
    await expect.poll(() => processesMentioning(project.fixture.path), { timeout: 10_000 }).toEqual([]);
  });
});

describe('the cache', () => {
  const warning = /^::warning title=perf-gate%3A cache::(.*)$/m;
  const kept = () => ({ 'cache-key': 'k', 'cache-paths': join(project.fixture.path, 'journey.js') });
  let cache: FakeCache;

  afterEach(() => cache.stop());

  it('is no reason for another verdict when its service is down', async () => {
    cache = await FakeCache.start('empty');
    const { env } = cache;
    await cache.stop();
    await record();
    const event = pullRequestEvent(own);
    const { code, log, outputs, state } = await runner.main(
      event,
      { ...inputs, ...kept() },
      { ...env, ...slow },
    );
    expect(code, log).toBe(1);
    expect(outputs.verdict).toBe('regression');
    expect(warning.exec(log)?.[1]).toMatch(/ECONNREFUSED.*made anew.*verdict is the same/);
    const post = await runner.post(event, { state }, env);
    expect(post.code, post.log).toBe(0);
    expect(post.log).not.toContain('::warning');
  });

  const outages = [
    ['answers with errors', 'errors', 'it answered 503'],
    ['takes requests and never answers', 'silence', 'Request timeout'],
  ] as const;
  const event = dispatchEvent();

  /** Begun, and then cancelled or not. */
  async function check(cancelled: boolean): Promise<StepResult> {
    const step = await runner.start('main', event, { ...inputs, ...kept(), compare: 'none' }, cache.env);
    await step.printed(/… boot/);
    const result = await (cancelled ? step.cancel() : step.done);
    expect(result.code, result.log).toBe(cancelled ? 130 : 0);
    return result;
  }

  it.each(outages)('is done without when its service %s', async (_, state, cause) => {
    cache = await FakeCache.start(state);
    const { log } = await check(true);
    expect(warning.exec(log)?.[1]).toContain(cause);
    expect(warning.exec(log)?.[1]).toContain('made anew');
    expect(cache.calls).toEqual([]);
  });

  it('is not waited for by a job that is cancelled while it is restored', async () => {
    cache = await FakeCache.start('stalled');
    const step = await runner.start('main', event, { ...inputs, ...kept(), compare: 'none' }, cache.env);
    await expect.poll(() => cache.calls, { timeout: 60_000 }).toEqual(['GetCacheEntryDownloadURL']);
    const result = await step.cancel();
    expect(result.code, result.log).toBe(130);
    const post = await runner.post(event, result, cache.env);
    expect(post.code, post.log).toBe(0);
    expect(post.log).toContain('nothing was started');
    expect(cache.calls).toHaveLength(1);
  });

  it('is not waited for by a job that is cancelled while it is saved', async () => {
    cache = await FakeCache.start('empty');
    const result = await check(false);
    cache.state = 'stalled';
    const step = await runner.startPost(event, result, cache.env);
    await expect.poll(() => cache.calls, { timeout: 60_000 }).toContain('CreateCacheEntry');
    const post = await step.cancel();
    expect(post.code, post.log).toBe(130);
    expect(post.log).toContain('nothing was left running');
    expect(cache.calls).toEqual(['GetCacheEntryDownloadURL', 'CreateCacheEntry']);
  });

  it('is kept once a check is complete, if the service answers by then', async () => {
    cache = await FakeCache.start('empty');
    const result = await check(false);
    expect(result.log).toMatch(/cache perf-gate-\S+-k: miss/);
    expect(result.log).not.toMatch(warning);
    for (const [, state, cause] of outages) {
      cache.state = state;
      const post = await runner.post(event, result, cache.env);
      expect(post.code, post.log).toBe(0);
      expect(warning.exec(post.log)?.[1]).toContain(cause);
      expect(warning.exec(post.log)?.[1]).toContain('not kept');
    }
    expect(cache.calls).toEqual(['GetCacheEntryDownloadURL']);
    cache.state = 'empty';
    await runner.post(event, result, cache.env);
    expect(cache.calls).toEqual(['GetCacheEntryDownloadURL', 'CreateCacheEntry']);
  });

  it('is not kept of half a check', async () => {
    cache = await FakeCache.start('empty');
    const post = await runner.post(event, await check(true), cache.env);
    expect(post.code, post.log).toBe(0);
    expect(cache.calls).toEqual(['GetCacheEntryDownloadURL']);
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
    runner.publish(event, { ...config, comment: 'always' });

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

  it('tells of a run that was cancelled while its head was the newest, as one past its time is', async () => {
    await uploadChanged();
    await publish();
    expect(github.commentsOn(8)[0]?.body).toContain('browse@few');
    github.artifacts = [];
    const cancelled = { conclusion: 'cancelled' };
    const { code, log } = await publish(workflowRunEvent(fromFork, cancelled));
    expect(code, log).toBe(0);
    const [told, ...others] = github.commentsOn(8);
    expect(others).toEqual([]);
    expect(told?.body).toContain('**No trusted report**');
    expect(told?.body).not.toContain('browse@few');
    // One that a push has overtaken ends so too, and later than the push.
    github.pullRequests = [{ ...fromFork, headSha: 'b'.repeat(40) }];
    const overtaken = await publish(workflowRunEvent(fromFork, cancelled));
    expect(overtaken.log).toContain('it was closed, or has moved on');
    expect(github.commentsOn(8)).toEqual([told]);
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
    ['a newer schema', (text: string) => text.replace('"schema":2', '"schema":3'), /E_REPORT_NEWER/],
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

  it('judges what the attempt that ended has kept, and nothing of an earlier one', async () => {
    await uploadChanged();
    const again = github.rerun();
    const event = workflowRunEvent(fromFork, {}, again);
    const without = await publish(event);
    expect(without.code, without.log).toBe(0);
    expect(without.log).toContain('ended before it had a report');
    const earlier = github.artifacts;
    await upload('{');
    // Later ones have lower numbers, as has been seen on GitHub.
    const later = github.artifacts.map((one) => ({ ...one, id: 10, createdAt: minutesInto(again) }));
    github.artifacts = [...later, ...earlier];
    const { code, log } = await publish(event);
    expect(code, log).toBe(3);
    expect(log).toMatch(/E_REPORT_CORRUPT.*attempt 2/s);
    const late = await publish();
    expect(late.code, late.log).toBe(0);
    expect(late.log).toContain('not its newest');
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
