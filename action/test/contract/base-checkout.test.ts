import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutBase, forkPoint, isInHistory, resolveCommit } from '../../src/adapters/git/base-checkout.ts';
import type { BackOff } from '../../src/adapters/host/back-off.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { confirmingBase } from '../../src/check/base-commit.ts';
import { gitIn } from '../../src/entry/checkout-git.ts';
import { Fault } from '../../src/model/fault.ts';
import { Remote } from './git-repositories.ts';
import { serve } from './git-server.ts';

let fixture: FsFixture;
let work: string;

const identity = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org'];
const git = (directory: string, ...args: string[]): string =>
  execFileSync('git', [...identity, ...args], { cwd: directory, encoding: 'utf8', stdio: 'pipe' }).trim();

const { signal } = new AbortController();
const at = (directory: string, env = process.env) => gitIn(directory, env, signal);
const clock = createSystemClock();
const quick: BackOff = { firstMs: 10, mostMs: 50, attempts: 3, withinMs: 20_000 };

/** The commit that a reference names in this folder. */
const resolved = (
  directory: string,
  reference: string,
  { token, env }: { readonly token?: string; readonly env?: NodeJS.ProcessEnv } = {},
) => resolveCommit(at(directory, env), reference, { clock, signal, token, backOff: quick });

/** How many work trees git knows, the first one included. */
const workTrees = (): number => git(work, 'worktree', 'list').split('\n').length;

async function commit(text: string): Promise<string> {
  await writeFile(join(work, 'service/app.txt'), text);
  git(work, 'add', '-A');
  git(work, 'commit', '-qm', text);
  return git(work, 'rev-parse', 'HEAD');
}

beforeEach(async () => {
  fixture = await createFixture({ 'work tree/service/app.txt': 'none' });
  work = await realpath(join(fixture.path, 'work tree'));
  git(work, 'init', '-q', '-b', 'main');
});

afterEach(() => fixture.rm());

const fault = async (promise: Promise<unknown>): Promise<Fault> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Fault) return error;
  throw new Error(`no fault, but ${error}`);
};

describe('checkoutBase', () => {
  it('checks out the commit in a second work tree, and leaves the first unchanged', async () => {
    const base = await commit('base');
    await commit('head');
    await writeFile(join(work, 'service/app.txt'), 'not committed');
    const checkout = await checkoutBase(at(join(work, 'service')), base, join(fixture.path, 'bases'));
    expect(await readFile(join(checkout.directory, 'app.txt'), 'utf8')).toBe('base');
    expect(await readFile(join(work, 'service/app.txt'), 'utf8')).toBe('not committed');
    expect(git(work, 'status', '--porcelain')).toBe('M service/app.txt');
    expect(git(work, 'branch', '--show-current')).toBe('main');
  });

  it.each([
    ['the checkout', '.', 'link/service'],
    ['the folder in it', 'service', 'link'],
    ['the folder in it, named with a slash', 'service', 'link/'],
  ])('finds the folder if a symbolic link leads to %s', async (_, target, path) => {
    const base = await commit('base');
    await symlink(join(work, target), join(fixture.path, 'link'));
    const home = join(fixture.path, 'bases');
    const { root, directory } = await checkoutBase(at(join(fixture.path, path)), base, home);
    expect(directory).toBe(join(root, 'service'));
    expect(await realpath(directory)).toBe(await realpath(join(home, base.slice(0, 12), 'service')));
    expect(await readFile(join(directory, 'app.txt'), 'utf8')).toBe('base');
  });

  it('keeps build output for the next check, and drops it for another base', async () => {
    await writeFile(join(work, '.gitignore'), '*.jar');
    const [one, two] = [await commit('one'), await commit('two')];
    const home = join(fixture.path, 'bases');
    const first = await checkoutBase(at(work), one, home);
    await writeFile(join(first.directory, 'built.jar'), 'jar');
    expect(await checkoutBase(at(work), one, home)).toEqual(first);
    expect(existsSync(join(first.directory, 'built.jar'))).toBe(true);
    await checkoutBase(at(work), two, home);
    expect(existsSync(first.directory)).toBe(false);
  });

  it('runs none of the hooks of the checkout', async () => {
    await mkdir(join(work, '.husky'));
    const ran = join(fixture.path, 'ran.txt');
    const hook = join(work, '.husky/post-checkout');
    await writeFile(hook, `#!/bin/sh\necho ran >>"${ran}"\n`, { mode: 0o755 });
    git(work, 'config', 'core.hooksPath', '.husky');
    const base = await commit('base');
    await checkoutBase(at(work), base, join(fixture.path, 'bases'));
    expect(existsSync(ran)).toBe(false);
  });

  it.each([
    ['a file is gone', (tree: string) => rm(join(tree, 'service/app.txt'))],
    ['a file was changed', (tree: string) => writeFile(join(tree, 'service/app.txt'), 'slower')],
    ['a file was added', (tree: string) => writeFile(join(tree, 'service/more.txt'), 'slower')],
    ['another commit is checked out', async (tree: string) => void git(tree, 'checkout', '-q', 'HEAD~1')],
    ['git does not know the work tree', (tree: string) => rm(join(tree, '.git'))],
    ['the path is a file', (tree: string) => rm(tree, { recursive: true }).then(() => writeFile(tree, 'x'))],
  ])('makes a new work tree if %s', async (_, spoil) => {
    await commit('before');
    const base = await commit('base');
    const home = join(fixture.path, 'bases');
    const { root, directory } = await checkoutBase(at(work), base, home);
    await spoil(directory);
    expect(await checkoutBase(at(work), base, home)).toEqual({ commit: base, root, directory });
    expect(await readFile(join(directory, 'service/app.txt'), 'utf8')).toBe('base');
    expect(git(directory, 'status', '--porcelain')).toBe('');
    expect(git(directory, 'rev-parse', 'HEAD')).toBe(base);
    expect(workTrees()).toBe(2);
  });

  it('makes git forget its own work trees that are gone', async () => {
    const [one, two] = [await commit('one'), await commit('two')];
    const home = join(fixture.path, 'bases');
    await checkoutBase(at(work), one, home);
    await rm(home, { recursive: true });
    await checkoutBase(at(work), two, home);
    expect(workTrees()).toBe(2);
  });

  it('leaves a work tree of the user alone that is elsewhere for now', async () => {
    const base = await commit('base');
    const own = join(fixture.path, 'own');
    git(work, 'worktree', 'add', '-q', '-b', 'feature', own);
    await rename(own, join(fixture.path, 'moved'));
    await checkoutBase(at(work), base, join(fixture.path, 'bases'));
    await rename(join(fixture.path, 'moved'), own);
    expect(git(own, 'branch', '--show-current')).toBe('feature');
  });

  describe('of a repository with submodules', () => {
    const fromFiles = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'protocol.file.allow',
      GIT_CONFIG_VALUE_0: 'always',
    };
    const checkedOut = (base: string) =>
      checkoutBase(at(work, { ...process.env, ...fromFiles }), base, join(fixture.path, 'bases'));
    let library: string;
    let base: string;

    beforeEach(async () => {
      library = join(fixture.path, 'library');
      git(fixture.path, 'init', '-q', '-b', 'main', library);
      await writeFile(join(library, 'lib.txt'), 'library');
      git(library, 'add', '-A');
      git(library, 'commit', '-qm', 'library');
      await commit('before');
      git(work, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
      base = await commit('base');
    });

    it('checks them out too, and does not need their remote again', async () => {
      const { directory } = await checkedOut(base);
      expect(await readFile(join(directory, 'lib/lib.txt'), 'utf8')).toBe('library');
      await rm(library, { recursive: true });
      expect((await checkedOut(base)).directory).toBe(directory);
    });

    it('leaves them out if head has none of its own', async () => {
      git(work, 'submodule', '--quiet', 'deinit', '--force', '--all');
      const { directory } = await checkedOut(base);
      expect(existsSync(join(directory, 'lib/lib.txt'))).toBe(false);
    });

    it('leaves out those that head has not checked out', async () => {
      const other = join(fixture.path, 'other');
      git(fixture.path, 'clone', '-q', library, other);
      git(work, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'other');
      const both = await commit('both');
      git(work, 'submodule', '--quiet', 'deinit', '--force', 'other');
      await rm(other, { recursive: true });
      const { directory } = await checkedOut(both);
      expect(await readFile(join(directory, 'lib/lib.txt'), 'utf8')).toBe('library');
      expect(existsSync(join(directory, 'other/lib.txt'))).toBe(false);
    });

    it('says which cannot be checked out', async () => {
      await rm(library, { recursive: true });
      const { details } = await fault(checkedOut(base));
      expect(details).toMatchObject({ code: 'E_BASE_CHECKOUT', kind: 'measurement' });
      expect(details.cause).toMatch(/^the submodules of the base commit cannot be checked out: fatal: .*lib/);
    });
  });

  it('ends when the signal aborts', async () => {
    const base = await commit('base');
    const stopped = gitIn(work, process.env, AbortSignal.abort(new Error('stopped')));
    await expect(checkoutBase(stopped, base, join(fixture.path, 'bases'))).rejects.toThrow('stopped');
  });

  it('fails outside a repository', async () => {
    const found = await fault(checkoutBase(at(fixture.path), 'a'.repeat(40), join(fixture.path, 'bases')));
    expect(found.details).toMatchObject({ code: 'E_BASE_CHECKOUT', kind: 'measurement' });
  });
});

describe('resolveCommit', () => {
  it('knows commits, branches, tags and branches of the remote', async () => {
    const one = await commit('one');
    git(work, 'tag', 'v1');
    git(work, 'branch', 'older');
    const two = await commit('two');
    const clone = join(fixture.path, 'clone');
    git(fixture.path, 'clone', '-q', work, clone);
    expect(await resolved(clone, one)).toBe(one);
    expect(await resolved(clone, 'v1')).toBe(one);
    expect(await resolved(clone, 'older')).toBe(one);
    expect(await resolved(clone, 'main')).toBe(two);
  });

  it('fetches a commit that a shallow clone lacks', async () => {
    const one = await commit('one');
    await commit('two');
    const clone = join(fixture.path, 'clone');
    git(work, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    git(fixture.path, 'clone', '-q', '--depth=1', `file://${work}`, clone);
    expect(await resolved(clone, one)).toBe(one);
    const checkout = await checkoutBase(at(clone), one, join(fixture.path, 'bases'));
    expect(await readFile(join(checkout.directory, 'service/app.txt'), 'utf8')).toBe('one');
  });

  it('does not make a complete clone shallow', async () => {
    await commit('one');
    const clone = join(fixture.path, 'clone');
    git(fixture.path, 'clone', '-q', work, clone);
    const two = await commit('two');
    expect(await resolved(clone, two)).toBe(two);
    expect(git(clone, 'rev-parse', '--is-shallow-repository')).toBe('false');
    expect(git(clone, 'rev-list', '--count', two)).toBe('2');
  });

  it('fetches with a token if the checkout has no credentials', async () => {
    const remote = await Remote.create();
    const first = remote.tip('main');
    remote.writeFile('main', 'two.txt', 'two');
    const clone = remote.clone('--depth=1');
    // Not that of another test, whose commands run at the same time.
    const token = 'tok3n-0f-the-ch3ck0ut';
    const header = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
    const { url, seen } = await serve(remote, [token], (given) => (given === header ? 200 : 401));
    git(clone, 'remote', 'set-url', 'origin', `http://${url}`);
    const refused = await fault(resolved(clone, first));
    expect(refused.details).toMatchObject({ code: 'E_BASE_REF', place: first });
    const env = { ...process.env, GITHUB_SERVER_URL: `http://${url}` };
    expect(await resolved(clone, first, { token, env })).toBe(first);
    expect(seen.leaks).toEqual([]);
  });

  describe('over a network', () => {
    /** A shallow clone of a remote with failing answers, and a first commit that the clone lacks. */
    async function shallowClone(status: (request: number) => number) {
      const remote = await Remote.create();
      const first = remote.tip('main');
      git(remote.path, 'branch', 'older', first);
      remote.writeFile('main', 'two.txt', 'two');
      const clone = remote.clone('--depth=1');
      let requests = 0;
      const { url } = await serve(remote, [], () => status(++requests));
      git(clone, 'remote', 'set-url', 'origin', `http://${url}`);
      return { clone, first, requests: () => requests };
    }

    it.each(['the commit', 'a branch'])('asks again for %s after a short outage', async (what) => {
      const { clone, first } = await shallowClone((request) => (request === 1 ? 503 : 200));
      expect(await resolved(clone, what === 'a branch' ? 'older' : first)).toBe(first);
    });

    it.each(['the commit', 'a branch'])('blames the remote for a lasting outage, not %s', async (what) => {
      const { clone, first, requests } = await shallowClone(() => 503);
      const reference = what === 'a branch' ? 'older' : first;
      const { details } = await fault(resolved(clone, reference));
      expect(details).toMatchObject({ code: 'E_BASE_REMOTE', kind: 'measurement', place: reference });
      expect(details.cause).toMatch(/could not be reached in 3 attempts within \d+ s: fatal: .*503/);
      expect(requests()).toBe(3);
    });

    it.each([
      ['a commit', 'f'.repeat(40)],
      ['a branch', 'no-such-branch'],
    ])('asks only once if the remote has no such object: %s', async (_, reference) => {
      const { clone, requests } = await shallowClone(() => 200);
      const { details } = await fault(resolved(clone, reference));
      expect(details).toMatchObject({ code: 'E_BASE_REF', kind: 'usage', place: reference });
      // One conversation has two requests.
      expect(requests()).toBe(2);
    });
  });

  it('names the reference that it cannot find', async () => {
    await commit('one');
    const found = await fault(resolved(work, 'no-such-branch'));
    expect(found.details).toMatchObject({ code: 'E_BASE_REF', kind: 'usage', place: 'no-such-branch' });
  });

  it.each([
    '+refs/pull/7/head:refs/heads/release',
    'refs/pull/7/head:refs/heads/release',
    '+main',
    ':main',
    '',
  ])('refuses "%s" as a reference, and moves none', async (reference) => {
    await commit('one');
    git(work, 'update-ref', 'refs/pull/7/head', await commit('of a stranger'));
    git(work, 'reset', '-q', '--hard', 'HEAD~1');
    const clone = join(fixture.path, 'clone');
    git(fixture.path, 'clone', '-q', `file://${work}`, clone);
    git(clone, 'branch', 'release');
    const before = git(clone, 'show-ref');
    expect((await fault(resolved(clone, reference))).details.code).toBe('E_BASE_REF');
    expect(git(clone, 'show-ref')).toBe(before);
  });

  it('fetches the commit of a branch or tag that a clone lacks, and creates no reference', async () => {
    const one = await commit('one');
    git(work, 'tag', '-a', '-m', 'annotated', 'v1');
    git(work, 'branch', 'feature/c++');
    git(work, 'branch', 'refs/heads/feature/c++', await commit('misleading'));
    await commit('two');
    const clone = join(fixture.path, 'clone');
    git(fixture.path, 'clone', '-q', '--depth=1', '--no-tags', `file://${work}`, clone);
    const before = git(clone, 'show-ref');
    expect(await resolved(clone, 'feature/c++')).toBe(one);
    expect(await resolved(clone, 'v1')).toBe(one);
    expect((await fault(resolved(clone, 'feature/*'))).details.code).toBe('E_BASE_REF');
    expect(git(clone, 'show-ref')).toBe(before);
    expect(existsSync(join(clone, '.git/FETCH_HEAD'))).toBe(false);
  });

  it('refuses an option as a reference', async () => {
    await commit('one');
    const found = await fault(resolved(work, '--upload-pack=touch pwned'));
    expect(found.details.code).toBe('E_BASE_REF');
    expect(existsSync(join(work, 'pwned'))).toBe(false);
  });
});

describe('the base of the stored runs', () => {
  const notes: string[] = [];
  const asked = (directory: string, commit: string) =>
    confirmingBase(
      { isInHistory: (one) => isInHistory(at(directory), one) },
      (text) => notes.push(text),
      commit,
      undefined,
    );

  beforeEach(() => {
    notes.length = 0;
  });

  it('is in the history of this commit or of the default branch', async () => {
    const one = await commit('one');
    git(work, 'switch', '-qc', 'faster');
    const two = await commit('two');
    git(work, 'switch', '-q', 'main');
    const three = await commit('three');
    git(work, 'switch', '-q', 'faster');
    for (const base of [one, two, three]) expect(await asked(work, base)).toBe(base);
    expect(notes).toEqual([]);
  });

  it.each([
    ['a commit of a fetched pull request', (stranger: string) => stranger],
    ['a commit that the remote would serve', () => 'f'.repeat(40)],
    ['two sides of a fetch', () => '+refs/pull/7/head:refs/heads/release'],
    ['a branch', () => 'release'],
    ['an option', () => '--output=x'],
  ])('is not built if it is %s', async (_, name) => {
    await commit('one');
    git(work, 'branch', 'release');
    git(work, 'switch', '-q', '--orphan', 'stranger');
    const stranger = git(work, 'commit-tree', '-m', 'x', git(work, 'mktree', '--missing'));
    git(work, 'switch', '-q', 'main');
    git(work, 'update-ref', 'refs/pull/7/head', stranger);
    const before = git(work, 'show-ref');
    expect(await asked(work, name(stranger))).toBeUndefined();
    expect(notes.join()).toContain('not re-measured against');
    expect(git(work, 'show-ref')).toBe(before);
  });

  it('gives a next step if a shallow checkout does not contain it', async () => {
    const one = await commit('one');
    await commit('two');
    const clone = join(fixture.path, 'clone');
    git(work, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    git(fixture.path, 'clone', '-q', '--depth=1', `file://${work}`, clone);
    expect(await asked(clone, one)).toBeUndefined();
    expect(notes.join()).toContain('fetch-depth: 0');
  });
});

describe('forkPoint', () => {
  it('is the commit where the branch left the default branch', async () => {
    const base = await commit('base');
    git(work, 'switch', '-qc', 'faster');
    await commit('head');
    expect(await forkPoint(at(work))).toBe(base);
  });

  it('is undefined outside a repository', async () => {
    expect(await forkPoint(at(fixture.path))).toBeUndefined();
  });
});
