import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ActionJob, inputs, own } from './action-job.ts';
import { dispatchEvent, pullRequestEvent } from './events.ts';
import { FakeCache } from './fake-cache.ts';
import { slow, type TinyProject } from './gate.ts';
import type { FakeRunner, StepResult } from './runner.ts';

let job: ActionJob;
let project: TinyProject;
let runner: FakeRunner;

beforeEach(async () => {
  job = await ActionJob.begin();
  ({ project, runner } = job);
});

afterEach(() => job.end());

describe('the cache', () => {
  const warning = /^::warning title=perf-gate%3A cache::(.*)$/m;
  const kept = () => ({ cache: 'k', 'cache-path': join(project.fixture.path, 'journey.js') });
  let cache: FakeCache;

  afterEach(() => cache.stop());

  it('is no reason for another verdict when its service is down', async () => {
    cache = await FakeCache.start('empty');
    const { env } = cache;
    await cache.stop();
    await job.haveBaseline();
    const event = pullRequestEvent(own);
    const { code, log, outputs, state } = await runner.main(
      event,
      { ...inputs, ...kept() },
      { ...env, ...slow },
    );
    expect(code, log).toBe(1);
    expect(outputs.verdict).toBe('regression');
    expect(warning.exec(log)?.[1]).toMatch(
      /ECONNREFUSED.*This run builds everything again.*verdict is the same/,
    );
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
    expect(warning.exec(log)?.[1]).toContain('This run builds everything again');
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
    expect(result.outputs['cache-hit']).toBe('false');
    expect(result.log).not.toMatch(warning);
    for (const [, state, cause] of outages) {
      cache.state = state;
      const post = await runner.post(event, result, cache.env);
      expect(post.code, post.log).toBe(0);
      expect(warning.exec(post.log)?.[1]).toContain(cause);
      expect(warning.exec(post.log)?.[1]).toContain('The next run builds everything again');
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
