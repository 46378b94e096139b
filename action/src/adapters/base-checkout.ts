import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Fault } from '../model/fault.ts';
import type { Git } from './git-command.ts';

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
export async function resolveCommit(git: Git, reference: string): Promise<string> {
  for (const name of [reference, `origin/${reference}`]) {
    const commit = await ask(git, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
    if (commit.ok) return commit.text;
  }
  const fetched = await ask(git, ['fetch', '--quiet', '--depth=1', '--no-tags', 'origin', '--', reference]);
  const commit = await ask(git, ['rev-parse', '--verify', '--quiet', 'FETCH_HEAD^{commit}']);
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
export async function forkPoint(git: Git): Promise<string | undefined> {
  for (const branch of ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master']) {
    const base = await ask(git, ['merge-base', 'HEAD', branch]);
    if (base.ok) return base.text;
  }
  return undefined;
}

/**
 * Checks the commit out below `home`, and keeps it there with what is built in it until another base is asked for.
 * git runs in a folder of the checkout that is worked in.
 */
export async function checkoutBase(git: Git, commit: string, home: string): Promise<BaseCheckout> {
  const top = await demand(git, ['rev-parse', '--show-toplevel']);
  const tree = join(home, commit.slice(0, 12));
  mkdirSync(home, { recursive: true });
  for (const other of readdirSync(home)) {
    if (join(home, other) !== tree)
      await ask(git, ['worktree', 'remove', '--force', '--force', join(home, other)]);
  }
  await ask(git, ['worktree', 'prune']);
  if (!existsSync(join(tree, '.git'))) {
    await demand(git, ['worktree', 'add', '--quiet', '--force', '--detach', tree, commit]);
  }
  return { commit, directory: join(tree, relative(top, git.directory)) };
}

interface GitAnswer {
  readonly ok: boolean;
  /** What it printed; its last line of complaint if it failed. */
  readonly text: string;
}

async function ask(git: Git, args: readonly string[]): Promise<GitAnswer> {
  const { code, stdout, stderr } = await git.run(args);
  return code === 0
    ? { ok: true, text: stdout.trim() }
    : { ok: false, text: stderr.trim().split('\n').at(-1) ?? '' };
}

async function demand(git: Git, args: readonly string[]): Promise<string> {
  const { ok, text } = await ask(git, args);
  if (ok) return text;
  throw new Fault({
    code: 'E_BASE_CHECKOUT',
    kind: 'measurement',
    place: git.directory,
    cause: `git ${args[0]} failed: ${text}`,
    nextStep: 'measure in a git checkout whose base commit can be checked out, or use --compare stored',
  });
}
