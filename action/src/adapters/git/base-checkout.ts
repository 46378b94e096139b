import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../../model/fault.ts';
import { type BaseRemote, type BaseRemoteOptions, openBaseRemote } from './base-remote.ts';
import { type Git, lastLines, quoted } from './command.ts';
import { addWorkTree, forgetWorkTrees, isWorkTree } from './work-tree.ts';

/** A second work tree that holds the base commit. */
interface BaseCheckout {
  readonly commit: string;
  /** Top of the work tree; the same commit always has the same path. */
  readonly root: string;
  /** The folder in this work tree that corresponds to the folder git runs in. */
  readonly directory: string;
}

const wholeName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Git would read such a name as an option, or as the two sides of a fetch. */
const noReference = /^[-+]|:|^$/;
const defaultBranches = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];

/**
 * The commit that a reference names. In CI a branch often exists only on the remote, so that is searched too. A commit
 * that a shallow clone lacks is fetched alone, and no reference moves. A token replaces the credentials of the checkout.
 * Use a token only before any measured code has run, because that code could have changed the remote's address.
 */
export async function resolveCommit(
  git: Git,
  reference: string,
  options: BaseRemoteOptions,
): Promise<string> {
  if (noReference.test(reference)) {
    throw unknownReference(reference, 'it is not the name of a commit, branch or tag');
  }
  for (const name of [reference, `origin/${reference}`]) {
    const commit = await commitOf(git, name);
    if (commit !== undefined) return commit;
  }
  const remote = await openBaseRemote(git, reference, options);
  if (remote === undefined)
    throw unknownReference(reference, unknownHere, 'the checkout has no remote origin');
  const object = await remoteObject(remote, reference);
  const shallow = (await git.line(['rev-parse', '--is-shallow-repository'])) === 'true';
  const fetched = await remote.ask([
    'fetch',
    '--quiet',
    // In a complete clone, this option would make it a shallow one.
    ...(shallow ? ['--depth=1'] : []),
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    remote.name,
    object,
  ]);
  const commit = await commitOf(git, object);
  if (fetched.code === 0 && commit !== undefined) return commit;
  throw unknownReference(reference, unknownHere, lastLines(fetched.stderr).at(-1));
}

/** The commit that a name means in this checkout; undefined if it means none. */
export function localCommit(git: Git, reference: string): Promise<string | undefined> {
  return noReference.test(reference) ? Promise.resolve(undefined) : commitOf(git, reference);
}

function commitOf(git: Git, name: string): Promise<string | undefined> {
  return git.line(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
}

const unknownHere = 'git knows no commit of that name here';

function unknownReference(reference: string, cause: string, complaint = ''): Fault {
  return new Fault({
    code: 'E_BASE_REF',
    kind: 'usage',
    place: reference,
    cause: `${cause}${complaint === '' ? '' : `: ${complaint}`}`,
    nextStep:
      'fetch the base first, or name another commit, branch or tag (--base-ref, or `base-ref` of the Action)',
  });
}

/** The object that a branch or tag of the remote points to. A whole commit name stands for itself. */
async function remoteObject(remote: BaseRemote, reference: string): Promise<string> {
  if (wholeName.test(reference)) return reference;
  const names = reference.startsWith('refs/')
    ? [reference]
    : [`refs/heads/${reference}`, `refs/tags/${reference}`];
  const listed = await remote.ask(['ls-remote', '--quiet', remote.name, ...names]);
  const lines = listed.stdout.split('\n').map((line) => line.split('\t'));
  // Git treats the names as patterns and also lists longer names that end with them.
  const [object] = names.flatMap((name) => lines.find((line) => line[1] === name)?.[0] ?? []);
  if (object !== undefined) return object;
  throw unknownReference(reference, unknownHere, listed.code === 0 ? '' : lastLines(listed.stderr).at(-1));
}

/**
 * True if HEAD or the default branch has the commit in its history. A stored baseline can name any commit, also one
 * from a stranger's pull request, and only commits that this repository accepted may be built.
 */
export async function isInHistory(git: Git, commit: string): Promise<boolean> {
  if (!wholeName.test(commit)) return false;
  for (const tip of ['HEAD', ...defaultBranches]) {
    if ((await git.line(['merge-base', '--is-ancestor', commit, tip])) !== undefined) return true;
  }
  return false;
}

/**
 * The commit into which HEAD merges `head`, as in GitHub's merge commit of a pull request; undefined if HEAD is not such
 * a merge. This reads the raw commit, because a shallow clone hides parents elsewhere.
 */
export async function mergedInto(git: Git, head: string): Promise<string | undefined> {
  const text = await git.line(['cat-file', 'commit', 'HEAD']);
  // The message follows an empty line, and anybody may have written it.
  const [header = ''] = (text ?? '').split('\n\n', 1);
  const parents = [...header.matchAll(/^parent (\S+)$/gm)].map(([, parent]) => parent);
  return parents.length === 2 && parents[1] === head ? parents[0] : undefined;
}

/** The commit where this branch left the default branch; undefined if git cannot find it. */
export async function forkPoint(git: Git): Promise<string | undefined> {
  for (const branch of defaultBranches) {
    const base = await git.line(['merge-base', 'HEAD', branch]);
    if (base !== undefined) return base;
  }
  return undefined;
}

/**
 * Checks out the commit below `home` and keeps it there, build output included, until another base is needed.
 * An existing work tree is reused only if it has that commit and no changes except ignored files. An earlier check may
 * have left it incomplete, and the code that ran in it may have changed it.
 */
export async function checkoutBase(git: Git, commit: string, home: string): Promise<BaseCheckout> {
  // Git resolves symbolic links in the folder's path, so it is asked instead of the path.
  const folder = (await output(git, ['rev-parse', '--show-prefix'])).trim();
  const tree = join(home, commit.slice(0, 12));
  mkdirSync(home, { recursive: true });
  const kept = await isExactly(git, tree, commit);
  for (const name of readdirSync(home)) {
    const other = join(home, name);
    if (kept && other === tree) continue;
    rmSync(other, { recursive: true, force: true });
  }
  await forgetWorkTrees(git, home);
  if (!kept) {
    await output(git, addWorkTree(tree, commit));
  }
  await checkoutSubmodules(git, tree);
  return { commit, root: tree, directory: resolve(tree, folder) };
}

/** The submodules of a work tree, and whether they are checked out: git marks the others with a minus. */
async function submodulesOf(
  git: Git,
  ...flags: readonly string[]
): Promise<readonly { readonly path: string; readonly isThere: boolean }[]> {
  const status = (await git.line(['submodule', 'status', ...flags])) ?? '';
  return [...status.matchAll(/^\s?([-+U]?)[0-9a-f]{40,64} (.+?)(?: \([^()]*\))?$/gm)].map(
    ([, mark, path = '']) => ({ path, isThere: mark !== '-' }),
  );
}

/**
 * Gives the tree the submodules that head has too, because both sides must be built alike. There is no token here:
 * head's code may have run before, and could have changed the addresses of the submodules.
 */
async function checkoutSubmodules(git: Git, tree: string): Promise<void> {
  if (!existsSync(join(tree, '.gitmodules'))) return;
  const ofHead = (await submodulesOf(git)).filter(({ isThere }) => isThere);
  const ofBase = new Set((await submodulesOf(git.in(tree))).map(({ path }) => path));
  const wanted = ofHead.map(({ path }) => path).filter((path) => ofBase.has(path));
  if (wanted.length === 0) return;
  const below = await submodulesOf(git, '--recursive');
  const nested = below.filter(({ isThere }) => isThere).length > ofHead.length ? ['--recursive'] : [];
  const { code, stderr } = await git
    .in(tree)
    .run(['submodule', 'update', '--quiet', '--init', ...nested, '--', ...wanted]);
  if (code === 0) return;
  throw new Fault({
    code: 'E_BASE_CHECKOUT',
    kind: 'measurement',
    place: tree,
    cause: `the submodules of the base commit cannot be checked out${quoted(stderr)}`,
    nextStep: 'let git read them without a token, compare with `stored` runs, or check head out without them',
    logTail: lastLines(stderr),
  });
}

/** True if the folder is a work tree of that commit without any change. */
async function isExactly(git: Git, tree: string, commit: string): Promise<boolean> {
  if (!(await isWorkTree(git, tree))) return false;
  const within = git.in(tree);
  const head = await within.line(['rev-parse', '--verify', '--quiet', 'HEAD']);
  const status = await within.line(['status', '--porcelain', '--ignore-submodules=none']);
  return head === commit && status === '';
}

async function output(git: Git, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await git.run(args);
  if (code === 0) return stdout;
  throw new Fault({
    code: 'E_BASE_CHECKOUT',
    kind: 'measurement',
    place: git.directory,
    cause: `git ${args[0]} failed: ${lastLines(stderr).at(-1) ?? ''}`,
    nextStep:
      'run in a git checkout in which the base commit can be checked out, or compare with `stored` runs',
  });
}
