import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutBase, forkPoint, resolveCommit } from '../../src/adapters/base-checkout.ts';
import { gitIn } from '../../src/entry/checkout-git.ts';
import { Fault } from '../../src/model/fault.ts';

let fixture: FsFixture;
let work: string;

const identity = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org'];
const git = (directory: string, ...args: string[]): string =>
  execFileSync('git', [...identity, ...args], { cwd: directory, encoding: 'utf8', stdio: 'pipe' }).trim();

const at = (directory: string) => gitIn(directory, process.env, new AbortController().signal);

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
  it('has the commit beside the work tree, which stays as it is', async () => {
    const base = await commit('base');
    await commit('head');
    await writeFile(join(work, 'service/app.txt'), 'not committed');
    const checkout = await checkoutBase(at(join(work, 'service')), base, join(fixture.path, 'bases'));
    expect(await readFile(join(checkout.directory, 'app.txt'), 'utf8')).toBe('base');
    expect(await readFile(join(work, 'service/app.txt'), 'utf8')).toBe('not committed');
    expect(git(work, 'status', '--porcelain')).toBe('M service/app.txt');
    expect(git(work, 'branch', '--show-current')).toBe('main');
  });

  it('keeps what was built in it for the next time, and drops it for another base', async () => {
    const [one, two] = [await commit('one'), await commit('two')];
    const home = join(fixture.path, 'bases');
    const first = await checkoutBase(at(work), one, home);
    await writeFile(join(first.directory, 'built.jar'), 'jar');
    expect(await checkoutBase(at(work), one, home)).toEqual(first);
    expect(existsSync(join(first.directory, 'built.jar'))).toBe(true);
    await checkoutBase(at(work), two, home);
    expect(existsSync(first.directory)).toBe(false);
  });

  it('is a fault outside of a repository', async () => {
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
    expect(await resolveCommit(at(clone), one)).toBe(one);
    expect(await resolveCommit(at(clone), 'v1')).toBe(one);
    expect(await resolveCommit(at(clone), 'older')).toBe(one);
    expect(await resolveCommit(at(clone), 'main')).toBe(two);
  });

  it('fetches what a shallow clone does not have', async () => {
    const one = await commit('one');
    await commit('two');
    const clone = join(fixture.path, 'clone');
    git(work, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    git(fixture.path, 'clone', '-q', '--depth=1', `file://${work}`, clone);
    expect(await resolveCommit(at(clone), one)).toBe(one);
    const checkout = await checkoutBase(at(clone), one, join(fixture.path, 'bases'));
    expect(await readFile(join(checkout.directory, 'service/app.txt'), 'utf8')).toBe('one');
  });

  it('says what it looked for', async () => {
    await commit('one');
    const found = await fault(resolveCommit(at(work), 'no-such-branch'));
    expect(found.details).toMatchObject({ code: 'E_BASE_REF', kind: 'usage', place: 'no-such-branch' });
  });

  it('takes no option for a reference', async () => {
    await commit('one');
    const found = await fault(resolveCommit(at(work), '--upload-pack=touch pwned'));
    expect(found.details.code).toBe('E_BASE_REF');
    expect(existsSync(join(work, 'pwned'))).toBe(false);
  });
});

describe('forkPoint', () => {
  it('is where the branch left the default branch', async () => {
    const base = await commit('base');
    git(work, 'switch', '-qc', 'faster');
    await commit('head');
    expect(await forkPoint(at(work))).toBe(base);
  });

  it('is not told outside of a repository', async () => {
    expect(await forkPoint(at(fixture.path))).toBeUndefined();
  });
});
