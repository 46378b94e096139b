import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/adapters/config/file.ts';
import { withOverrides } from '../../src/check/suite-overrides.ts';
import {
  gateInputNames,
  publishInputNames,
  readGateInputs,
  readPublishInputs,
  readRecordInputs,
  recordInputNames,
} from '../../src/entry/github/inputs.ts';
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
  readonly needs?: readonly string[];
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

  it('match this list exactly', () => {
    const toMain = { branches: ['main'] };
    expect(Object.fromEntries([...workflows].map(([name, { on }]) => [name, on]))).toEqual({
      'ci.yml': { pull_request: null, merge_group: null, push: toMain },
      'codeql.yml': {
        pull_request: null,
        merge_group: null,
        push: toMain,
        schedule: [{ cron: expect.any(String) }],
      },
      'dependency-review.yml': { pull_request: null, merge_group: null },
      'scorecard.yml': {
        branch_protection_rule: null,
        push: toMain,
        schedule: [{ cron: expect.any(String) }],
      },
      'detection.yml': { schedule: [{ cron: expect.any(String) }], workflow_dispatch: null },
      'perf-gate.yml': { pull_request: null },
      'perf-publish.yml': {
        workflow_run: { workflows: [workflows.get('perf-gate.yml')?.name], types: ['completed'] },
        issue_comment: { types: ['created'] },
      },
      ...Object.fromEntries(
        ['call-gate.yml', 'call-baseline.yml', 'call-publish.yml'].map((name) => [
          name,
          { workflow_call: { inputs: expect.objectContaining({ owner: expect.anything() }) } },
        ]),
      ),
      'perf-baseline.yml': { push: toMain },
      'perf-peak.yml': { workflow_dispatch: { inputs } },
      'release.yml': { push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } },
    });
  });

  it('default to half an hour of unbroken peak load per scenario, with ramps, for a manual run', () => {
    expect(Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]))).toEqual({
      suite: 'peak',
      scenarios: '',
      'vu-factor': '1',
      minutes: '30',
      ramp: true,
      record: false,
    });
    const path = join(root, 'perf/gate.yml');
    const config = withOverrides(loadConfig(path).config, 'peak', { minutes: 30, ramp: true });
    const { cells, unbroken } = planSuite(config, 'peak', path, { vuFactor: 1 });
    expect(unbroken).toBe(true);
    for (const { countedSeconds, rounds } of cells) expect(countedSeconds * rounds).toBeCloseTo(30 * 60);
    expect(cells.filter(({ stages }) => stages.length > 1).length).toBeGreaterThan(0);
  });
});

describe('permissions', () => {
  it('are empty at the top of every workflow', () => {
    for (const [name, workflow] of workflows) expect(workflow.permissions, name).toEqual({});
  });

  it('match this list exactly', () => {
    expect(Object.fromEntries(jobs.map(({ name, job }) => [name, job.permissions]))).toEqual({
      'ci.yml test': { contents: 'read' },
      'ci.yml platforms': { contents: 'read' },
      'ci.yml ci-ok': {},
      'codeql.yml analyze': { contents: 'read', 'security-events': 'write' },
      'dependency-review.yml review': { contents: 'read' },
      'detection.yml judge': { contents: 'read' },
      'call-gate.yml measure': { contents: 'read' },
      'call-publish.yml publish': {
        actions: 'read',
        contents: 'read',
        'pull-requests': 'write',
        statuses: 'write',
      },
      'call-baseline.yml measure': { contents: 'read' },
      'call-baseline.yml record': { actions: 'read', contents: 'write', 'pull-requests': 'read' },
      'perf-gate.yml measure': { contents: 'read' },
      'perf-publish.yml publish': {
        actions: 'read',
        contents: 'read',
        'pull-requests': 'write',
        statuses: 'write',
      },
      'perf-baseline.yml measure': { contents: 'read' },
      'perf-baseline.yml record': { actions: 'read', contents: 'write', 'pull-requests': 'read' },
      'perf-peak.yml peak': { contents: 'read' },
      'perf-peak.yml record': { actions: 'read', contents: 'write', 'pull-requests': 'read' },
      'release.yml verify': { contents: 'read' },
      'release.yml publish': { attestations: 'write', contents: 'write', 'id-token': 'write' },
      'scorecard.yml analyze': { contents: 'read', 'id-token': 'write', 'security-events': 'write' },
    });
  });

  it("grant no write access if a pull request's code runs, except to alerts, which CodeQL writes", () => {
    for (const [name, { on, jobs: all }] of workflows) {
      if (!('pull_request' in on)) continue;
      for (const { permissions = {} } of Object.values(all)) {
        const { 'security-events': alerts, ...others } = permissions;
        expect(Object.values(others), name).not.toContain('write');
        if (name !== 'codeql.yml') expect(alerts, name).toBeUndefined();
      }
    }
  });

  it('never come from pull_request_target', () => {
    for (const [name, { on }] of workflows)
      expect(Object.keys(on), name).not.toContain('pull_request_target');
  });
});

describe('the trusted workflow', () => {
  const { on, jobs: all } = workflows.get('perf-publish.yml') as Workflow;
  const own = Object.values(all).flatMap((job) => job.steps);

  it('runs after the measuring workflow or a comment, and runs no shell command', () => {
    expect(Object.keys(on)).toEqual(['workflow_run', 'issue_comment']);
    expect(own.filter(({ run }) => run !== undefined)).toEqual([]);
    expect(own.map(({ uses }) => uses?.split('@')[0])).toEqual(['actions/checkout', './action/publish']);
  });

  it('runs after every conclusion, because a timeout counts as cancelled', () => {
    expect(Object.values(all).map((job) => job.if)).toEqual([
      "${{ github.event.workflow_run.event == 'pull_request' || (github.event.issue.pull_request && startsWith(github.event.comment.body, '/perf-gate ')) }}",
    ]);
  });

  it('checks out only the default branch, never the head', () => {
    expect(own[0]?.with).toEqual({
      ref: '${{ github.event.repository.default_branch }}',
      'persist-credentials': false,
    });
    expect(texts.get('perf-publish.yml')).not.toMatch(/head_sha|head\.sha|github\.head_ref|refs\/pull/);
  });
});

it('the recording workflow checks out the whole commit history, which orders the runs', () => {
  const checkout = workflows.get('perf-baseline.yml')?.jobs.record?.steps[0];
  expect(checkout?.uses).toMatch(/^actions\/checkout@/);
  expect(checkout?.with).toEqual({
    'persist-credentials': false,
    'fetch-depth': 0,
    filter: 'blob:none',
  });
});

it('the job that writes the baseline runs no shell command, restores no cache and needs the one that measures', () => {
  const record = workflows.get('perf-baseline.yml')?.jobs.record;
  expect(record?.steps.map(({ uses }) => uses?.split('@')[0])).toEqual([
    'actions/checkout',
    './action/record',
  ]);
  expect(record?.steps[1]?.with).toEqual({ suite: 'pr' });
  expect(record).toMatchObject({ needs: ['measure'] });
});

it('no job that runs the gate on a checkout may write', () => {
  const measuring = jobs.filter(({ job }) => job.steps.some(({ uses }) => uses === './action'));
  expect(measuring.length).toBeGreaterThan(2);
  for (const { name, job } of measuring) expect(job.permissions, name).toEqual({ contents: 'read' });
});

it('the measuring workflow cancels only earlier runs of the same pull request', () => {
  expect(workflows.get('perf-gate.yml')?.concurrency).toEqual({
    // Entries of a merge queue have no number, but each has its own ref.
    group: '${{ github.workflow }}-${{ github.event.pull_request.number || github.ref }}',
    'cancel-in-progress': true,
  });
});

it('no workflow of the gate waits for or cancels one of a second gate, which has another name', () => {
  const own = [...workflows].filter(([name]) => name.startsWith('perf-'));
  expect(own).toHaveLength(4);
  for (const [name, { concurrency }] of own) {
    expect(concurrency?.group, name).toMatch(/^\$\{\{ github\.workflow \}\}-\$\{\{ /);
  }
});

describe('every step', () => {
  it('uses local actions, or others pinned by full commit with the version as a comment', () => {
    const lines = [...texts.values()].flatMap((text) =>
      text.split('\n').filter((line) => /\buses:/.test(line)),
    );
    expect(lines.length).toBe(steps.filter(({ step }) => step.uses !== undefined).length);
    for (const line of lines) {
      expect(line).toMatch(
        /uses: (\.\/(\.perf-gate-action\/)?action(\/publish|\/record)? # zizmor: ignore\[self-repository\] .+|[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/,
      );
    }
  });

  it('leaves no credentials in the checkout', () => {
    const checkouts = steps.filter(({ step }) => step.uses?.startsWith('actions/checkout@') === true);
    expect(checkouts.length).toBeGreaterThan(0);
    for (const { name, step } of checkouts) expect(step.with?.['persist-credentials'], name).toBe(false);
  });

  it('that uploads cannot fail its job, and a later step warns about a failure, unless a later job needs it', () => {
    for (const { name, job } of jobs.filter(
      ({ name }) => !/^(?:perf|call)-baseline\.yml measure$/.test(name),
    )) {
      for (const step of job.steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact@'))) {
        expect(step['continue-on-error'], name).toBe(true);
        const warning = job.steps.find((one) => one.if?.includes(`steps.${step.id}.outcome == 'failure'`));
        expect(warning?.run, name).toContain('::warning ');
      }
    }
  });

  it('has no expression in a shell command', () => {
    for (const { name, step } of steps) expect(step.run ?? '', name).not.toContain('${{');
  });
});

describe('a release', () => {
  const step = workflows
    .get('release.yml')
    ?.jobs.publish?.steps.find(({ run }) => run?.includes('gh release'));

  interface Repository {
    readonly tags: readonly string[];
    readonly immutable?: boolean;
    /** Whether the tag already has a release. */
    readonly released?: boolean;
    /** Whether the major version already has its tag. */
    readonly hasMajorTag?: boolean;
  }

  /** Runs the step and returns its GitHub calls, exit code and output. */
  async function release(
    tag: string,
    { tags, immutable = true, released = false, hasMajorTag = true }: Repository,
  ): Promise<{ calls: string[]; code: number | null; out: string }> {
    await using fixture = await createFixture({
      log: '',
      'bundle.jsonl': '{}',
      gh: `#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in
  *matching-refs*) printf 'refs/tags/%s\\n' ${tags.join(' ')} ;;
  *--silent*releases/tags/*) ${released} ;;
  *releases/tags/*) echo ${immutable} ;;
  "release create"*) ! ${released} ;;
  *git/ref/tags/*) ${hasMajorTag} ;;
esac
`,
    });
    await chmod(fixture.getPath('gh'), 0o755);
    const { status, stdout } = spawnSync('bash', ['-e', '-c', step?.run ?? 'exit 9'], {
      encoding: 'utf8',
      cwd: fixture.path,
      env: {
        PATH: `${fixture.path}:${process.env.PATH}`,
        LOG: fixture.getPath('log'),
        PROVENANCE: fixture.getPath('bundle.jsonl'),
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
    expect(calls[1]).toMatch(
      /^release create v1\.10\.0 perf-gate-v1\.10\.0\.tar\.gz perf-gate-v1\.10\.0\.tar\.gz\.intoto\.jsonl /,
    );
    expect(calls.at(-1)).toContain(
      `--method PATCH repos/octo/gate/git/refs/tags/v1 -f sha=${'a'.repeat(40)}`,
    );
  });

  it('does not move the major tag for an older version', async () => {
    const { calls, code, out } = await release('v1.9.4', { tags: ['v1.9.4', 'v1.10.0', 'v1.2.0'] });
    expect(code).toBe(0);
    expect(out).toContain('v1 stays at v1.10.0');
    expect(calls[1]).toMatch(/^release create v1\.9\.4 /);
    expect(calls.filter((call) => call.includes('--method'))).toEqual([]);
  });

  it('continues after a job that failed once the release existed', async () => {
    const { calls, code } = await release('v1.10.0', { tags: ['v1.10.0'], released: true });
    expect(code).toBe(0);
    expect(calls.filter((call) => call.startsWith('release create'))).toEqual([]);
    expect(calls.at(-1)).toContain('--method PATCH repos/octo/gate/git/refs/tags/v1');
  });

  it('follows the check that the bundle matches the source, in a job that may only read', () => {
    const { verify, publish } = workflows.get('release.yml')?.jobs ?? {};
    expect(verify?.permissions).toEqual({ contents: 'read' });
    expect(verify?.steps.some(({ run }) => run?.includes('npm run bundle -- --check'))).toBe(true);
    expect(publish?.needs).toEqual(['verify']);
    expect(publish?.if).toBeUndefined();
  });

  it('runs no package and no code of the project where it may write', () => {
    const runs = workflows.get('release.yml')?.jobs.publish?.steps.map(({ run = '' }) => run) ?? [];
    for (const run of runs) expect(run).not.toMatch(/npm|node|npx|gate |\.\/|mvn/);
  });

  it('attests the archive that it publishes', () => {
    const all = workflows.get('release.yml')?.jobs.publish?.steps ?? [];
    const attest = all.findIndex(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'));
    expect(all[attest]?.with).toEqual({ 'subject-path': 'perf-gate-*.tar.gz' });
    expect(all[attest - 1]?.run).toContain('git archive');
    expect(all[attest + 1]).toBe(step);
  });

  it.each([
    ['a commit of main', 'main', 0],
    ['an earlier commit of main', 'main~1', 0],
    ['a commit that was never merged', 'aside', 1],
  ])('of %s (%s) makes the check of the branch exit with %i', async (_, tagged, code) => {
    await using fixture = await createFixture({});
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        cwd: fixture.path,
        stdio: 'pipe',
      });
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'one');
    git('commit', '-q', '--allow-empty', '-m', 'two');
    git('update-ref', 'refs/remotes/origin/main', 'main');
    git('checkout', '-q', '-b', 'aside', 'main~1');
    git('commit', '-q', '--allow-empty', '-m', 'three');
    git('checkout', '-q', '--detach', tagged);
    const check = workflows
      .get('release.yml')
      ?.jobs.verify?.steps.find(({ run }) => run?.includes('origin/main'));
    const { status, stdout } = spawnSync('bash', ['-e', '-c', check?.run ?? 'exit 9'], {
      cwd: fixture.path,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, GITHUB_REF_NAME: 'v1.2.3' },
    });
    expect(status).toBe(code);
    if (code !== 0) expect(stdout).toMatch(/^::error title=Not on main::v1\.2\.3 is not a commit of main/);
  });

  it('creates the major tag with the first version', async () => {
    const { calls, code } = await release('v2.0.0', { tags: ['v2.0.0'], hasMajorTag: false });
    expect(code).toBe(0);
    expect(calls.at(-1)).toContain(
      `--method POST repos/octo/gate/git/refs -f ref=refs/tags/v2 -f sha=${'a'.repeat(40)}`,
    );
  });

  it('that is not immutable fails, and no tag moves to it', async () => {
    const { calls, code, out } = await release('v1.10.0', { tags: ['v1.10.0'], immutable: false });
    expect(code).toBe(1);
    expect(out).toMatch(/^::error title=The release can be changed::Turn on release immutability/m);
    expect(calls.filter((call) => call.includes('--method'))).toEqual([]);
  });
});

describe('every job', () => {
  const runners: Readonly<Record<string, string>> = {
    'ci.yml platforms': '${{ matrix.runner }}',
    'call-gate.yml measure': '${{ inputs.runs-on }}',
    'call-baseline.yml measure': '${{ inputs.runs-on }}',
  };

  it('names its runner and has a timeout', () => {
    for (const { name, job } of jobs) {
      expect(job['runs-on'], name).toBe(runners[name] ?? 'ubuntu-24.04');
      expect(job['timeout-minutes'], name).toBeGreaterThan(0);
    }
  });

  it('of ci is required by ci-ok, which also fails for a skipped job', () => {
    const { jobs: all } = parse(texts.get('ci.yml') ?? '') as {
      jobs: Readonly<Record<string, { readonly needs?: readonly string[] }>>;
    };
    expect(all['ci-ok']?.needs).toEqual(Object.keys(all).filter((name) => name !== 'ci-ok'));
    const ok = workflows.get('ci.yml')?.jobs['ci-ok'];
    // GitHub counts a skipped check as passed, so ci-ok must always run.
    expect(ok?.if).toBe('${{ always() }}');
    expect(ok?.steps).toMatchObject([{ env: { RESULTS: "${{ join(needs.*.result, ' ') }}" } }]);
  });

  it.each([
    ['success', 0],
    ['success success', 0],
    ['success failure', 1],
    ['cancelled', 1],
    ['skipped success', 1],
  ])('of ci that ends with %s makes ci-ok exit with %d', (results, code) => {
    const script = workflows.get('ci.yml')?.jobs['ci-ok']?.steps[0]?.run ?? 'exit 9';
    const env = { PATH: process.env.PATH, RESULTS: results };
    expect(spawnSync('bash', ['-e', '-c', script], { env }).status).toBe(code);
  });
});

describe.each([
  ['action.yml', gateInputNames, readGateInputs],
  ['publish/action.yml', publishInputNames, readPublishInputs],
  ['record/action.yml', recordInputNames, readRecordInputs],
])('action/%s', (file, names, readInputs) => {
  const action = parse(readFileSync(join(root, 'action', file), 'utf8')) as {
    readonly inputs: Readonly<Record<string, { readonly default: unknown; readonly description: string }>>;
  };
  const defaults = (name: string) => String(action.inputs[name]?.default);

  it('describes exactly the inputs that the code reads, each with a text default', () => {
    expect(Object.keys(action.inputs).toSorted()).toEqual([...names].toSorted());
    for (const [name, input] of Object.entries(action.inputs)) {
      expect(typeof input.default, name).toBe('string');
      expect(input.description, name).not.toBe('');
    }
  });

  it('has valid defaults', () => {
    expect(readInputs(defaults)).toMatchObject({ config: 'perf/gate.yml', suite: 'pr' });
  });

  it('gets only known inputs from our workflows', () => {
    const path = `./action/${file}`.replace(/\/action\.yml$/, '');
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
  const rejection = (name: string, cause: string) =>
    expect.objectContaining({
      details: expect.objectContaining({ code: 'E_INPUT', place: `input ${name}`, cause }),
    });

  const failing =
    'fail-on: expected never, or a list of regression, invalid, noise, undecided, coarse, not-compared, found ';
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
    ['fail-on', 'error', `${failing}"error"`],
    ['fail-on', 'regression, slow', `${failing}"regression, slow"`],
    ['fail-on', '', `${failing}nothing`],
    ['fail-on', ' ,\n', `${failing}" ,\\n"`],
    ['fail-on', 'never, noise', 'fail-on: expected never alone, without other words, found "never, noise"'],
    ['vu-factor', '0', `${factor}"0"`],
    ['vu-factor', '', `${factor}nothing`],
    ['vu-factor', 'NaN', `${factor}"NaN"`],
    ['vu-factor', '1e9', `${factor}"1e9"`],
    ['minutes', '-1', `${minutes}"-1"`],
    ['minutes', 'soon', `${minutes}"soon"`],
    ['ramp', 'maybe', 'ramp: expected true or false, found "maybe"'],
    ['k6-version', 'latest', `${version}"latest"`],
    ['k6-version', '2.2.0; echo pwn', `${version}"2.2.0; echo pwn"`],
    ['checksum', 'abc', 'checksum: expected 64 hexadecimal digits, found "abc"'],
    ['base-ref', '--upload-pack=x', `${commit}"--upload-pack=x"`],
    ['base-ref', 'main:main', `${commit}"main:main"`],
    ['base-ref', 'a b', `${commit}"a b"`],
    ['baseline-store', 'disk', 'baseline-store: expected file or branch, found "disk"'],
    ['baseline-branch', '--force', `${branch}"--force"`],
    ['baseline-branch', 'a b', `${branch}"a b"`],
    ['cache', 'jdk25,v1', 'cache: expected no comma, which the cache refuses, found "jdk25,v1"'],
  ])('%s: %s', (name, text, cause) => {
    expect(() => read(name, text)).toThrow(rejection(name, cause));
  });

  it('fail-on takes one word, several on one line or on lines of their own, or never', () => {
    const failOn = (text: string) => [...read('fail-on', text)['fail-on']];
    expect(failOn('regression')).toEqual(['regression']);
    expect(failOn('regression, noise')).toEqual(['regression', 'noise']);
    expect(failOn('coarse\nnot-compared\n')).toEqual(['coarse', 'not-compared']);
    expect(failOn('never')).toEqual([]);
    expect(failOn(action.inputs['fail-on']?.default ?? '')).toEqual(['regression', 'invalid']);
  });

  it('scenarios takes names on one line or on lines of their own, or none', () => {
    const scenarios = (text: string) => read('scenarios', text).scenarios;
    expect(scenarios('trip-edit, plan-edit@peak')).toEqual(['trip-edit', 'plan-edit@peak']);
    expect(scenarios('trip-edit plan-edit\n')).toEqual(['trip-edit', 'plan-edit']);
    expect(scenarios(' ')).toEqual([]);
  });

  it('cache: longer than the cache allows', () => {
    const cause = `cache: expected at most 400 characters, found "${'x'.repeat(59)}…"`;
    expect(() => read('cache', 'x'.repeat(401))).toThrow(rejection('cache', cause));
  });

  it.each(['stack', 'minutes', 'ramp', 'base-ref', 'baseline-branch', 'checksum'])(
    '%s: empty counts as absent',
    (name) => {
      expect(read(name, '')).toMatchObject({ [name]: undefined });
    },
  );
});

it('the action at the top of the repository is the one of action/, for the Marketplace', () => {
  const at = (path: string) => parse(readFileSync(join(root, path), 'utf8'));
  const [top, own] = [at('action.yml'), at('action/action.yml')];
  expect(top).toEqual({
    ...own,
    runs: { using: 'node24', main: 'action/dist/main.js', post: 'action/dist/post.js' },
  });
  // The Marketplace refuses a longer description.
  expect(top.description.length).toBeLessThan(125);
});

it('the Action and the launcher use the same k6 version', () => {
  const launcher = /^K6_VERSION=(\S+)/m.exec(readFileSync(join(root, 'gate'), 'utf8'))?.[1];
  expect(parse(readFileSync(join(root, 'action/action.yml'), 'utf8')).inputs['k6-version'].default).toBe(
    launcher,
  );
});
