import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/adapters/config/file.ts';
import {
  gateInputNames,
  publishInputNames,
  readGateInputs,
  readPublishInputs,
} from '../../src/entry/action/inputs.ts';
import { withOverrides } from '../../src/entry/suite-overrides.ts';
import { planSuite } from '../../src/measure/plan.ts';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, '.github/workflows');
const texts = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly 'continue-on-error'?: boolean;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly 'runs-on': string;
  readonly 'timeout-minutes'?: number;
}
interface Workflow {
  readonly name: string;
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': unknown };
  readonly jobs: Readonly<Record<string, Job>>;
}
const workflows = new Map([...texts].map(([name, text]) => [name, parse(text) as Workflow]));
const jobs = [...workflows].flatMap(([file, { jobs: all }]) =>
  Object.entries(all).map(([name, job]) => ({ name: `${file} ${name}`, job })),
);
const steps = jobs.flatMap(({ name, job }) => job.steps.map((step) => ({ name, step })));

describe('events', () => {
  const { inputs } = (workflows.get('perf-peak.yml') as Workflow).on.workflow_dispatch as {
    readonly inputs: Readonly<Record<string, { readonly default: unknown }>>;
  };

  it('are exactly these', () => {
    const toMain = { branches: ['main'] };
    expect(Object.fromEntries([...workflows].map(([name, { on }]) => [name, on]))).toEqual({
      'ci.yml': { pull_request: null, merge_group: null, push: toMain },
      'perf-gate.yml': { pull_request: null },
      'perf-publish.yml': {
        workflow_run: { workflows: [workflows.get('perf-gate.yml')?.name], types: ['completed'] },
      },
      'perf-baseline.yml': { push: toMain },
      'perf-peak.yml': { workflow_dispatch: { inputs } },
      'release.yml': { push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } },
    });
  });

  it('by hand are half an hour of counted peak load, up the ramps, where nothing else is asked for', () => {
    expect(Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]))).toEqual({
      suite: 'peak',
      'vu-factor': '1',
      minutes: '30',
      ramp: true,
    });
    const path = join(root, 'perf/gate.yml');
    const config = withOverrides(loadConfig(path).config, 'peak', { minutes: 30, ramp: true });
    const { cells, rounds } = planSuite(config, 'peak', path, { vuFactor: 1 });
    const counted = cells.reduce((sum, { countedSeconds }) => sum + countedSeconds, 0) * rounds;
    expect(counted).toBeCloseTo(30 * 60);
    expect(cells.filter(({ stages }) => stages.length > 1).length).toBeGreaterThan(0);
  });
});

describe('permissions', () => {
  it('are none at the top of every workflow', () => {
    for (const [name, workflow] of workflows) expect(workflow.permissions, name).toEqual({});
  });

  it('are exactly these', () => {
    expect(Object.fromEntries(jobs.map(({ name, job }) => [name, job.permissions]))).toEqual({
      'ci.yml test': { contents: 'read' },
      'ci.yml ci-ok': {},
      'perf-gate.yml measure': { contents: 'read' },
      'perf-publish.yml publish': { actions: 'read', contents: 'read', 'pull-requests': 'write' },
      'perf-baseline.yml record': { contents: 'write' },
      'perf-peak.yml peak': { contents: 'read' },
      'release.yml release': { contents: 'write' },
    });
  });

  it('write nothing where the code of a pull request runs', () => {
    for (const [name, { on, jobs: all }] of workflows) {
      if (!('pull_request' in on)) continue;
      for (const { permissions = {} } of Object.values(all)) {
        expect(Object.values(permissions), name).not.toContain('write');
      }
    }
  });

  it('are never those of pull_request_target', () => {
    for (const [name, { on }] of workflows)
      expect(Object.keys(on), name).not.toContain('pull_request_target');
  });
});

describe('the trusted workflow', () => {
  const { on, jobs: all } = workflows.get('perf-publish.yml') as Workflow;
  const own = Object.values(all).flatMap((job) => job.steps);

  it('runs after the measuring one, and no command of its own', () => {
    expect(Object.keys(on)).toEqual(['workflow_run']);
    expect(own.filter(({ run }) => run !== undefined)).toEqual([]);
    expect(own.map(({ uses }) => uses?.split('@')[0])).toEqual(['actions/checkout', './action/publish']);
  });

  it('runs however the measuring one ended: a job past its time is cancelled too', () => {
    expect(Object.values(all).map((job) => job.if)).toEqual([
      "${{ github.event.workflow_run.event == 'pull_request' }}",
    ]);
  });

  it('checks out the default branch and never the head', () => {
    expect(own[0]?.with).toEqual({
      ref: '${{ github.event.repository.default_branch }}',
      'persist-credentials': false,
    });
    expect(texts.get('perf-publish.yml')).not.toMatch(/head_sha|head\.sha|github\.head_ref|refs\/pull/);
  });
});

it('the recording workflow checks out the history that its runs are ordered by', () => {
  const checkout = workflows.get('perf-baseline.yml')?.jobs.record?.steps[0];
  expect(checkout?.uses).toMatch(/^actions\/checkout@/);
  expect(checkout?.with).toEqual({
    'persist-credentials': false,
    'fetch-depth': 0,
    filter: 'blob:none',
  });
});

it('the measuring workflow ends what it does for the same pull request, and for nothing else', () => {
  expect(workflows.get('perf-gate.yml')?.concurrency).toEqual({
    // The entries of a merge queue have no number, and a ref each.
    group: 'perf-gate-${{ github.event.pull_request.number || github.ref }}',
    'cancel-in-progress': true,
  });
});

describe('every step', () => {
  it('uses actions of this repository, or of another by a full commit with its version beside it', () => {
    const lines = [...texts.values()].flatMap((text) =>
      text.split('\n').filter((line) => /\buses:/.test(line)),
    );
    expect(lines.length).toBe(steps.filter(({ step }) => step.uses !== undefined).length);
    for (const line of lines) {
      expect(line).toMatch(
        /uses: (\.\/action(\/publish)? # zizmor: ignore\[self-repository\] .+|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/,
      );
    }
  });

  it('leaves no credentials in the checkout', () => {
    const checkouts = steps.filter(({ step }) => step.uses?.startsWith('actions/checkout@') === true);
    expect(checkouts.length).toBeGreaterThan(0);
    for (const { name, step } of checkouts) expect(step.with?.['persist-credentials'], name).toBe(false);
  });

  it('that uploads fails no job, and a later one warns of it', () => {
    for (const { name, job } of jobs) {
      for (const step of job.steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact@'))) {
        expect(step['continue-on-error'], name).toBe(true);
        const warning = job.steps.find((one) => one.if?.includes(`steps.${step.id}.outcome == 'failure'`));
        expect(warning?.run, name).toContain('::warning ');
      }
    }
  });

  it('puts no expression into a command', () => {
    for (const { name, step } of steps) expect(step.run ?? '', name).not.toContain('${{');
  });
});

describe('a release', () => {
  const step = workflows
    .get('release.yml')
    ?.jobs.release?.steps.find(({ run }) => run?.includes('gh release'));

  interface Repository {
    readonly tags: readonly string[];
    readonly immutable?: boolean;
    /** Whether the tag is released already. */
    readonly released?: boolean;
    /** Whether the major version has its tag already. */
    readonly moving?: boolean;
  }

  /** What the step asks of GitHub, how it ends, and what it says. */
  async function release(
    tag: string,
    { tags, immutable = true, released = false, moving = true }: Repository,
  ): Promise<{ calls: string[]; code: number | null; out: string }> {
    await using fixture = await createFixture({
      log: '',
      gh: `#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in
  *matching-refs*) printf 'refs/tags/%s\\n' ${tags.join(' ')} ;;
  *--silent*releases/tags/*) ${released} ;;
  *releases/tags/*) echo ${immutable} ;;
  "release create"*) ! ${released} ;;
  *git/ref/tags/*) ${moving} ;;
esac
`,
    });
    await chmod(fixture.getPath('gh'), 0o755);
    const { status, stdout } = spawnSync('bash', ['-e', '-c', step?.run ?? 'exit 9'], {
      encoding: 'utf8',
      env: {
        PATH: `${fixture.path}:${process.env.PATH}`,
        LOG: fixture.getPath('log'),
        GITHUB_REF_NAME: tag,
        GITHUB_REPOSITORY: 'octo/gate',
        GITHUB_SHA: 'a'.repeat(40),
      },
    });
    const calls = (await readFile(fixture.getPath('log'), 'utf8')).trim().split('\n');
    return { calls, code: status, out: stdout };
  }

  it('moves the major tag to the newest version', async () => {
    const tags = ['v1.2.0', 'v1.9.3', 'v1.10.0', 'v1.11.0-rc.1'];
    const { calls, code } = await release('v1.10.0', { tags });
    expect(code).toBe(0);
    expect(calls[1]).toMatch(/^release create v1\.10\.0 /);
    expect(calls.at(-1)).toContain(
      `--method PATCH repos/octo/gate/git/refs/tags/v1 -f sha=${'a'.repeat(40)}`,
    );
  });

  it('leaves the major tag where it is for an older version', async () => {
    const { calls, code, out } = await release('v1.9.4', { tags: ['v1.9.4', 'v1.10.0', 'v1.2.0'] });
    expect(code).toBe(0);
    expect(out).toContain('v1 stays at v1.10.0');
    expect(calls[1]).toMatch(/^release create v1\.9\.4 /);
    expect(calls.filter((call) => call.includes('--method'))).toEqual([]);
  });

  it('goes on where a job failed that released the tag', async () => {
    const { calls, code } = await release('v1.10.0', { tags: ['v1.10.0'], released: true });
    expect(code).toBe(0);
    expect(calls.filter((call) => call.startsWith('release create'))).toEqual([]);
    expect(calls.at(-1)).toContain('--method PATCH repos/octo/gate/git/refs/tags/v1');
  });

  it('comes after the check that the bundle is what the source makes', () => {
    const runs = workflows.get('release.yml')?.jobs.release?.steps.map(({ run = '' }) => run) ?? [];
    const drift = runs.findIndex((run) => run.includes('npm run bundle -- --check'));
    expect(drift).toBeGreaterThanOrEqual(0);
    expect(runs.findIndex((run) => run.includes('gh release create'))).toBeGreaterThan(drift);
  });

  it('makes the major tag with the first version', async () => {
    const { calls, code } = await release('v2.0.0', { tags: ['v2.0.0'], moving: false });
    expect(code).toBe(0);
    expect(calls.at(-1)).toContain(
      `--method POST repos/octo/gate/git/refs -f ref=refs/tags/v2 -f sha=${'a'.repeat(40)}`,
    );
  });

  it('that can be changed is told, and no tag moves to it', async () => {
    const { calls, code, out } = await release('v1.10.0', { tags: ['v1.10.0'], immutable: false });
    expect(code).toBe(1);
    expect(out).toMatch(/^::error title=The release can be changed::Turn on release immutability/m);
    expect(calls.filter((call) => call.includes('--method'))).toEqual([]);
  });
});

describe('every job', () => {
  it('names its runner, and how long it may take', () => {
    for (const { name, job } of jobs) {
      expect(job['runs-on'], name).toBe('ubuntu-24.04');
      expect(job['timeout-minutes'], name).toBeGreaterThan(0);
    }
  });

  it('of ci stands behind ci-ok, which says so of a job that was skipped too', () => {
    const { jobs: all } = parse(texts.get('ci.yml') ?? '') as {
      jobs: Readonly<Record<string, { readonly needs?: readonly string[] }>>;
    };
    expect(all['ci-ok']?.needs).toEqual(Object.keys(all).filter((name) => name !== 'ci-ok'));
    const ok = workflows.get('ci.yml')?.jobs['ci-ok'];
    // A check that is skipped counts as passed.
    expect(ok?.if).toBe('${{ always() }}');
    expect(ok?.steps).toMatchObject([{ env: { RESULTS: "${{ join(needs.*.result, ' ') }}" } }]);
  });

  it.each([
    ['success', 0],
    ['success success', 0],
    ['success failure', 1],
    ['cancelled', 1],
    ['skipped success', 1],
  ])('of ci that ended with %s ends ci-ok with %d', (results, code) => {
    const script = workflows.get('ci.yml')?.jobs['ci-ok']?.steps[0]?.run ?? 'exit 9';
    const env = { PATH: process.env.PATH, RESULTS: results };
    expect(spawnSync('bash', ['-e', '-c', script], { env }).status).toBe(code);
  });
});

describe.each([
  ['action.yml', gateInputNames, readGateInputs],
  ['publish/action.yml', publishInputNames, readPublishInputs],
])('action/%s', (file, names, readInputs) => {
  const action = parse(readFileSync(join(root, 'action', file), 'utf8')) as {
    readonly inputs: Readonly<Record<string, { readonly default: unknown; readonly description: string }>>;
  };
  const defaults = (name: string) => String(action.inputs[name]?.default);

  it('describes the inputs that are read, each with a default that is a text', () => {
    expect(Object.keys(action.inputs).toSorted()).toEqual([...names].toSorted());
    for (const [name, input] of Object.entries(action.inputs)) {
      expect(typeof input.default, name).toBe('string');
      expect(input.description, name).not.toBe('');
    }
  });

  it('has defaults that are accepted', () => {
    expect(readInputs(defaults)).toMatchObject({ config: 'perf/gate.yml', comment: 'on-change' });
  });

  it('is given inputs that it knows', () => {
    const path = `./action${file === 'action.yml' ? '' : '/publish'}`;
    for (const { name, step } of steps.filter(({ step: { uses } }) => uses === path)) {
      for (const input of Object.keys(step.with ?? {})) expect(names, `${name}: ${input}`).toContain(input);
    }
  });
});

describe('bad inputs of the Action', () => {
  const action = parse(readFileSync(join(root, 'action/action.yml'), 'utf8')) as {
    readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  };
  const read = (name: string, text: string) =>
    readGateInputs((input) => (input === name ? text : (action.inputs[input]?.default ?? '')));
  const refusal = (name: string, cause: string) =>
    expect.objectContaining({
      details: expect.objectContaining({ code: 'E_INPUT', place: `input ${name}`, cause }),
    });

  const paths = 'config: expected a path in the checkout, found ';
  const factor = 'vu-factor: expected a number from 0.01 to 100, found ';
  const minutes = 'minutes: expected a number from 0.1 to 300, found ';
  const version = 'k6-version: expected a version such as 2.2.0, found ';
  const commit = 'base-ref: expected the name of a commit, branch or tag, found ';
  const branch = 'baseline-branch: expected a branch name of letters, digits, . _ / and -, found ';
  it.each([
    ['config', '/etc/passwd', `${paths}"/etc/passwd"`],
    ['config', '../other/gate.yml', `${paths}"../other/gate.yml"`],
    ['config', '', `${paths}nothing`],
    ['suite', '', 'suite: expected at least 1 character, found nothing'],
    ['compare', 'yes', 'compare: expected auto or stored or side-by-side or none, found "yes"'],
    ['record', 'yes', 'record: expected true or false, found "yes"'],
    ['stack', 'docker', 'stack: expected process or compose, found "docker"'],
    ['comment', 'sometimes', 'comment: expected on-change or always or never, found "sometimes"'],
    ['comment-author', '', 'comment-author: expected at least 1 character, found nothing'],
    ['fail-on', 'error', 'fail-on: expected regression or inconclusive or never, found "error"'],
    ['vu-factor', '0', `${factor}"0"`],
    ['vu-factor', '', `${factor}nothing`],
    ['vu-factor', 'NaN', `${factor}"NaN"`],
    ['vu-factor', '1e9', `${factor}"1e9"`],
    ['minutes', '-1', `${minutes}"-1"`],
    ['minutes', 'soon', `${minutes}"soon"`],
    ['ramp', 'maybe', 'ramp: expected true or false, found "maybe"'],
    ['k6-version', 'latest', `${version}"latest"`],
    ['k6-version', '2.2.0; echo pwn', `${version}"2.2.0; echo pwn"`],
    ['k6-sha256', 'abc', 'k6-sha256: expected 64 hexadecimal digits, found "abc"'],
    ['base-ref', '--upload-pack=x', `${commit}"--upload-pack=x"`],
    ['base-ref', 'main:main', `${commit}"main:main"`],
    ['base-ref', 'a b', `${commit}"a b"`],
    ['baseline-store', 'disk', 'baseline-store: expected branch or file, found "disk"'],
    ['baseline-branch', '--force', `${branch}"--force"`],
    ['baseline-branch', 'a b', `${branch}"a b"`],
    ['cache-key', 'jdk25,v1', 'cache-key: expected no comma, which the cache refuses, found "jdk25,v1"'],
  ])('%s: %s', (name, text, cause) => {
    expect(() => read(name, text)).toThrow(refusal(name, cause));
  });

  it('cache-key: a longer one than the cache takes', () => {
    const cause = `cache-key: expected at most 400 characters, found "${'x'.repeat(59)}…"`;
    expect(() => read('cache-key', 'x'.repeat(401))).toThrow(refusal('cache-key', cause));
  });

  it.each(['stack', 'minutes', 'ramp', 'base-ref', 'baseline-branch', 'k6-sha256'])(
    '%s: not an empty one, which is as none',
    (name) => {
      expect(read(name, '')).toMatchObject({ [name]: undefined });
    },
  );
});

it('the Action and the launcher take the same k6', () => {
  const launcher = /^K6_VERSION=(\S+)/m.exec(readFileSync(join(root, 'gate'), 'utf8'))?.[1];
  expect(parse(readFileSync(join(root, 'action/action.yml'), 'utf8')).inputs['k6-version'].default).toBe(
    launcher,
  );
});
