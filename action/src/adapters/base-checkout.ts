import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Fault } from '../model/fault.ts';
import { type Git, withoutCompany } from './git-command.ts';

/** A work tree of the base commit, beside the one that is worked in. */
export interface BaseCheckout {
  readonly commit: string;
  /** Where the folder that was asked about lies within the work tree. */
  readonly directory: string;
}

const wholeName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** git would take it for an option, or for the two sides of a fetch. */
const noReference = /^[-+]|:|^$/;
const defaultBranches = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];

/**
 * The commit that a reference names, without the reference: a branch on the remote, where a checkout of CI has no
 * local one. A commit that is not here (a shallow clone) is fetched by itself, and no reference moves.
 */
export async function resolveCommit(git: Git, reference: string): Promise<string> {
  if (noReference.test(reference)) {
    throw unknownReference(reference, 'it is not the name of one commit, branch or tag');
  }
  for (const name of [reference, `origin/${reference}`]) {
    const commit = await ask(git, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
    if (commit.ok) return commit.text;
  }
  const named = await remoteObject(git, reference);
  if (named.object === undefined) throw unknownReference(reference, unknownHere, named.complaint);
  const fetched = await ask(git, [
    ...withoutCompany,
    'fetch',
    '--quiet',
    '--depth=1',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    'origin',
    named.object,
  ]);
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
    nextStep: 'name a commit, branch or tag with --base-ref, and fetch it before',
  });
}

/** What a branch or tag of the remote points to; a commit's whole name is its own. */
async function remoteObject(
  git: Git,
  reference: string,
): Promise<{ readonly object: string | undefined; readonly complaint: string }> {
  if (wholeName.test(reference)) return { object: reference, complaint: '' };
  const names = reference.startsWith('refs/')
    ? [reference]
    : [`refs/heads/${reference}`, `refs/tags/${reference}`];
  const listed = await ask(git, ['ls-remote', '--quiet', 'origin', ...names]);
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
