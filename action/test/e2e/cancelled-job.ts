import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { projectName } from '../../src/adapters/compose/project.ts';
import { FakeGitHub, type FakePullRequest } from '../github/fake-github.ts';
import { docker, lackOfEngine, nodeImage, remains } from './compose-engine.ts';
import { pullRequestEvent } from './events.ts';
import { processesMentioning, TinyProject } from './gate.ts';
import { FakeRunner, type RunningStep, type StepResult } from './runner.ts';

export type StackKind = 'process' | 'compose';

export const noEngine = lackOfEngine();
export const pull: FakePullRequest = {
  number: 7,
  state: 'open',
  headSha: 'a'.repeat(40),
  headBranch: 'slower',
  headRepository: 'octo/shop',
};
export const event = pullRequestEvent(pull);

interface Phase {
  /** Printed when the phase begins; absent if nothing is. */
  readonly begun?: RegExp;
  /** What hangs in it, where it would be over too soon. */
  readonly hangs?: Readonly<Record<StackKind, string>>;
  /** What runs by then, as a process or as a container. */
  readonly runs?: Readonly<Record<StackKind, string>>;
}

const on = (process: string, compose = process) => ({ process, compose });
export const phases = {
  build: { begun: /… build/, hangs: on('build'), runs: on('build') },
  data: { begun: /… data/, hangs: on('backing', 'data'), runs: on('helper', 'data') },
  boot: { begun: /… boot/, hangs: on('service'), runs: on('service') },
  'warm-up': { begun: /… warm-up/, runs: on('service') },
  load: { begun: /… load/, runs: on('service') },
  stop: { begun: /… stop/ },
  judging: { begun: /✓ stop/ },
  publishing: {},
} as const satisfies Record<string, Phase>;
export type PhaseName = keyof typeof phases;

/** Phases of a check that measures base and head interleaved, and the role that hangs in those that are over too soon. */
export const phasesBeside = {
  'base: build': on('build'),
  'base: data': on('backing', 'data'),
  'base: boot': on('service'),
  'head: build': on('head: build'),
  'head: data': on('head: backing', 'head: data'),
  'head: boot': on('head: service'),
  'base: warm-up': undefined,
  'head: warm-up': undefined,
  load: undefined,
  stop: undefined,
} as const satisfies Record<string, Phase['hangs']>;

export async function filesIn(folder: string): Promise<string[]> {
  return existsSync(folder) ? readdir(folder) : [];
}

/** A project whose parts can be made to hang, and the runner and the GitHub that the Action meets. */
export class CancelledJob {
  readonly project: TinyProject;
  readonly github: FakeGitHub;
  readonly runner: FakeRunner;

  static async begin(): Promise<CancelledJob> {
    const project = await TinyProject.create('cancelled');
    const job = new CancelledJob(project, await FakeGitHub.start());
    await mkdir(job.scratch());
    return job;
  }

  private constructor(project: TinyProject, github: FakeGitHub) {
    this.project = project;
    this.github = github;
    this.github.pullRequests = [pull];
    this.runner = new FakeRunner(project.fixture.path, github);
  }

  async end(): Promise<void> {
    await this.github.stop();
    expect(this.github.violations).toEqual([]);
    await this.project.fixture.rm();
  }

  /** Where everything that is started makes its temporary files. */
  scratch(): string {
    return join(this.project.fixture.path, 'tmp');
  }

  environment(stack: StackKind): Record<string, string> {
    return { TMPDIR: this.scratch(), ...(stack === 'compose' ? { NODE_IMAGE: nodeImage() } : {}) };
  }

  /** A machine that has what a pull request needs before anything is measured, but no Docker. */
  async pathWithGitOnly(): Promise<Record<string, string>> {
    const bin = join(this.project.fixture.path, 'bin');
    await mkdir(bin);
    await symlink(
      execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(),
      join(bin, 'git'),
    );
    return { PATH: bin };
  }

  /** Whether a process or a container plays the role. */
  async isRunning(role: string): Promise<boolean> {
    const commands = await processesMentioning(this.project.fixture.path);
    if (commands.some((line) => line.includes(`stubborn.mjs ${role}`))) return true;
    if (noEngine !== undefined) return false;
    const label = (name: string, value: string) => ['--filter', `label=com.docker.compose.${name}=${value}`];
    const ofProject = label('project', projectName(this.project.fixture.path));
    return docker('ps', '-q', ...ofProject, ...label('service', role)).length > 0;
  }

  /** A step that is in the middle of that phase. */
  async stepIn(name: PhaseName, stack: StackKind, env: Record<string, string> = {}): Promise<RunningStep> {
    const { begun, hangs, runs }: Phase = phases[name];
    if (name === 'publishing')
      this.github.failures = [{ method: 'GET', path: /./, times: 99, answer: 'silence' }];
    const inputs = { config: 'gate.yml', stack, compare: 'none', comment: 'always' };
    const step = await this.runner.start('main', event, inputs, {
      ...this.environment(stack),
      ...(hangs === undefined ? {} : { HANG: hangs[stack] }),
      ...env,
    });
    if (begun !== undefined) await step.printed(begun);
    if (runs !== undefined)
      await expect.poll(() => this.isRunning(runs[stack]), { timeout: 60_000 }).toBe(true);
    if (name === 'publishing')
      await expect.poll(() => this.github.requests, { timeout: 60_000 }).not.toEqual([]);
    return step;
  }

  /** Everything that a check could have left. */
  async left(stack: StackKind): Promise<string[]> {
    const root = this.project.fixture.path;
    const home = join(root, '.perf-gate');
    const checkouts = [
      root,
      ...(await filesIn(join(home, 'bases'))).map((name) => join(home, 'bases', name)),
    ];
    return [
      ...(await processesMentioning(root)),
      ...(stack === 'compose' ? checkouts.flatMap((checkout) => remains(projectName(checkout))) : []),
      ...(await filesIn(this.scratch())),
      // Build outputs stay, as after every check; the lists of what runs do not.
      ...[...(await filesIn(join(home, 'work'))), ...(await filesIn(join(home, 'work/base')))].filter(
        (name) => name.endsWith('.json'),
      ),
      ...(await filesIn(join(home, 'work/branch'))),
      ...(existsSync(join(home, 'lock')) ? ['the lock of the checkout'] : []),
    ];
  }

  /** Runs post twice: after the first nothing is left, and the second finds that. Answers with what the first said. */
  async cleanUp(stack: StackKind, result: Pick<StepResult, 'state'>): Promise<string> {
    const first = await this.runner.post(event, result, this.environment(stack));
    expect(first.code, first.log).toBe(0);
    // k6 ends as soon as it writes to the pipe that has ended with the gate.
    await expect.poll(() => this.left(stack), { timeout: 60_000 }).toEqual([]);
    const second = await this.runner.post(event, result, this.environment(stack));
    expect(second).toMatchObject({ code: 0, log: expect.stringContaining('nothing was left running') });
    return first.log;
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.project.fixture.path, ...args], { encoding: 'utf8' }).trim();
  }

  /** Makes the project a checkout of one commit. */
  commit(): void {
    this.git('init', '-q', '-b', 'main');
    this.git('add', 'gate.yml', 'compose.yml', 'journey.js', 'stubborn.mjs');
    this.git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'first');
  }
}
