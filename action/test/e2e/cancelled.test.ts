import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectName } from '../../src/adapters/compose/project.ts';
import { archiveOf } from '../github/archive.ts';
import { FakeGitHub, type FakePullRequest } from '../github/fake-github.ts';
import { docker, lackOfEngine, nodeImage, remains } from './compose-engine.ts';
import { pullRequestEvent, pushEvent, workflowRunEvent } from './events.ts';
import { processesMentioning, TinyProject } from './gate.ts';
import { HalfRelease } from './half-release.ts';
import { FakeRunner, type RunnerEvent, type RunningStep, type StepResult } from './runner.ts';

type StackKind = 'process' | 'compose';

const noEngine = lackOfEngine();
const pull: FakePullRequest = {
  number: 7,
  state: 'open',
  headSha: 'a'.repeat(40),
  headBranch: 'slower',
  headRepository: 'octo/shop',
};
const event = pullRequestEvent(pull);

interface Phase {
  /** Printed when the phase begins; absent if nothing is. */
  readonly begun?: RegExp;
  /** What hangs in it, where it would be over too soon. */
  readonly hangs?: Readonly<Record<StackKind, string>>;
  /** What runs by then, as a process or as a container. */
  readonly runs?: Readonly<Record<StackKind, string>>;
}

const on = (process: string, compose = process) => ({ process, compose });
const phases = {
  build: { begun: /… build/, hangs: on('build'), runs: on('build') },
  data: { begun: /… data/, hangs: on('backing', 'data'), runs: on('helper', 'data') },
  boot: { begun: /… boot/, hangs: on('service'), runs: on('service') },
  'warm-up': { begun: /… warm-up/, runs: on('service') },
  load: { begun: /… load/, runs: on('service') },
  stop: { begun: /… stop/ },
  judging: { begun: /✓ stop/ },
  publishing: {},
} as const satisfies Record<string, Phase>;
type PhaseName = keyof typeof phases;

/** Phases of a check that measures base and head by turns, and the role that hangs in those that are over too soon. */
const phasesBeside = {
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

let project: TinyProject;
let github: FakeGitHub;
let runner: FakeRunner;

beforeEach(async () => {
  project = await TinyProject.create('cancelled');
  await mkdir(scratch());
  github = await FakeGitHub.start();
  github.pullRequests = [pull];
  runner = new FakeRunner(project.fixture.path, github);
});

afterEach(async () => {
  await github.stop();
  expect(github.violations).toEqual([]);
  await project.fixture.rm();
});

/** Where whatever is started makes its temporary files. */
function scratch(): string {
  return join(project.fixture.path, 'tmp');
}

function environment(stack: StackKind): Record<string, string> {
  return { TMPDIR: scratch(), ...(stack === 'compose' ? { NODE_IMAGE: nodeImage() } : {}) };
}

/** A machine that has what a pull request needs before anything is measured, but no Docker. */
async function pathWithGitOnly(): Promise<Record<string, string>> {
  const bin = join(project.fixture.path, 'bin');
  await mkdir(bin);
  await symlink(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), join(bin, 'git'));
  return { PATH: bin };
}

/** Whether something plays the role, as a process or as a container. */
async function isThere(role: string): Promise<boolean> {
  const commands = await processesMentioning(project.fixture.path);
  if (commands.some((line) => line.includes(`stubborn.mjs ${role}`))) return true;
  if (noEngine !== undefined) return false;
  const label = (name: string, value: string) => ['--filter', `label=com.docker.compose.${name}=${value}`];
  const ofProject = label('project', projectName(project.fixture.path));
  return docker('ps', '-q', ...ofProject, ...label('service', role)).length > 0;
}

/** A step that is in the middle of that phase. */
async function stepIn(
  name: PhaseName,
  stack: StackKind,
  env: Record<string, string> = {},
): Promise<RunningStep> {
  const { begun, hangs, runs }: Phase = phases[name];
  if (name === 'publishing') github.failures = [{ method: 'GET', path: /./, times: 99, answer: 'silence' }];
  const inputs = { config: 'gate.yml', stack, compare: 'none', comment: 'always' };
  const step = await runner.start('main', event, inputs, {
    ...environment(stack),
    ...(hangs === undefined ? {} : { HANG: hangs[stack] }),
    ...env,
  });
  if (begun !== undefined) await step.printed(begun);
  if (runs !== undefined) await expect.poll(() => isThere(runs[stack]), { timeout: 20_000 }).toBe(true);
  if (name === 'publishing') await expect.poll(() => github.requests, { timeout: 60_000 }).not.toEqual([]);
  return step;
}

async function filesIn(folder: string): Promise<string[]> {
  return existsSync(folder) ? readdir(folder) : [];
}

/** Everything that a check could have left. */
async function left(stack: StackKind): Promise<string[]> {
  const root = project.fixture.path;
  const home = join(root, '.perf-gate');
  const checkouts = [root, ...(await filesIn(join(home, 'bases'))).map((name) => join(home, 'bases', name))];
  return [
    ...(await processesMentioning(root)),
    ...(stack === 'compose' ? checkouts.flatMap((checkout) => remains(projectName(checkout))) : []),
    ...(await filesIn(scratch())),
    // What was built is kept, as after every check; lists of what runs are not.
    ...[...(await filesIn(join(home, 'work'))), ...(await filesIn(join(home, 'work/base')))].filter((name) =>
      name.endsWith('.json'),
    ),
    ...(await filesIn(join(home, 'work/branch'))),
    ...(existsSync(join(home, 'lock')) ? ['the lock of the checkout'] : []),
  ];
}

/** Runs post twice: after the first nothing is left, and the second finds that. Answers with what the first said. */
async function cleanUp(stack: StackKind, result: Pick<StepResult, 'state'>): Promise<string> {
  const first = await runner.post(event, result, environment(stack));
  expect(first.code, first.log).toBe(0);
  // k6 ends by itself as soon as it writes to the pipe that has ended with the gate.
  await expect.poll(() => left(stack), { timeout: 10_000 }).toEqual([]);
  const second = await runner.post(event, result, environment(stack));
  expect(second).toMatchObject({ code: 0, log: expect.stringContaining('nothing was left running') });
  return first.log;
}

const engine = { process: undefined, compose: noEngine };

function git(...args: string[]): string {
  return execFileSync('git', ['-C', project.fixture.path, ...args], { encoding: 'utf8' }).trim();
}

/** Makes the project a checkout of one commit. */
function commit(): void {
  git('init', '-q', '-b', 'main');
  git('add', 'gate.yml', 'compose.yml', 'journey.js', 'stubborn.mjs');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'first');
}

describe.each(['process', 'compose'] as const)('a job that is cancelled, with the %s stack,', (stack) => {
  describe.skipIf(engine[stack] !== undefined)('leaves nothing', () => {
    it.each(Object.keys(phases) as PhaseName[])('in the phase %s', async (name) => {
      const step = await stepIn(name, stack);
      const { code, log, ...result } = await step.cancel();
      // Once everything is measured, the rest of the work may be shorter than giving it up.
      expect(name === 'stop' || name === 'judging' ? [0, 130] : [130], log).toContain(code);
      expect(await cleanUp(stack, result)).toContain('nothing was left running');
    });

    it.each(['build', 'data', 'boot', 'warm-up', 'load'] as const)(
      'when it is killed outright in the phase %s',
      async (name) => {
        const step = await stepIn(name, stack);
        step.process.kill('SIGKILL');
        expect(await cleanUp(stack, await step.done)).toContain('ended what was left running');
      },
    );

    it('after SIGTERM alone', async () => {
      const step = await stepIn('load', stack);
      step.process.kill('SIGTERM');
      const { code, log, ...result } = await step.done;
      expect(code, log).toBe(143);
      expect(await cleanUp(stack, result)).toContain('nothing was left running');
    });

    it.each(['data', 'load'] as const)('of what ignores every signal in the phase %s', async (name) => {
      const step = await stepIn(name, stack, { STUBBORN: 'yes' });
      const result = await step.cancel();
      // Containers are killed at once; for a process it was still waiting when the runner lost its patience.
      const [code, said] =
        stack === 'compose' ? [130, 'nothing was left running'] : [null, 'ended what was left running'];
      expect(result.code, result.log).toBe(code);
      expect(await cleanUp(stack, result)).toContain(said);
    });

    describe('of two sides that are measured by turns', () => {
      const inputs = {
        config: 'gate.yml',
        stack,
        compare: 'side-by-side',
        'base-ref': 'HEAD',
        comment: 'always',
      };

      beforeEach(async () => {
        commit();
        // Its own roles, so that head can be the one that hangs.
        await project.edit('HANG === role', 'HANG === `head: ${role}`', 'stubborn.mjs');
      });

      /** Has begun the phase, and is in it. */
      async function stepAt(name: keyof typeof phasesBeside): Promise<RunningStep> {
        const hangs = phasesBeside[name]?.[stack];
        const step = await runner.start('main', event, inputs, {
          ...environment(stack),
          ...(hangs === undefined ? {} : { HANG: hangs }),
        });
        await step.printed(new RegExp(`… ${name}`));
        return step;
      }

      it.each(Object.keys(phasesBeside) as (keyof typeof phasesBeside)[])('in the phase %s', async (name) => {
        const { code, log, ...result } = await (await stepAt(name)).cancel();
        expect(name === 'stop' ? [0, 130] : [130], log).toContain(code);
        expect(await cleanUp(stack, result)).toContain('nothing was left running');
      });

      it('when it is killed outright', async () => {
        const step = await stepAt('load');
        step.process.kill('SIGKILL');
        const said = await cleanUp(stack, await step.done);
        expect(said.match(stack === 'compose' ? /\d containers?/g : /service \(/g)).toHaveLength(2);
      });
    });
  });
});

describe('a job that is cancelled while it talks with a remote', () => {
  const recording = { config: 'gate.yml', stack: 'process', compare: 'stored', record: 'true' };
  const baseline = 'perf-gate-baseline';
  const begun = () => join(project.fixture.path, 'begun');
  const remote = () => join(project.fixture.path, 'remote.git');

  beforeEach(() => {
    commit();
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote()]);
    git('remote', 'add', 'origin', remote());
    git('push', '-q', 'origin', 'main');
  });

  /** Makes a program of the remote say that it has begun, and never end. */
  async function hang(path: string): Promise<void> {
    await writeFile(path, `#!/bin/sh\ntouch '${begun()}'\nexec sleep 600\n`, { mode: 0o755 });
  }

  /** Starts the step, and waits until that program runs. */
  async function stepThatHangs(of: RunnerEvent, inputs: Record<string, string>): Promise<RunningStep> {
    const step = await runner.start('main', of, inputs, environment('process'));
    await Promise.race([
      expect.poll(() => existsSync(begun()), { timeout: 60_000 }).toBe(true),
      step.done.then(({ log }) => expect.unreachable(log)),
    ]);
    return step;
  }

  /** Cancels the step; nothing is told, and nothing is left. */
  async function cancel(step: RunningStep): Promise<string> {
    const { code, log, ...result } = await step.cancel();
    expect(code, log).toBe(130);
    expect(result).toMatchObject({ outputs: {}, summary: '' });
    expect(await cleanUp('process', result)).toContain('nothing was left running');
    return log;
  }

  it('to read the baseline, measures nothing', async () => {
    const slow = join(project.fixture.path, 'upload-pack');
    await hang(slow);
    git('config', 'remote.origin.uploadpack', slow);
    const inputs = { config: 'gate.yml', stack: 'process', compare: 'stored' };
    const log = await cancel(await stepThatHangs(event, inputs));
    expect(log).not.toContain('… build');
  });

  it.each([
    ['before the remote has anything', 'receive-pack', 0],
    ['when the remote has it and has not taken it', 'hooks/pre-receive', 0],
    ['when the remote has taken it and has not said so', 'hooks/post-receive', 1],
  ] as const)('to record, %s, leaves it whole, and the next run records', async (_, program, landed) => {
    const slow = join(remote(), program);
    await hang(slow);
    if (program === 'receive-pack') git('config', 'remote.origin.receivepack', slow);
    const runs = () => {
      expect(git('-C', remote(), 'fsck', '--strict', '--no-dangling')).toBe('');
      const names = git('-C', remote(), 'for-each-ref', '--format=%(refname:short)').split('\n');
      if (!names.includes(baseline)) return [];
      const [marker, ...files] = git('-C', remote(), 'ls-tree', '-r', '--name-only', baseline).split('\n');
      expect(marker).toBe('baseline.json');
      return files;
    };
    await cancel(await stepThatHangs(pushEvent(), recording));
    expect(runs()).toHaveLength(landed);
    await rm(slow);
    if (program === 'receive-pack') git('config', '--unset', 'remote.origin.receivepack');
    const { code, log } = await runner.main(pushEvent(), recording, environment('process'));
    expect(code, log).toBe(0);
    expect(runs()).toHaveLength(landed + 1);
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
      const { code, log } = await runner.main(event, inputs, environment('process'));
      expect(code, log).toBe(0);
      expect(log).toContain('✓ base: boot');
      const [base = ''] = await filesIn(join(project.fixture.path, '.perf-gate/bases'));
      const tree = join(project.fixture.path, '.perf-gate/bases', base);
      expect(git('-C', tree, 'rev-parse', 'HEAD')).toBe(baseCommit);
      expect(git('-C', tree, 'status', '--porcelain', '--untracked-files=no')).toBe('');
      expect(await left('process')).toEqual([]);
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
        commit = git('-C', remote(), ...identity, ...made);
        git('-C', remote(), 'update-ref', 'refs/heads/other', commit);
        inputs = { ...beside, 'base-ref': baseRefOf(commit) };
        await hang(join(project.fixture.path, 'upload-pack'));
        git('config', 'remote.origin.uploadpack', join(project.fixture.path, 'upload-pack'));
      });

      it('measures nothing, and the next check has it', async () => {
        const log = await cancel(await stepThatHangs(event, inputs));
        expect(log).not.toContain('… build');
        git('config', '--unset', 'remote.origin.uploadpack');
        await goesThrough(inputs, commit);
      });

      it('and killed outright, leaves nothing', async () => {
        const step = await stepThatHangs(event, inputs);
        step.process.kill('SIGKILL');
        const said = await cleanUp('process', await step.done);
        expect(said).toContain(`ended what was left running: ${command} (process`);
      });
    });

    describe('whose files are being written', () => {
      const inputs = { ...beside, 'base-ref': 'HEAD' };

      beforeEach(async () => {
        await writeFile(join(project.fixture.path, '.gitattributes'), 'journey.js filter=slow\n');
        await hang(join(project.fixture.path, 'smudge'));
        git('add', '.gitattributes');
        git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'filtered');
        git('config', 'filter.slow.smudge', join(project.fixture.path, 'smudge'));
      });

      it('measures nothing, and the next check writes them again', async () => {
        const log = await cancel(await stepThatHangs(event, inputs));
        expect(log).not.toContain('… base: build');
        git('config', '--unset', 'filter.slow.smudge');
        await goesThrough(inputs, git('rev-parse', 'HEAD'));
      });

      it('and killed outright, leaves nothing that the next check would take for whole', async () => {
        const step = await stepThatHangs(event, inputs);
        step.process.kill('SIGKILL');
        const said = await cleanUp('process', await step.done);
        expect(said).toContain('ended what was left running: git worktree (process');
        git('config', '--unset', 'filter.slow.smudge');
        await goesThrough(inputs, git('rev-parse', 'HEAD'));
      });
    });
  });

  describe.each([
    ['reads', 'uploadpack', 'git fetch'],
    ['records', 'receivepack', 'git push'],
  ] as const)('and is killed outright while it %s', (_, setting, command) => {
    beforeEach(async () => {
      const slow = join(project.fixture.path, setting);
      await hang(slow);
      git('config', `remote.origin.${setting}`, slow);
    });

    it('leaves nothing', async () => {
      const step = await stepThatHangs(pushEvent(), recording);
      step.process.kill('SIGKILL');
      const said = await cleanUp('process', await step.done);
      expect(said).toContain(`ended what was left running: ${command} (process`);
    });

    it('leaves it to the next check where there is no post', async () => {
      const step = await stepThatHangs(pushEvent(), recording);
      step.process.kill('SIGKILL');
      await step.done;
      git('config', '--unset', `remote.origin.${setting}`);
      const { code, log } = await runner.main(pushEvent(), recording, environment('process'));
      expect(code, log).toBe(0);
      expect(log).toContain(`ended what an earlier check left running: ${command} (process`);
      expect(await left('process')).toEqual([]);
    });
  });
});

describe('a job that is cancelled while k6 is downloaded', () => {
  it.each([
    ['before there is an answer', 'archive', 0],
    ['half-way', 'archive', 0.5],
    ['before the checksum is known', 'checksums', 0],
  ] as const)('%s, keeps nothing of it, and the next run has a whole one', async (_, file, share) => {
    const release = await HalfRelease.start(file, share);
    try {
      const temporary = join(project.fixture.path, 'runner-temp');
      await mkdir(temporary);
      const inputs = {
        config: 'gate.yml',
        stack: 'process',
        compare: 'none',
        comment: 'never',
        'k6-version': release.version,
      };
      const env = {
        ...environment('process'),
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
      expect(await cleanUp('process', result)).toContain('nothing was left running');

      const asked = release.requests.length;
      release.goOn();
      const next = await runner.main(event, inputs, env);
      expect(next.code, next.log).toBe(0);
      expect(next.outputs.verdict).toBe('pass');
      expect(release.requests.slice(asked)).toHaveLength(2);
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
      const { code, log } = await runner.main(event, inputs, environment('process'));
      expect(code, log).toBe(0);
    }
    github.failures = [{ method, path: /comments/, times: 1, performed: true, answer: 'silence' }];
    const step = await runner.start('main', event, inputs, environment('process'));
    await expect
      .poll(() => github.requests.filter((one) => one.startsWith(method)).length, { timeout: 60_000 })
      .toBe(1);
    const { code, log, ...result } = await step.cancel();
    expect(code, log).toBe(130);
    expect(await cleanUp('process', result)).toContain('nothing was left running');
    const [left] = github.commentsOn(pull.number);
    const next = await runner.main(event, inputs, environment('process'));
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
    ['there is no Docker', pathWithGitOnly, 'nothing was left running'],
    [
      'the engine does not answer',
      async () => ({ DOCKER_HOST: 'unix:///nonexistent/docker.sock' }),
      '::warning title=perf-gate%3A not cleaned up::Something of this check may be left: ',
    ],
  ])('fails no job where %s', async (_, lacking, said) => {
    const env = await lacking();
    const inputs = { config: 'gate.yml', stack: 'compose', compare: 'none' };
    const main = await runner.main(event, inputs, { ...environment('process'), ...env });
    expect(main.code, main.log).toBe(3);
    expect(main.log).toMatch(/E_ENGINE_(MISSING|DOWN)/);
    const post = await runner.post(event, main, env);
    expect(post.code, post.log).toBe(0);
    expect(post.log).toContain(said);
  });
});
