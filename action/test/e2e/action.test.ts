import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { reportFileSchema } from '../../src/model/report-file.ts';
import type { FakeGitHub } from '../github/fake-github.ts';
import { hostileNames } from '../github/hostile-names.ts';
import { ActionJob, config, fromFork, inputs, own } from './action-job.ts';
import { dispatchEvent, mergeGroupEvent, pullRequestEvent, pushEvent, workflowRunEvent } from './events.ts';
import { processesMentioning, slow, type TinyProject } from './gate.ts';
import { FakeRunner } from './runner.ts';

let job: ActionJob;
let project: TinyProject;
let github: FakeGitHub;
let runner: FakeRunner;

beforeEach(async () => {
  job = await ActionJob.begin();
  ({ project, github, runner } = job);
});

afterEach(() => job.end());

describe('the Action', () => {
  it('records main, passes the same code in silence, and names a regression in a comment', async () => {
    await job.record();
    expect(job.git('ls-remote', 'origin', 'perf-gate-baseline')).toMatch(/refs\/heads\/perf-gate-baseline/);

    // What looks worse by chance is measured again next to base.
    const unchanged = pullRequestEvent(own, job.git('rev-parse', 'HEAD').trim());
    const good = await runner.main(unchanged, config);
    expect(good.code, good.log).toBe(0);
    expect(good.outputs, good.summary).toMatchObject({
      verdict: expect.stringMatching(/pass|coarse/),
      regressions: '0',
    });
    expect(good.summary).toContain('browse@few');
    const page = await readFile(join(project.fixture.path, good.outputs['report-html'] ?? ''), 'utf8');
    expect(page).toContain('class="axis"');
    const series = await readFile(join(project.fixture.path, good.outputs.series ?? ''));
    expect(series.length).toBeGreaterThan(500);
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

    const mended = await runner.main(unchanged, config);
    expect(mended.code, mended.log).toBe(0);
    expect(github.commentsOn(7)).toHaveLength(1);
    expect(github.commentsOn(7)[0]?.body).not.toBe(comment?.body);
  });

  it('fails if the baseline branch refuses a run, and leaves it as it was', async () => {
    await job.haveBaseline();
    const before = job.git('ls-remote', 'origin');
    const refusal = '#!/bin/sh\necho "error: GH013: Repository rule violations found" >&2\nexit 1\n';
    await writeFile(job.remote.getPath('hooks/pre-receive'), refusal, { mode: 0o755 });
    const { code, log, outputs } = await job.measureAndRecord(config);
    expect(code, log).toBe(3);
    expect(log).toMatch(/^::error title=perf-gate E_BASELINE_PROTECTED::/m);
    expect(outputs).toEqual({});
    expect(job.git('ls-remote', 'origin')).toBe(before);
  });

  it('measures nothing in a job that is to write the baseline branch as well', async () => {
    const { code, log } = await runner.main(pushEvent(), { ...inputs, record: 'true' });
    expect(code, log).toBe(2);
    expect(log).toMatch(/^::error title=perf-gate E_RECORD_BRANCH::/m);
    expect(log).not.toContain('… build');
  });

  it('records in a file of the runner, with no token that writes', async () => {
    const file = { 'baseline-store': 'file' };
    const recorded = await runner.main(pushEvent(), { ...inputs, ...file, record: 'true' });
    expect(recorded.code, recorded.log).toBe(0);
    const unchanged = pullRequestEvent(own, job.git('rev-parse', 'HEAD').trim());
    const { code, log, outputs } = await runner.main(unchanged, { ...config, ...file });
    expect(code, log).toBe(0);
    expect(outputs['worst-p95-change']).toMatch(/^-?\d/);
  });

  it('gives a pull request from a fork the same verdict without a token that writes, and publishes it from the trusted side', async () => {
    await job.haveBaseline();
    github.readOnly = true;
    const head = job.git('ls-remote', 'origin');
    const measured = await runner.main(pullRequestEvent(fromFork), inputs, slow);
    expect(measured.code, measured.log).toBe(1);
    expect(measured.outputs.verdict).toBe('regression');
    expect(measured.summary).toContain('token may not write');
    expect(job.git('ls-remote', 'origin')).toBe(head);
    expect(github.comments).toEqual([]);

    github.readOnly = false;
    await job.upload(await job.reportOf(measured));
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
    job.commit('a bold objective');
    job.git('push', '-q', 'origin', 'main');
    const workspace = await createFixture();
    onTestFinished(() => workspace.rm());
    execFileSync('git', ['clone', '-q', job.remote.path, workspace.getPath('sub')]);
    const deeper = new FakeRunner(workspace.path, github);
    const given = { config: 'sub/gate.yml' };
    const recorded = await job.measureAndRecord(given, deeper);
    expect(recorded.code, recorded.log).toBe(0);
    expect(job.git('ls-remote', 'origin')).toMatch(/refs\/heads\/perf-gate-baseline/);
    const compared = await deeper.main(pullRequestEvent(own), { ...inputs, ...given });
    expect(compared.outputs['report-json']).toMatch(/^sub\/\.perf-gate\//);
    expect(compared.log).toMatch(/^::notice title=browse@few.*file=gate\.yml,line=\d+/m);
    const cleaned = await deeper.post(pullRequestEvent(own), compared);
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
      { ACTIONS_RUNTIME_TOKEN: 'of-the-runner', GITHUB_TOKEN: 'of-the-job', SECRET: 'of-the-workflow' },
    );
    expect(code, log).toBe(0);
    const seen = await readFile(join(project.fixture.path, 'env.txt'), 'utf8');
    expect(seen).toContain('GITHUB_REPOSITORY=octo/shop');
    expect(seen).not.toMatch(
      /token-of-the-job|of-the-runner|of-the-workflow|of-the-job|GITHUB_(ENV|PATH|OUTPUT|STATE)=/,
    );
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
    // As many as the comment shows; the other ones are the branches'.
    const names = Object.values(hostileNames).filter((name) => !/pwn|@/.test(name));
    job.git('switch', '-q', '-c', 'a";-echo-pwn-#@org/team');
    const hostile = { ...own, headBranch: 'a";-echo-pwn-#@org/team' };
    await project.edit('    endpoints: [list, detail]\n', '');
    await project.write(
      'journey.js',
      `import http from 'k6/http';
       export default function () {
         for (const name of ${JSON.stringify(names)}) http.get(__ENV.BASE_URL + '/list', { tags: { name } });
       }`,
    );
    job.commit('names');
    const recorded = await job.record();
    // A pass through all names has to fit into a block.
    const somewhatSlow = { TINY_DELAY_MS: '200' };
    const { code, log, summary, ...files } = await runner.main(
      pullRequestEvent(hostile),
      inputs,
      somewhatSlow,
    );
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
    const { code, log } = await runner.main(event, { ...inputs, 'baseline-store': 'file', record: 'true' });
    expect(log).toContain('E_RECORD_TRIGGER');
    expect(code).toBe(2);
    expect(job.git('ls-remote', 'origin')).not.toContain('baseline');
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
    expect(report.run.cells[0]?.blocks[0]?.countedSeconds).toBeCloseTo(3, 0);
    expect(github.requests).toEqual([]);
  });

  it('says in the summary why there is no comment without a token', async () => {
    const { code, log, summary } = await runner.main(pullRequestEvent(own), {
      ...inputs,
      comment: 'always',
      'github-token': '',
    });
    expect(code, log).toBe(0);
    expect(summary).toContain('the step got no token');
    expect(github.requests).toEqual([]);
  });

  it('has the same verdict when GitHub is down', async () => {
    await job.haveBaseline();
    github.failures = [{ method: 'GET', path: /./, times: 99, answer: 'reset' }];
    const { code, log, outputs, summary } = await runner.main(pullRequestEvent(own), inputs, slow);
    expect(code, log).toBe(1);
    expect(outputs.verdict).toBe('regression');
    expect(summary).toContain('There is no comment');
    expect(log).toMatch(/^::warning title=perf-gate%3A no comment/m);
  });
});
