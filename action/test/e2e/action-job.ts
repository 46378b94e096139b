import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createFixture, type FsFixture } from 'fs-fixture';
import { expect } from 'vitest';
import { FakeGitHub, type FakePullRequest } from '../github/fake-github.ts';
import { keepReport } from '../github/report-artifact.ts';
import { pushEvent } from './events.ts';
import { processesMentioning, TinyProject, wideTolerances } from './gate.ts';
import { FakeRunner, type StepResult } from './runner.ts';

export const config = { config: 'gate.yml' };

/** Compares with the stored runs alone, since most tests are not about confirming what looks worse. */
export const inputs = { ...config, compare: 'stored' };

/** A pull request from a branch of the repository itself. */
export const own: FakePullRequest = {
  number: 7,
  state: 'open',
  headSha: 'a'.repeat(40),
  headBranch: 'a";-echo-pwn-#',
  headRepository: 'octo/shop',
};
export const fromFork: FakePullRequest = { ...own, number: 8, headRepository: 'mona/shop' };

/** The baseline branch after main was recorded once. All jobs of a test file begin with the same commit. */
let recordedBranch: Buffer | undefined;
const baseline = 'perf-gate-baseline';

/** The tiny service in a repository with a remote, and the runner and the GitHub that the Action meets. */
export class ActionJob {
  readonly project: TinyProject;
  readonly remote: FsFixture;
  readonly github: FakeGitHub;
  readonly runner: FakeRunner;

  static async begin({ rounds = 4 } = {}): Promise<ActionJob> {
    const project = await TinyProject.create();
    await project.edit('floors:', wideTolerances);
    await project.edit('rounds: 2', `rounds: ${rounds}`);
    await project.edit('cells: [browse@few, browse@more]', 'cells: [browse@few]');
    await project.write('.gitignore', '.perf-gate/\n.runner/\n');
    const remote = await createFixture();
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote.path]);
    const job = new ActionJob(project, remote, await FakeGitHub.start());
    job.git('init', '-q', '-b', 'main');
    job.git('add', '-A');
    job.commit('first');
    job.git('remote', 'add', 'origin', remote.path);
    job.git('push', '-q', 'origin', 'main');
    return job;
  }

  private constructor(project: TinyProject, remote: FsFixture, github: FakeGitHub) {
    this.project = project;
    this.remote = remote;
    this.github = github;
    this.github.pullRequests = [own, fromFork];
    this.runner = new FakeRunner(project.fixture.path, github);
  }

  /** Nothing that knows the project's folder may still run, whatever the test did. */
  async end(): Promise<void> {
    await this.github.stop();
    expect(this.github.violations).toEqual([]);
    expect(await processesMentioning(this.project.fixture.path)).toEqual([]);
    await this.project.fixture.rm();
    await this.remote.rm();
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.project.fixture.path, ...args], {
      encoding: 'utf8',
      env: { ...process.env, GIT_AUTHOR_DATE: commitDate, GIT_COMMITTER_DATE: commitDate },
    });
  }

  /** Commits all changes of known files. */
  commit(message: string): void {
    this.git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qam', message);
  }

  /** Measures main in one job and stores the run on the baseline branch in another. */
  async record(): Promise<StepResult> {
    const recorded = await this.measureAndRecord(config);
    expect(recorded.code, recorded.log).toBe(0);
    return recorded;
  }

  /** Answers with what the second job did. */
  async measureAndRecord(given: { readonly config: string }, runner = this.runner): Promise<StepResult> {
    const measured = await runner.main(pushEvent(), { ...given, compare: 'none' });
    expect(measured.code, measured.log).toBe(0);
    const headSha = this.git('rev-parse', 'HEAD').trim();
    await keepReport(this.github, await runner.read(measured.outputs['report-json']), {
      name: 'perf-gate-baseline',
      headSha,
    });
    return runner.record(headSha, given);
  }

  /** Gives the remote a recorded run of main, which only the first test of a file measures. */
  async haveBaseline(): Promise<void> {
    if (recordedBranch === undefined) {
      await this.record();
      recordedBranch = execFileSync('git', ['-C', this.remote.path, 'bundle', 'create', '-', baseline]);
      return;
    }
    await writeFile(this.remote.getPath('recorded.bundle'), recordedBranch);
    execFileSync('git', [
      '-C',
      this.remote.path,
      'fetch',
      '-q',
      'recorded.bundle',
      `${baseline}:${baseline}`,
    ]);
  }

  /** The report that the measuring step left. */
  reportOf({ outputs }: Pick<StepResult, 'outputs'>): Promise<string> {
    return this.runner.read(outputs['report-json']);
  }

  upload(report: string): Promise<void> {
    return keepReport(this.github, report, { name: 'perf-gate-report', headSha: own.headSha });
  }
}

/** One date for all, so that the first commit is the same in every job. */
const commitDate = '2026-01-01T00:00:00Z';
