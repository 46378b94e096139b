import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveOf } from '../github/archive.ts';
import type { FakeGitHub } from '../github/fake-github.ts';
import { CancelledJob, event, filesIn, pull } from './cancelled-job.ts';
import { workflowRunEvent } from './events.ts';
import { processesMentioning, type TinyProject } from './gate.ts';
import { HalfRelease } from './half-release.ts';
import type { FakeRunner } from './runner.ts';

let job: CancelledJob;
let project: TinyProject;
let github: FakeGitHub;
let runner: FakeRunner;

beforeEach(async () => {
  job = await CancelledJob.begin();
  ({ project, github, runner } = job);
});

afterEach(() => job.end());

describe('a job that is cancelled while k6 is downloaded', () => {
  it.each([
    ['before there is an answer', 0],
    ['half-way', 0.5],
  ] as const)('%s, keeps nothing of it, and the next run has a whole one', async (_, share) => {
    const release = await HalfRelease.start(share);
    try {
      const temporary = join(project.fixture.path, 'runner-temp');
      await mkdir(temporary);
      const inputs = {
        config: 'gate.yml',
        stack: 'process',
        compare: 'none',
        comment: 'never',
        'k6-version': release.version,
        checksum: release.sha256,
      };
      const env = {
        ...job.environment('process'),
        PERF_GATE_K6_URL: release.url,
        RUNNER_TEMP: temporary,
        RUNNER_TOOL_CACHE: join(project.fixture.path, 'tools'),
      };
      const step = await runner.start('main', event, inputs, env);
      await release.stalled;
      const { code, log, ...result } = await step.cancel();
      expect(code, log).toBe(130);
      expect(result).toMatchObject({ outputs: {}, summary: '' });
      expect(await filesIn(env.RUNNER_TOOL_CACHE)).toEqual([]);
      expect(await job.cleanUp('process', result)).toContain('nothing was left running');

      const asked = release.requests.length;
      release.goOn();
      const next = await runner.main(event, inputs, env);
      expect(next.code, next.log).toBe(0);
      expect(next.outputs.verdict).toBe('pass');
      expect(release.requests.slice(asked)).toHaveLength(1);
    } finally {
      await release.stop();
    }
  });
});

describe('a job that is cancelled while it publishes', () => {
  const artifact = { id: 5, name: 'perf-gate-report', runId: 42, headSha: pull.headSha };

  it.each([
    ['asks for the pull request', /pulls$/],
    ['looks for the artifact', /artifacts$/],
    ['downloads it', /^\/blob/],
    ['looks for its comment', /comments$/],
  ] as const)('and %s, posts nothing', async (_, path) => {
    github.artifacts = [{ ...artifact, archive: await archiveOf({ name: 'report.json', content: '{' }) }];
    github.failures = [{ method: 'GET', path, times: 99, answer: 'silence' }];
    const step = await runner.start('publish', workflowRunEvent(pull), { config: 'gate.yml' }, {});
    await expect
      .poll(() => github.requests.some((one) => path.test(one.split(' ')[1] ?? '')), { timeout: 60_000 })
      .toBe(true);
    const { code, log, outputs } = await step.cancel();
    expect(code, log).toBe(130);
    expect(outputs).toEqual({});
    expect(github.comments).toEqual([]);
    expect(await processesMentioning(project.fixture.path)).toEqual([]);
  });
});

describe('a job that is cancelled while GitHub writes its comment', () => {
  const inputs = { config: 'gate.yml', stack: 'process', compare: 'none', comment: 'always' };

  it.each(['POST', 'PATCH'])('(%s) leaves one, which the next run finds', async (method) => {
    if (method === 'PATCH') {
      const { code, log } = await runner.main(event, inputs, job.environment('process'));
      expect(code, log).toBe(0);
    }
    github.failures = [{ method, path: /comments/, times: 1, performed: true, answer: 'silence' }];
    const step = await runner.start('main', event, inputs, job.environment('process'));
    await expect
      .poll(() => github.requests.filter((one) => one.startsWith(method)).length, { timeout: 60_000 })
      .toBe(1);
    const { code, log, ...result } = await step.cancel();
    expect(code, log).toBe(130);
    expect(await job.cleanUp('process', result)).toContain('nothing was left running');
    const [left] = github.commentsOn(pull.number);
    const next = await runner.main(event, inputs, job.environment('process'));
    expect(next.code, next.log).toBe(0);
    expect(github.commentsOn(pull.number)).toMatchObject([{ id: left?.id }]);
  });
});

describe('post', () => {
  it('has nothing to do where the check did not begin', async () => {
    const { code, log } = await runner.post(event, { state: {} });
    expect(code, log).toBe(0);
    expect(log).toContain('nothing was started');
  });

  it.each([
    ['there is no Docker', () => job.pathWithGitOnly(), 2, 'nothing was left running'],
    [
      'the engine does not answer',
      async () => ({ DOCKER_HOST: 'unix:///nonexistent/docker.sock' }),
      3,
      '::warning title=perf-gate%3A not cleaned up::Parts of this check may still run: ',
    ],
  ])('fails no job where %s', async (_, lacking, exitCode, said) => {
    const env = await lacking();
    const inputs = { config: 'gate.yml', stack: 'compose', compare: 'none' };
    const main = await runner.main(event, inputs, { ...job.environment('process'), ...env });
    expect(main.code, main.log).toBe(exitCode);
    expect(main.log).toMatch(/E_ENGINE_(MISSING|DOWN)/);
    const post = await runner.post(event, main, env);
    expect(post.code, post.log).toBe(0);
    expect(post.log).toContain(said);
  });
});
