import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepReport } from '../github/report-artifact.ts';
import { CancelledJob, event, filesIn } from './cancelled-job.ts';
import { pushEvent } from './events.ts';
import type { TinyProject } from './gate.ts';
import type { FakeRunner, RunnerEvent, RunningStep } from './runner.ts';

let job: CancelledJob;
let project: TinyProject;
let runner: FakeRunner;

beforeEach(async () => {
  job = await CancelledJob.begin();
  ({ project, runner } = job);
});

afterEach(() => job.end());

describe('a job that is cancelled while it talks with a remote', () => {
  const baseline = 'perf-gate-baseline';
  const begun = () => join(project.fixture.path, 'begun');
  /** The list of running git commands. A command may get further than its gate, which adds it once it has started. */
  const listed = () => join(project.fixture.path, '.perf-gate/work/git-commands.json');
  const remote = () => join(project.fixture.path, 'remote.git');

  beforeEach(() => {
    job.commit();
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote()]);
    job.git('remote', 'add', 'origin', remote());
    job.git('push', '-q', 'origin', 'main');
  });

  /** Makes a program of the remote say that it has begun, and never end. */
  async function hang(path: string): Promise<void> {
    await writeFile(path, `#!/bin/sh\ntouch '${begun()}'\nexec sleep 600\n`, { mode: 0o755 });
  }

  /** Starts the step, and waits until that program runs. */
  function stepThatHangs(of: RunnerEvent, inputs: Record<string, string>): Promise<RunningStep> {
    return hanging(runner.start('main', of, inputs, job.environment('process')));
  }

  /** Measures main, and keeps its report for the job that records. */
  async function measured(): Promise<string> {
    const inputs = { config: 'gate.yml', stack: 'process', compare: 'none' };
    const { code, log, outputs } = await runner.main(pushEvent(), inputs, job.environment('process'));
    expect(code, log).toBe(0);
    const headSha = job.git('rev-parse', 'HEAD');
    await keepReport(job.github, await runner.read(outputs['report-json']), {
      name: 'perf-gate-baseline',
      headSha,
    });
    return headSha;
  }

  const recording = { config: 'gate.yml' };

  async function hanging(starting: Promise<RunningStep>): Promise<RunningStep> {
    const step = await starting;
    await Promise.race([
      expect.poll(() => existsSync(begun()) && existsSync(listed()), { timeout: 60_000 }).toBe(true),
      step.done.then(({ log }) => expect.unreachable(log)),
    ]);
    return step;
  }

  /** Cancels the step, which then reports nothing and leaves nothing. */
  async function cancel(step: RunningStep): Promise<string> {
    const { code, log, ...result } = await step.cancel();
    expect(code, log).toBe(130);
    expect(result).toMatchObject({ outputs: {}, summary: '' });
    expect(await job.cleanUp('process', result)).toContain('nothing was left running');
    return log;
  }

  it('to read the baseline, measures nothing', async () => {
    const slow = join(project.fixture.path, 'upload-pack');
    await hang(slow);
    job.git('config', 'remote.origin.uploadpack', slow);
    const inputs = { config: 'gate.yml', stack: 'process', compare: 'stored' };
    const log = await cancel(await stepThatHangs(event, inputs));
    expect(log).not.toContain('… build');
  });

  it.each([
    ['before the remote has anything', 'receive-pack', 0],
    ['when the remote has it and has not taken it', 'hooks/pre-receive', 0],
    ['when the remote has taken it and has not said so', 'hooks/post-receive', 1],
  ] as const)('to record, %s, leaves it whole, and the next run records', async (_, program, landed) => {
    const commit = await measured();
    const slow = join(remote(), program);
    await hang(slow);
    if (program === 'receive-pack') job.git('config', 'remote.origin.receivepack', slow);
    const runs = () => {
      expect(job.git('-C', remote(), 'fsck', '--strict', '--no-dangling')).toBe('');
      const names = job.git('-C', remote(), 'for-each-ref', '--format=%(refname:short)').split('\n');
      if (!names.includes(baseline)) return [];
      const [marker, ...files] = job
        .git('-C', remote(), 'ls-tree', '-r', '--name-only', baseline)
        .split('\n');
      expect(marker).toBe('baseline.json');
      return files;
    };
    const step = await hanging(runner.startRecord(commit, recording));
    const cancelled = await step.cancel();
    expect(cancelled.code, cancelled.log).toBe(130);
    expect(cancelled).toMatchObject({ outputs: {}, summary: '' });
    await expect.poll(() => job.left('process')).toEqual([]);
    expect(runs()).toHaveLength(landed);
    await rm(slow);
    if (program === 'receive-pack') job.git('config', '--unset', 'remote.origin.receivepack');
    const { code, log } = await runner.record(commit, recording);
    expect(code, log).toBe(0);
    expect(runs()).toHaveLength(1);
  });

  describe('for the base commit', () => {
    /** What such short blocks come to is not what is asked here. */
    const beside = {
      config: 'gate.yml',
      stack: 'process',
      compare: 'side-by-side',
      comment: 'always',
      'fail-on': 'never',
    };

    /** Once nothing holds it up any more, the same check measures all of that commit. */
    async function goesThrough(inputs: Record<string, string>, baseCommit: string): Promise<void> {
      const { code, log } = await runner.main(event, inputs, job.environment('process'));
      expect(code, log).toBe(0);
      expect(log).toContain('✓ base: boot');
      const [base = ''] = await filesIn(join(project.fixture.path, '.perf-gate/bases'));
      const tree = join(project.fixture.path, '.perf-gate/bases', base);
      expect(job.git('-C', tree, 'rev-parse', 'HEAD')).toBe(baseCommit);
      expect(job.git('-C', tree, 'status', '--porcelain', '--untracked-files=no')).toBe('');
      expect(await job.left('process')).toEqual([]);
    }

    describe.each([
      ['looked up', 'git ls-remote', () => 'other'],
      ['fetched', 'git fetch', (commit: string) => commit],
    ])('that only the remote has, while it is %s,', (_, command, baseRefOf) => {
      let commit: string;
      let inputs: Record<string, string>;

      beforeEach(async () => {
        const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
        const made = ['commit-tree', '-p', 'main', '-m', 'of others', 'main^{tree}'];
        commit = job.git('-C', remote(), ...identity, ...made);
        job.git('-C', remote(), 'update-ref', 'refs/heads/other', commit);
        inputs = { ...beside, 'base-ref': baseRefOf(commit) };
        await hang(join(project.fixture.path, 'upload-pack'));
        job.git('config', 'remote.origin.uploadpack', join(project.fixture.path, 'upload-pack'));
      });

      it('measures nothing, and the next check has it', async () => {
        const log = await cancel(await stepThatHangs(event, inputs));
        expect(log).not.toContain('… build');
        job.git('config', '--unset', 'remote.origin.uploadpack');
        await goesThrough(inputs, commit);
      });

      it('and killed outright, leaves nothing', async () => {
        const step = await stepThatHangs(event, inputs);
        step.process.kill('SIGKILL');
        const said = await job.cleanUp('process', await step.done);
        expect(said).toContain(`ended what was left running: ${command} (process`);
      });
    });

    describe('whose files are being written', () => {
      const inputs = { ...beside, 'base-ref': 'HEAD' };

      beforeEach(async () => {
        await writeFile(join(project.fixture.path, '.gitattributes'), 'journey.js filter=slow\n');
        await hang(join(project.fixture.path, 'smudge'));
        job.git('add', '.gitattributes');
        job.git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'filtered');
        job.git('config', 'filter.slow.smudge', join(project.fixture.path, 'smudge'));
      });

      it('measures nothing, and the next check writes them again', async () => {
        const log = await cancel(await stepThatHangs(event, inputs));
        expect(log).not.toContain('… base: build');
        job.git('config', '--unset', 'filter.slow.smudge');
        await goesThrough(inputs, job.git('rev-parse', 'HEAD'));
      });

      it('and killed outright, leaves nothing that the next check would take for whole', async () => {
        const step = await stepThatHangs(event, inputs);
        step.process.kill('SIGKILL');
        const said = await job.cleanUp('process', await step.done);
        expect(said).toContain('ended what was left running: git worktree (process');
        job.git('config', '--unset', 'filter.slow.smudge');
        await goesThrough(inputs, job.git('rev-parse', 'HEAD'));
      });
    });
  });

  it('and is killed outright while it reads, leaves nothing', async () => {
    const slow = join(project.fixture.path, 'uploadpack');
    await hang(slow);
    job.git('config', 'remote.origin.uploadpack', slow);
    const step = await stepThatHangs(event, { config: 'gate.yml', stack: 'process', compare: 'stored' });
    step.process.kill('SIGKILL');
    const said = await job.cleanUp('process', await step.done);
    expect(said).toContain('ended what was left running: git fetch (process');
  });

  it.each([
    ['reads', 'uploadpack', 'git fetch'],
    ['records', 'receivepack', 'git push'],
  ])('and is killed outright while it %s, leaves it to the next check', async (_, setting, command) => {
    const commit = await measured();
    const slow = join(project.fixture.path, setting);
    await hang(slow);
    job.git('config', `remote.origin.${setting}`, slow);
    const step = await hanging(runner.startRecord(commit, recording));
    step.process.kill('SIGKILL');
    await step.done;
    job.git('config', '--unset', `remote.origin.${setting}`);
    const inputs = { config: 'gate.yml', stack: 'process', compare: 'none' };
    const { code, log } = await runner.main(event, inputs, job.environment('process'));
    expect(code, log).toBe(0);
    expect(log).toContain(`ended what an earlier check left running: ${command} (process`);
    expect(await job.left('process')).toEqual([]);
  });
});
