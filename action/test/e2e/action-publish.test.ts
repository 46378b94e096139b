import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeGitHub, minutesInto } from '../github/fake-github.ts';
import { ActionJob, config, fromFork, inputs } from './action-job.ts';
import { pullRequestEvent, workflowRunEvent } from './events.ts';
import type { TinyProject } from './gate.ts';
import type { FakeRunner } from './runner.ts';

let job: ActionJob;
let project: TinyProject;
let github: FakeGitHub;
let runner: FakeRunner;

beforeEach(async () => {
  job = await ActionJob.begin();
  ({ project, github, runner } = job);
});

afterEach(() => job.end());

describe('publishing', () => {
  /** Measured once, because these tests are about what becomes of a report. */
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
    report = await job.reportOf(measured);
  });

  const uploadChanged = (change: (text: string) => string = (text) => text) =>
    job.upload(change(report ?? ''));

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
    expect(log).toContain('ended before it wrote a report');
    expect(github.comments).toEqual([]);
  });

  it('reports a run that was cancelled while its head was the newest, as a run past its time limit is', async () => {
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
    expect(overtaken.log).toContain('it was closed, or has a newer head');
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
    ['another schema', (text: string) => text.replace('"schema":3', '"schema":4'), /E_REPORT_VERSION/],
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
    expect(without.log).toContain('ended before it wrote a report');
    const earlier = github.artifacts;
    await job.upload('{');
    // Later ones have lower numbers, as has been seen on GitHub.
    const later = github.artifacts.map((one) => ({ ...one, id: 10, createdAt: minutesInto(again) }));
    github.artifacts = [...later, ...earlier];
    const { code, log } = await publish(event);
    expect(code, log).toBe(3);
    expect(log).toMatch(/E_REPORT_CORRUPT.*attempt 2/s);
    const late = await publish();
    expect(late.code, late.log).toBe(0);
    expect(late.log).toContain('only the newest counts');
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
