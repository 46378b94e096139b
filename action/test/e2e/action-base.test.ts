import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reportFileSchema } from '../../src/model/report-file.ts';
import type { FakeGitHub } from '../github/fake-github.ts';
import { ActionJob, config, own } from './action-job.ts';
import { pullRequestEvent, workflowRunEvent } from './events.ts';
import { processesMentioning, slow, type TinyProject } from './gate.ts';
import { FakeRunner, type RunnerEvent } from './runner.ts';

let job: ActionJob;
let project: TinyProject;
let github: FakeGitHub;
let runner: FakeRunner;

beforeEach(async () => {
  // The stored runs have to prove a regression alone, even if they were recorded in a bad moment of the host.
  job = await ActionJob.begin({ rounds: 5 });
  ({ project, github, runner } = job);
});

afterEach(() => job.end());

describe('a base commit measured against the head', () => {
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
    const opened = job.git('rev-parse', 'HEAD').trim();
    job.git('switch', '-qc', 'slower');
    await project.makeSlower();
    if (changesLoad)
      await project.edit('export default', '// Another journey.\nexport default', 'journey.js');
    job.commit('slower');
    const headSha = job.git('rev-parse', 'HEAD').trim();
    job.git('switch', '-q', 'main');
    await project.edit('tiny: out of seats', 'tiny: no seats left', 'server.mjs');
    job.commit('of others');
    job.git('push', '-q', 'origin', 'main');
    const mergedOnto = job.git('rev-parse', 'HEAD').trim();
    job.git('switch', '-q', '--detach');
    job.git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'merge', '-q', '--no-ff', 'slower');
    job.git('push', '-q', 'origin', 'HEAD:refs/pull/7/merge');
    const path = join(project.fixture.path, '.runner/checkout');
    const at = (...args: string[]) => execFileSync('git', ['-C', path, ...args]);
    execFileSync('git', ['init', '-q', path]);
    at('remote', 'add', 'origin', `file://${job.remote.path}`);
    at('fetch', '-q', '--no-tags', '--depth=1', 'origin', 'refs/pull/7/merge');
    at('checkout', '-q', '--detach', 'FETCH_HEAD');
    return { path, event: pullRequestEvent({ ...own, headSha }, opened), mergedOnto, headSha };
  }

  const published = () => {
    for (const commit of job.git('rev-list', 'main').trim().split('\n')) github.baseHistory.add(commit);
    return runner.publish(workflowRunEvent(own), config);
  };

  it('is fetched for a shallow checkout, confirms a regression, and is judged anew on the trusted side', async () => {
    await job.haveBaseline();
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
    expect(reportFileSchema.parse(JSON.parse(report)).again?.base.code.commit).toBe(mergedOnto);

    github.readOnly = false;
    await job.upload(report);
    // The trusted checkout is that of main.
    job.git('switch', '-q', 'main');
    const { code, log, outputs } = await published();
    expect(code, log).toBe(0);
    expect(outputs).toMatchObject({ verdict: 'regression', 'pull-request': '7' });
    expect(github.commentsOn(7)[0]?.body).toContain('re-measured against');
  });

  it('stands in at once for stored runs that the pull request made incomparable, on the trusted side too', async () => {
    await job.haveBaseline();
    const { path, event, mergedOnto } = await mergeCheckout({ changesLoad: true });
    const measured = await new FakeRunner(path, github).main(event, { ...config, comment: 'never' });
    expect(measured.log).toContain(`so measured against ${mergedOnto.slice(0, 8)} from the start`);
    expect(measured.code, measured.log).toBe(1);
    const report = await readFile(join(path, measured.outputs['report-json'] ?? ''), 'utf8');
    expect(reportFileSchema.parse(JSON.parse(report)).base?.code.commit).toBe(mergedOnto);
    await job.upload(report);
    job.git('switch', '-q', 'main');
    const { code, log, outputs } = await published();
    expect(code, log).toBe(0);
    expect(outputs).toMatchObject({ verdict: 'regression', 'pull-request': '7' });
    const [posted] = github.commentsOn(7);
    const why = 'no stored run is comparable, so every cell was measured interleaved with';
    expect(posted?.body).toContain(`${why} ${mergedOnto.slice(0, 8)}`);
    expect(posted?.body).toContain(`head ${own.headSha.slice(0, 8)}`);
  });

  it('clears a pull request of what the machine did, on both sides if a clear suspect ended the measurement', async () => {
    await job.haveBaseline();
    const event = pullRequestEvent(own, job.git('rev-parse', 'HEAD').trim());
    const measured = await runner.main(event, config, slow);
    expect(measured.code, measured.log).toBe(0);
    expect(measured.summary).toContain('re-measured against');
    expect(measured.summary).not.toMatch(/\d confirmed/);
    const report = await job.reportOf(measured);
    expect(reportFileSchema.parse(JSON.parse(report)).run.endedEarly).toBe(true);
    await job.upload(report);
    const { outputs } = await published();
    expect(outputs).toMatchObject({ verdict: measured.outputs.verdict, regressions: '0' });
  });

  it('cannot be forged to clear what the stored baseline proves', async () => {
    await job.haveBaseline();
    const { path, event } = await mergeCheckout();
    const sideBySide = { ...config, compare: 'side-by-side', comment: 'never' };
    const measured = await new FakeRunner(path, github).main(event, sideBySide);
    expect(measured.code, measured.log).toBe(1);
    expect(measured.outputs.verdict).toBe('regression');
    const report = reportFileSchema.parse(
      JSON.parse(await readFile(join(path, measured.outputs['report-json'] ?? ''), 'utf8')),
    );
    // The forged report says that base is as slow as head.
    const forged = { ...report, base: { ...report.run, code: report.base?.code } };
    await job.upload(JSON.stringify(forged));
    job.git('switch', '-q', 'main');
    const { code, log, outputs } = await published();
    expect(code, log).toBe(0);
    expect(outputs.verdict).toBe('regression');
    expect(github.commentsOn(7)[0]?.body).toMatch(/^🔴 \*\*/m);
    expect(github.commentsOn(7)[0]?.body).toContain('/perf-gate accept REASON');
  });

  it.each(['auto', 'side-by-side'])('is asked for before anything is measured: %s', async (compare) => {
    const { code, log } = await runner.main(pullRequestEvent(own), { ...config, compare });
    expect(log).toMatch(/^::error title=perf-gate E_BASE_REF::/m);
    expect(log).not.toContain('… boot');
    expect(code).toBe(2);
  });

  it('leaves nothing on either side when the job is killed', async () => {
    await project.edit('tiny: out of seats', 'tiny: no seats left', 'server.mjs');
    const event = pullRequestEvent(own, job.git('rev-parse', 'HEAD').trim());
    const step = await runner.start('main', event, { ...config, compare: 'side-by-side' }, {});
    await step.printed(/… load/);
    step.process.kill('SIGKILL');
    const { code, log } = await runner.post(event, await step.done);
    expect(code, log).toBe(0);
    expect(log.match(/service \(process \d+\)/g)).toHaveLength(2);
    await expect.poll(() => processesMentioning(project.fixture.path)).toEqual([]);
  });
});
