import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFixture } from 'fs-fixture';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadCatalogue, loadConfig, loadKeptCatalogue } from '../../src/adapters/config/index.ts';
import { commitPatch, freshCheckout, hashOfCommit, removeCheckout } from '../../src/adapters/git/index.ts';
import { readKeptCheck, writeKeptCheck } from '../../src/adapters/results/index.ts';
import { isMeasured, requireCommitted } from '../../src/entry/catalogue-checks.ts';
import { gitIn } from '../../src/entry/checkout-git.ts';
import { anyCell } from '../../src/model/catalogue.ts';
import { verdicts } from '../golden/verdicts.ts';
import { faultOf } from './fault-of.ts';
import { git } from './git-repositories.ts';

const { signal } = new AbortController();
const root = resolve(import.meta.dirname, '../../..');
const folder = join(root, 'perf/regressions');

describe('the catalogue of this repository', () => {
  const { regressions } = loadCatalogue(join(folder, 'regressions.yml'));
  const { config } = loadConfig(join(root, 'perf/gate.yml'));
  const names = Object.keys(regressions);
  const patches = readdirSync(folder).filter((file) => file.endsWith('.patch'));

  it('has a patch for each regression, and no other', () => {
    expect(patches.toSorted()).toEqual(names.map((name) => `${name}.patch`).toSorted());
  });

  it('covers each of the 15 stories', () => {
    const stories = Object.values(regressions).flatMap(
      ({ story }) => /^(\d+): /.exec(story ?? '')?.[1] ?? [],
    );
    expect(stories.map(Number)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
  });

  it.each(names)('%s applies to this checkout', (name) => {
    execFileSync('git', ['apply', '--check', join(folder, `${name}.patch`)], { cwd: root, stdio: 'pipe' });
  });

  it.each(Object.entries(regressions))('%s names cells of its suite', (_, { suite, red, green }) => {
    const { cells = [], costs = [] } = config.suites[suite] ?? {};
    const known = [anyCell, ...[...cells, ...costs].flatMap((cell) => [cell, cell.replace(/@.*/, '')])];
    expect(known).toEqual(expect.arrayContaining([...red, ...green]));
  });

  it.each(['burn', 'wait'])('%s differs only in its size', (kind) => {
    const [first, ...others] = [5, 10, 20].map((size) =>
      readFileSync(join(folder, `${kind}-${size}.patch`), 'utf8')
        .replaceAll(`${size}%`, 'SIZE')
        .replaceAll((size / 100).toFixed(2), 'SIZE')
        .replaceAll(/^index .*$/gm, ''),
    );
    for (const other of others) expect(other).toBe(first);
  });
});

describe('results.json', () => {
  it('may be absent', () => {
    expect(loadKeptCatalogue(join(root, 'no-such-file.json'))).toEqual({ schema: 1, results: {} });
  });

  it.each(['', '{', '{"schema":2}', '{"schema":1,"results":{"one":{}}}'])('%j is refused', async (text) => {
    const fixture = await createFixture({ 'results.json': text });
    onTestFinished(() => fixture.rm());
    const path = join(fixture.path, 'results.json');
    const fault = await faultOf((async () => loadKeptCatalogue(path))());
    expect(fault).toMatchObject({ code: 'E_CATALOGUE_RESULTS' });
  });
});

describe('regressions.yml', () => {
  async function faultIn(text: string) {
    const fixture = await createFixture({ 'regressions.yml': text });
    onTestFinished(() => fixture.rm());
    const path = join(fixture.path, 'regressions.yml');
    const { place, ...details } = await faultOf((async () => loadCatalogue(path))());
    return { ...details, place: place.replace(path, 'regressions.yml') };
  }

  it.each([
    ['version: 1\nregressions: [', 'E_CONFIG_SYNTAX', 'regressions.yml:2:', 'Flow sequence'],
    [
      'version: 1\nregressions:\n  one: { title: a, red: [x], colour: red, cause: b }\n',
      'E_CATALOGUE_FILE',
      'regressions.yml:3:3',
      'colour',
    ],
    [
      'version: 1\nregressions:\n  one:\n    title: a\n    expect: pass\n',
      'E_CATALOGUE_FILE',
      'regressions.yml:3:3',
      'expected why',
    ],
    ['version: 1\nversion: 1\nregressions: {}\n', 'E_CONFIG_SYNTAX', 'regressions.yml:2:1', 'key twice'],
    ['', 'E_CATALOGUE_FILE', 'regressions.yml:1:1', 'the file'],
  ])('%j is refused', async (text, code, place, cause) => {
    const fault = await faultIn(text);
    expect(fault).toMatchObject({ code, kind: 'usage' });
    expect(fault.place).toContain(place);
    expect(fault.cause).toContain(cause);
  });

  it('that is missing is named', async () => {
    const fixture = await createFixture();
    onTestFinished(() => fixture.rm());
    const fault = await faultOf((async () => loadCatalogue(join(fixture.path, 'none.yml')))());
    expect(fault).toMatchObject({ code: 'E_CATALOGUE_MISSING', place: join(fixture.path, 'none.yml') });
  });
});

describe('a checkout for patches', () => {
  async function repository() {
    const fixture = await createFixture({
      '.gitignore': 'target/\n.perf-gate/\n',
      'app.txt': 'fast\n',
      'docs.md': 'text\n',
      'perf/regressions/slow.patch':
        'diff --git a/app.txt b/app.txt\n--- a/app.txt\n+++ b/app.txt\n@@ -1 +1 @@\n-fast\n+slow\n',
    });
    onTestFinished(() => fixture.rm());
    git(fixture.path, ['init', '-q', '-b', 'main']);
    git(fixture.path, ['add', '-A']);
    git(fixture.path, ['commit', '-qm', 'one']);
    const home = join(fixture.path, '.perf-gate');
    await mkdir(home);
    const own = gitIn(fixture.path, process.env, signal);
    const tree = join(home, 'catalogue', 'checkout');
    const commit = git(fixture.path, ['rev-parse', 'HEAD']);
    const patch = join(fixture.path, 'perf/regressions/slow.patch');
    return { path: fixture.path, own, tree, commit, patch, inTree: gitIn(tree, process.env, signal) };
  }

  it('holds the commit with the patch on top, and then nothing of it', async () => {
    const { own, tree, commit, patch, inTree } = await repository();
    await freshCheckout(own, commit, tree);
    await commitPatch(inTree, patch, 'slow');
    expect(await readFile(join(tree, 'app.txt'), 'utf8')).toBe('slow\n');
    expect(git(tree, ['rev-parse', 'HEAD~1'])).toBe(commit);
    expect(git(tree, ['status', '--porcelain'])).toBe('');
    for (const kept of ['target', '.perf-gate/bases']) await mkdir(join(tree, kept), { recursive: true });
    await writeFile(join(tree, 'target/Slow.class'), 'stale');
    await writeFile(join(tree, '.perf-gate/bases/base'), 'built');

    await freshCheckout(own, commit, tree);
    expect(git(tree, ['rev-parse', 'HEAD'])).toBe(commit);
    expect(await readFile(join(tree, 'app.txt'), 'utf8')).toBe('fast\n');
    expect(existsSync(join(tree, 'target'))).toBe(false);
    expect(existsSync(join(tree, '.perf-gate/bases/base'))).toBe(true);
  });

  it('replaces whatever else lies there, and goes with all that it holds', async () => {
    const { path, own, tree, commit } = await repository();
    await mkdir(tree, { recursive: true });
    await writeFile(join(tree, 'left'), 'over');
    await freshCheckout(own, commit, tree);
    expect(existsSync(join(tree, 'left'))).toBe(false);
    git(tree, ['worktree', 'add', '-q', '--detach', join(tree, '.perf-gate/bases/one')]);
    await removeCheckout(own, tree);
    expect(existsSync(tree)).toBe(false);
    expect(git(path, ['worktree', 'list']).split('\n')).toHaveLength(1);
  });

  it('goes without a work tree of the user that is elsewhere for now', async () => {
    const { path, own, tree, commit } = await repository();
    const theirs = join(path, 'theirs');
    git(path, ['worktree', 'add', '-q', '-b', 'feature', theirs]);
    await rename(theirs, join(path, 'moved'));
    await freshCheckout(own, commit, tree);
    await removeCheckout(own, tree);
    await rename(join(path, 'moved'), theirs);
    expect(git(theirs, ['branch', '--show-current'])).toBe('feature');
  });

  it('names a patch that no longer applies, and can be used again', async () => {
    const { own, tree, commit, patch, inTree } = await repository();
    await freshCheckout(own, commit, tree);
    await commitPatch(inTree, patch, 'slow');
    const fault = await faultOf(commitPatch(inTree, patch, 'slow'));
    expect(fault).toMatchObject({ code: 'E_CATALOGUE_APPLY', place: patch });
    expect(fault.cause).toContain('app.txt');
    await freshCheckout(own, commit, tree);
    await commitPatch(inTree, patch, 'slow');
  });

  it('has the same code while only other files change', async () => {
    const { path, own, commit } = await repository();
    const hashOf = (name: string) =>
      hashOfCommit(own, name, (file) => isMeasured(file, ['perf/regressions']));
    const before = await hashOf(commit);
    await writeFile(join(path, 'docs.md'), 'better text\n');
    git(path, ['commit', '-qam', 'docs']);
    expect(await hashOf('HEAD')).toBe(before);
    await writeFile(join(path, 'perf/regressions/slow.patch'), 'another patch\n');
    git(path, ['commit', '-qam', 'patch']);
    expect(await hashOf('HEAD')).toBe(before);
    await writeFile(join(path, 'app.txt'), 'faster\n');
    git(path, ['commit', '-qam', 'app']);
    expect(await hashOf('HEAD')).not.toBe(before);
    expect(await hashOf('0'.repeat(40))).toBeUndefined();
  });

  it('is refused if HEAD is not what the checkout holds, patches and recorded rows aside', async () => {
    const { path, own, patch } = await repository();
    const perf = join(path, 'perf');
    await writeFile(patch, 'another patch\n');
    await mkdir(join(perf, 'detection'));
    await writeFile(join(perf, 'detection/runs.csv'), 'run\n');
    git(path, ['add', '-A']);
    await requireCommitted(own, path, perf);
    await writeFile(join(path, 'app.txt'), 'changed\n');
    expect(await faultOf(requireCommitted(own, path, perf))).toMatchObject({
      code: 'E_CATALOGUE_DIRTY',
      place: 'app.txt',
    });
  });

  it('is refused if it has files that HEAD lacks, unless git ignores them or they are rows', async () => {
    const { path, own } = await repository();
    const perf = join(path, 'perf');
    await mkdir(join(path, 'rows'));
    await writeFile(join(path, 'rows/runs.csv'), 'run\n');
    await mkdir(join(path, 'new folder'));
    await writeFile(join(path, 'new folder/gate.yml'), 'version: 1\n');
    const rows = [join(path, 'rows')];
    expect(await faultOf(requireCommitted(own, path, perf, rows))).toMatchObject({
      code: 'E_CATALOGUE_DIRTY',
      place: 'new folder/gate.yml',
    });
    await writeFile(join(path, '.git/info/exclude'), 'new folder/\n');
    await requireCommitted(own, path, perf, rows);
    expect((await faultOf(requireCommitted(own, path, perf))).place).toBe('rows/runs.csv');
  });
});

it('keeps the verdict on a patch, and forgets one that it cannot read', async () => {
  const fixture = await createFixture();
  onTestFinished(() => fixture.rm());
  expect(await readKeptCheck(fixture.path, 'slow')).toBeUndefined();
  const { regression } = verdicts;
  if (regression === undefined) throw new Error('the example is gone');
  const check = {
    schema: 1,
    code: 'a',
    patch: 'b',
    measuredAt: '2026-01-01T00:00:00.000Z',
    commit: 'c',
    verdict: regression,
  } as const;
  const path = await writeKeptCheck(fixture.path, 'slow', check);
  expect(await readKeptCheck(fixture.path, 'slow')).toEqual(check);
  for (const text of ['{', '{}']) {
    await writeFile(path, text);
    expect(await readKeptCheck(fixture.path, 'slow')).toBeUndefined();
  }
});
