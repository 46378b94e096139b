import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { x } from 'tinyexec';
import { Fault } from '../model/fault.ts';

/** A work tree of the base commit, beside the one that is worked in. */
export interface BaseCheckout {
  readonly commit: string;
  /** Where the folder that was asked about lies within the work tree. */
  readonly directory: string;
}

/**
 * The commit that a reference names, without the reference: a branch on the remote, where a checkout of CI has no
 * local one. A commit that is not here (a shallow clone) is fetched by itself.
 */
export async function resolveCommit(directory: string, reference: string): Promise<string> {
  for (const name of [reference, `origin/${reference}`]) {
    const commit = await git(directory, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
    if (commit.ok) return commit.text;
  }
  const fetched = await git(directory, [
    'fetch',
    '--quiet',
    '--depth=1',
    '--no-tags',
    'origin',
    '--',
    reference,
  ]);
  const commit = await git(directory, ['rev-parse', '--verify', '--quiet', 'FETCH_HEAD^{commit}']);
  if (fetched.ok && commit.ok) return commit.text;
  throw new Fault({
    code: 'E_BASE_REF',
    kind: 'usage',
    place: reference,
    cause: `git knows no commit of that name here${fetched.text === '' ? '' : `: ${fetched.text}`}`,
    nextStep: 'name a commit, branch or tag with --base-ref, and fetch it before',
  });
}

/** The commit that the branch of this checkout left the default branch at; undefined if that cannot be told. */
export async function forkPoint(directory: string): Promise<string | undefined> {
  for (const branch of ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master']) {
    const base = await git(directory, ['merge-base', 'HEAD', branch]);
    if (base.ok) return base.text;
  }
  return undefined;
}

/**
 * Checks the commit out below `home`, and keeps it there with what is built in it until another base is asked for.
 * `directory` is a folder of the checkout that is worked in.
 */
export async function checkoutBase(directory: string, commit: string, home: string): Promise<BaseCheckout> {
  const top = await demand(directory, ['rev-parse', '--show-toplevel']);
  const tree = join(home, commit.slice(0, 12));
  mkdirSync(home, { recursive: true });
  for (const other of readdirSync(home)) {
    if (join(home, other) !== tree)
      await git(directory, ['worktree', 'remove', '--force', '--force', join(home, other)]);
  }
  await git(directory, ['worktree', 'prune']);
  if (!existsSync(join(tree, '.git'))) {
    await demand(directory, ['worktree', 'add', '--quiet', '--force', '--detach', tree, commit]);
  }
  return { commit, directory: join(tree, relative(top, directory)) };
}

interface GitAnswer {
  readonly ok: boolean;
  /** What it printed; its last line of complaint if it failed. */
  readonly text: string;
}

async function git(directory: string, args: readonly string[]): Promise<GitAnswer> {
  try {
    const { exitCode, stdout, stderr } = await x('git', [...args], { nodeOptions: { cwd: directory } });
    return exitCode === 0
      ? { ok: true, text: stdout.trim() }
      : { ok: false, text: stderr.trim().split('\n').at(-1) ?? '' };
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}

async function demand(directory: string, args: readonly string[]): Promise<string> {
  const { ok, text } = await git(directory, args);
  if (ok) return text;
  throw new Fault({
    code: 'E_BASE_CHECKOUT',
    kind: 'measurement',
    place: directory,
    cause: `git ${args[0]} failed: ${text}`,
    nextStep: 'measure in a git checkout whose base commit can be checked out, or use --compare stored',
  });
}
