import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../../model/fault.ts';
import { BaseRemote, type BaseRemoteOptions } from './base-remote.ts';
import { type Git, type GitAnswer, subcommand, withoutCompany } from './command.ts';

/** A work tree of the base commit, beside the one that is worked in. */
export interface BaseCheckout {
  readonly commit: string;
  /** Top of the work tree, of the same name for the same commit. */
  readonly root: string;
  /** Where the folder that was asked about lies within the work tree. */
  readonly directory: string;
}

const wholeName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** git would take it for an option, or for the two sides of a fetch. */
const noReference = /^[-+]|:|^$/;
const defaultBranches = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];

/**
 * The commit that a reference names, without the reference: a branch on the remote, where a checkout of CI has no
 * local one. A commit that is not here (a shallow clone) is fetched by itself, and no reference moves: with the token,
 * if there is one, in place of the credentials of the checkout. A token is for as long as nothing of the code that is
 * measured has run: that could have changed where the remote is.
 */
export async function resolveCommit(
  git: Git,
  reference: string,
  options: BaseRemoteOptions,
): Promise<string> {
  if (noReference.test(reference)) {
    throw unknownReference(reference, 'it is not the name of one commit, branch or tag');
  }
  for (const name of [reference, `origin/${reference}`]) {
    const commit = await ask(git, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
    if (commit.ok) return commit.text;
  }
  const remote = await BaseRemote.open(git, reference, options);
  if (remote === undefined)
    throw unknownReference(reference, unknownHere, 'there is no remote origin to ask');
  const named = await remoteObject(remote, reference);
  if (named.object === undefined) throw unknownReference(reference, unknownHere, named.complaint);
  const shallow = await ask(git, ['rev-parse', '--is-shallow-repository']);
  const fetched = replyOf(
    await remote.ask([
      ...withoutCompany,
      'fetch',
      '--quiet',
      // It would make a whole checkout a shallow one.
      ...(shallow.text === 'true' ? ['--depth=1'] : []),
      '--no-tags',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      remote.name,
      named.object,
    ]),
  );
  const commit = await ask(git, ['rev-parse', '--verify', '--quiet', `${named.object}^{commit}`]);
  if (fetched.ok && commit.ok) return commit.text;
  throw unknownReference(reference, unknownHere, fetched.text);
}

const unknownHere = 'git knows no commit of that name here';

function unknownReference(reference: string, cause: string, complaint = ''): Fault {
  return new Fault({
    code: 'E_BASE_REF',
    kind: 'usage',
    place: reference,
    cause: `${cause}${complaint === '' ? '' : `: ${complaint}`}`,
    nextStep: 'name a commit, branch or tag (--base-ref, or `base-ref` of the Action), and fetch it before',
  });
}

/** What a branch or tag of the remote points to; a commit's whole name is its own. */
async function remoteObject(
  remote: BaseRemote,
  reference: string,
): Promise<{ readonly object: string | undefined; readonly complaint: string }> {
  if (wholeName.test(reference)) return { object: reference, complaint: '' };
  const names = reference.startsWith('refs/')
    ? [reference]
    : [`refs/heads/${reference}`, `refs/tags/${reference}`];
  const listed = replyOf(await remote.ask(['ls-remote', '--quiet', remote.name, ...names]));
  // git takes the names for patterns, and for ends of longer names.
  const objects = new Map(
    listed.text.split('\n').map((line) => {
      const [object = '', name = ''] = line.split('\t');
      return [name, object];
    }),
  );
  const [object] = names.flatMap((name) => objects.get(name) ?? []);
  return { object, complaint: listed.ok ? '' : listed.text };
}

/**
 * True if the commit belongs to the history of HEAD or of the default branch here. Who may write the baseline may name
 * any commit in it, that of a stranger's pull request too: only what was taken into one of these is built.
 */
export async function isInHistory(git: Git, commit: string): Promise<boolean> {
  if (!wholeName.test(commit)) return false;
  for (const tip of ['HEAD', ...defaultBranches]) {
    if ((await ask(git, ['merge-base', '--is-ancestor', commit, tip])).ok) return true;
  }
  return false;
}

/**
 * The commit that HEAD merges that one into, as GitHub merges a pull request to have it checked out; undefined if HEAD
 * is something else. Read from the commit's own text: a shallow clone tells of no parents otherwise.
 */
export async function mergedInto(git: Git, head: string): Promise<string | undefined> {
  const { ok, text } = await ask(git, ['cat-file', 'commit', 'HEAD']);
  if (!ok) return undefined;
  // The message follows an empty line, and may be of anybody.
  const [header = ''] = text.split('\n\n', 1);
  const parents = [...header.matchAll(/^parent (\S+)$/gm)].map(([, parent]) => parent);
  return parents.length === 2 && parents[1] === head ? parents[0] : undefined;
}

/** The commit that the branch of this checkout left the default branch at; undefined if that cannot be told. */
export async function forkPoint(git: Git): Promise<string | undefined> {
  for (const branch of defaultBranches) {
    const base = await ask(git, ['merge-base', 'HEAD', branch]);
    if (base.ok) return base.text;
  }
  return undefined;
}

/**
 * Checks the commit out below `home`, and keeps it there with what is built in it until another base is asked for.
 * git runs in a folder of the checkout that is worked in. A work tree that is there is taken as it is only if git finds
 * in it the commit and nothing else but what it ignores: it may have been left half made, or changed by what ran in it.
 */
export async function checkoutBase(git: Git, commit: string, home: string): Promise<BaseCheckout> {
  // From git: the folder's own name may lead through a symbolic link.
  const folder = await demand(git, ['rev-parse', '--show-prefix']);
  const tree = join(home, commit.slice(0, 12));
  mkdirSync(home, { recursive: true });
  const kept = existsSync(tree) && (await isExactly(git, tree, commit));
  for (const name of readdirSync(home)) {
    const other = join(home, name);
    if (kept && other === tree) continue;
    await ask(git, ['worktree', 'remove', '--force', '--force', other]);
    // What git does not know for a work tree of its own.
    rmSync(other, { recursive: true, force: true });
  }
  await ask(git, ['worktree', 'prune']);
  if (!kept) {
    const add = ['worktree', 'add', '--quiet', '--force', '--force', '--detach'];
    await demand(git, [...withoutCompany, ...add, tree, commit]);
  }
  return { commit, root: tree, directory: resolve(tree, folder) };
}

/** Whether a folder is a work tree with that commit, and without a change. */
async function isExactly(git: Git, tree: string, commit: string): Promise<boolean> {
  const within = [...withoutCompany, '-c', 'core.fsmonitor=false', '-C', tree];
  const head = await ask(git, [...within, 'rev-parse', '--verify', '--quiet', 'HEAD']);
  const top = await ask(git, [...within, 'rev-parse', '--show-toplevel']);
  const status = await ask(git, [...within, 'status', '--porcelain', '--ignore-submodules=none']);
  return (
    head.text === commit &&
    top.ok &&
    realpathSync(top.text) === realpathSync(tree) &&
    status.ok &&
    status.text === ''
  );
}

interface Reply {
  readonly ok: boolean;
  /** What it printed; its last line of complaint if it failed. */
  readonly text: string;
}

async function ask(git: Git, args: readonly string[]): Promise<Reply> {
  return replyOf(await git.run(args));
}

function replyOf({ code, stdout, stderr }: GitAnswer): Reply {
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
    cause: `git ${subcommand(args)} failed: ${text}`,
    nextStep: 'measure in a git checkout whose base commit can be checked out, or compare with `stored` runs',
  });
}
