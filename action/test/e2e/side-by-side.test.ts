import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Run, runSchema } from '../../src/model/run.ts';
import { type Verdict, verdictSchema } from '../../src/model/verdict.ts';
import { processesMentioning, slow, TinyProject, wideTolerances } from './gate.ts';

const check = ['check', '--config', 'gate.yml'];

let project: TinyProject;

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org', ...args], {
    cwd: project.fixture.path,
    encoding: 'utf8',
    stdio: 'pipe',
    // One date for all, so that every test begins with the same commit.
    env: {
      ...process.env,
      GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
      GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
    },
  }).trim();

function commit(message: string): string {
  git('add', '-A');
  git('commit', '-qm', message);
  return git('rev-parse', 'HEAD');
}

beforeEach(async () => {
  project = await TinyProject.create();
  await project.edit('rounds: 2', 'rounds: 3');
  await project.edit('cells: [browse@few, browse@more]', 'cells: [browse@more]');
  await project.edit('floors:', wideTolerances);
  await project.write('.gitignore', '.perf-gate/\ncache/\n');
  git('init', '-q', '-b', 'main');
  commit('fast');
});

afterEach(async () => {
  expect(await processesMentioning(project.fixture.path)).toEqual([]);
  await project.fixture.rm();
});

/** The baseline of the first commit, measured by the first test that needs it. */
let recorded: string | undefined;
const baselineFile = '.perf-gate/baseline/baseline.json';

async function haveBaseline(): Promise<void> {
  if (recorded !== undefined) return project.write(baselineFile, recorded);
  const { code, stdout } = await project.run(check);
  expect(code, stdout).toBe(0);
  // Without the CPU time of the generator, a host that changes its speed cannot leave undecided what is measured once.
  await project.edit(/"generator":\{"cpuShare":.*?\},?/g, '', baselineFile);
  recorded = await readFile(join(project.fixture.path, baselineFile), 'utf8');
}

async function newestResults(): Promise<string> {
  const results = join(project.fixture.path, '.perf-gate/results');
  return join(results, (await readdir(results)).sort().at(-1) ?? '');
}

async function newestVerdict(): Promise<Verdict> {
  return verdictSchema.parse(JSON.parse(await readFile(join(await newestResults(), 'verdict.json'), 'utf8')));
}

/** A run that the newest verdict was made from. */
async function newestRun(folder: string): Promise<Run> {
  return runSchema.parse(JSON.parse(await readFile(join(await newestResults(), folder, 'run.json'), 'utf8')));
}

describe('side by side', () => {
  it('finds what the branch made slower since it left the default branch, without a stored baseline', async () => {
    const base = git('rev-parse', 'HEAD');
    git('switch', '-qc', 'slower');
    await project.makeSlower();
    commit('slow');
    const { code, stdout, stderr } = await project.run([...check, '--compare', 'side-by-side']);
    expect(code, stdout + stderr).toBe(1);
    const verdict = await newestVerdict();
    expect(verdict.comparison).toMatchObject({
      kind: 'side-by-side',
      baseCommit: base,
      confirmed: { cells: [{ name: 'browse@more', outcome: 'regression' }] },
    });
    expect(verdict.cells.map(({ outcome }) => outcome)).toEqual(['regression']);
    expect(verdict.cells[0]?.endpoints[0]).toMatchObject({ name: 'list' });
    expect(stderr).toContain('base: boot');
    expect((await newestRun('base')).code.commit).toBe(base);
    expect((await newestRun('.')).code.branch).toBe('slower');
    expect(await readdir(join(project.fixture.path, '.perf-gate'))).not.toContain('baseline');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('finds nothing where only the work tree differs from the commit, and not in how fast it is', async () => {
    await project.edit('tiny: out of seats', 'tiny: no seats left', 'server.mjs');
    const { code, stdout } = await project.run([...check, '--compare', 'side-by-side']);
    expect(code, stdout).toBe(0);
    expect((await newestVerdict()).code.dirty).toBe(true);
  });

  it.each([
    [
      'nothing to compare with',
      [],
      /E_BASE_REF\] --compare side-by-side: this checkout is the default branch/,
    ],
    ['a reference that is none', ['--base-ref', 'no-such-branch'], /E_BASE_REF\] no-such-branch/],
  ])('%s', async (_, args, message) => {
    const { code, stderr } = await project.run([...check, '--compare', 'side-by-side', ...args]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it('takes both sides down on Ctrl-C', async () => {
    await project.edit('tiny: out of seats', 'tiny: no seats left', 'server.mjs');
    const gate = project.start([...check, '--compare', 'side-by-side']);
    await gate.printed(/… load/);
    gate.process.kill('SIGINT');
    expect((await gate.done).code).toBe(130);
  });
});

describe('a check that is worse than the stored baseline', () => {
  beforeEach(haveBaseline);

  it('passes when the base commit is as slow on this machine now', async () => {
    const { code, stdout, stderr } = await project.run(check, slow);
    expect(stderr).toContain('worse than the stored baseline, so re-measured against');
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('1 cell looked worse than the stored baseline; re-measured against');
    expect((await newestVerdict()).comparison).toMatchObject({
      kind: 'stored',
      confirmed: {
        baseCommit: git('rev-parse', 'HEAD'),
        cells: [{ name: 'browse@more', outcome: expect.stringMatching(/pass|coarse/) }],
      },
    });
  });

  it('fails when the base commit is fast, and keeps the figures of both measurements', async () => {
    await project.makeSlower();
    const { code, stdout } = await project.run(check);
    expect(code, stdout).toBe(1);
    expect(stdout).toContain('re-measured against');
    const runs = await Promise.all(['.', 'confirmation', 'confirmation-base'].map(newestRun));
    expect(new Set(runs.map(({ id }) => id)).size).toBe(3);
  });

  it('fails when head answers nothing that the base commit answers', async () => {
    // The warm-up has two users, and the cell four. Once three requests are open at a time, all later ones fail.
    await project.edit('let requests = 0;', 'let requests = 0, open = 0, broken = false;', 'server.mjs');
    await project.edit(
      'if (failing) {',
      "open += 1;\n  response.on('close', () => (open -= 1));\n  broken ||= open > 2;\n  if (failing || broken) {",
      'server.mjs',
    );
    const { code, stdout } = await project.run(check);
    expect(code, stdout).toBe(1);
    expect(stdout).toMatch(/browse@more — base works, but head does not: all \d+ requests failed/);
    expect((await newestVerdict()).cells).toMatchObject([
      { outcome: 'regression', unanswered: { code: 'I_ALL_FAILED' } },
    ]);
  });

  it('fails without measuring again when it compares with the stored baseline only', async () => {
    const { code, stdout } = await project.run([...check, '--compare', 'stored'], slow);
    expect(code, stdout).toBe(1);
    expect((await newestVerdict()).comparison).not.toHaveProperty('confirmed');
  });

  it('fails, and says why it measured only once, when the base commit is not available', async () => {
    await project.makeSlower();
    await project.edit(git('rev-parse', 'HEAD'), 'd'.repeat(40), baselineFile);
    const { code, stdout, stderr } = await project.run(check);
    expect(stderr).toContain('not re-measured against dddddddd');
    expect(code, stdout).toBe(1);
  });
});

describe('a check whose checkout makes the stored runs incomparable', () => {
  const baselineRuns = async (): Promise<number> => {
    const text = await readFile(join(project.fixture.path, baselineFile), 'utf8');
    return JSON.parse(text).runs.length;
  };

  beforeEach(async () => {
    await haveBaseline();
    await project.edit('vus: 4', 'vus: 5');
  });

  it('is measured against the base commit, and does not become the baseline', async () => {
    await project.makeSlower();
    const { code, stdout, stderr } = await project.run(check);
    expect(stderr).toMatch(/no stored run was made with the data, load and versions of .* from the start/);
    expect(code, stdout).toBe(1);
    expect((await newestVerdict()).comparison).toMatchObject({
      kind: 'side-by-side',
      mismatches: [{ differences: [{ field: 'loadHash' }] }],
    });
    expect(await baselineRuns()).toBe(1);
    // The head was never measured alone.
    expect((await newestRun('.')).id).toBe((await newestVerdict()).runId);
    expect((await newestRun('base')).cells.map(({ blocks }) => blocks.length)).toEqual([4]);
  });

  it('is measured in the same way on the branch of the baseline, and becomes the baseline when it is asked to', async () => {
    commit('another load');
    const { code, stdout, stderr } = await project.run(check);
    expect(stderr).toContain('from the start');
    expect(code, stdout).toBe(0);
    expect((await newestVerdict()).comparison).toMatchObject({
      kind: 'side-by-side',
      mismatches: [{ differences: [{ field: 'loadHash' }] }],
    });
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/Next: run \S+ baseline .*on the base branch/);
    expect(await baselineRuns()).toBe(1);

    const recorded = await project.run(['baseline', '--config', 'gate.yml']);
    expect(recorded.code, recorded.stdout).toBe(0);
    expect(await baselineRuns()).toBe(2);
  });

  it('is measured alone, and says once why, where no base commit is available', async () => {
    await project.edit(git('rev-parse', 'HEAD'), 'd'.repeat(40), baselineFile);
    const { code, stdout, stderr } = await project.run(check);
    expect(stderr.match(/not re-measured against dddddddd/g)).toHaveLength(1);
    expect(stdout).toContain('this checkout changed the conditions');
    expect(code).toBe(4);
  });

  it('is undecided, and no baseline either, where only the stored runs are asked', async () => {
    git('switch', '-qc', 'other-load');
    commit('another load');
    const { code, stdout } = await project.run([
      ...check,
      '--compare',
      'stored',
      '--fail-on',
      'not-compared',
    ]);
    expect(stdout).toContain('this checkout changed the conditions');
    expect(code).toBe(1);
    expect(await baselineRuns()).toBe(1);
  });
});

describe('a change that adds an endpoint, and a step that asks for it', () => {
  it('is not held to a base that has no such endpoint', async () => {
    const known = (paths: string) =>
      `if (![${paths}].includes(path)) {\n    response.statusCode = 404;\n    return response.end();\n  }\n  statements += path`;
    await project.edit('statements += path', known("'/list', '/detail'"), 'server.mjs');
    commit('two endpoints');
    const first = await project.run(check);
    expect(first.code, first.stdout).toBe(0);
    git('switch', '-qc', 'export');
    await project.edit("'/detail']", "'/detail', '/export']", 'server.mjs');
    await project.edit("'detail']", "'detail', 'export']", 'journey.js');
    commit('three endpoints');

    const { code, stdout } = await project.run(check);
    expect(code, stdout).toBe(4);
    expect(stdout).toContain('the base commit fails export, which head answers');
    const verdict = await newestVerdict();
    expect(verdict).toMatchObject({
      outcome: 'undecided',
      comparison: {
        kind: 'side-by-side',
        beyondBase: [{ cell: 'browse@more', endpoints: ['export'] }],
      },
      cells: [{ outcome: 'pass', metrics: [] }],
    });
  });
});

describe('a suite that was not measured yet', () => {
  it('is the first of its kind, whatever the baseline holds of another one', async () => {
    await project.edit(
      'suites:',
      'suites:\n  more: { cells: [browse@more], rounds: 2, guard: 500ms, counted: 2s }',
    );
    commit('another suite');
    const first = await project.run(check);
    expect(first.code, first.stdout).toBe(0);
    const { code, stdout, stderr } = await project.run([...check, '--suite', 'more']);
    expect(code, stdout).toBe(0);
    expect(stderr).not.toContain('measured against');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'the only stored run was made under other conditions; this run is now the baseline',
    );
    expect(stdout).toContain('suite pr → more');
  });
});
