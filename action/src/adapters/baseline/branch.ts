import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Git,
  type GitCall,
  ownRemote,
  type PushAnswer,
  type RemoteAccess,
  readPushAnswer,
  withoutCompany,
} from '../git/index.ts';

/** The newest commit of a branch. */
export interface BranchTip {
  readonly commit: string;
  readonly tree: string;
  readonly message: string;
}

export interface BranchFile {
  readonly path: string;
  /** False for links, folders of other repositories and programs. */
  readonly plain: boolean;
  readonly object: string;
  readonly bytes: number;
}

export interface BranchChange {
  /** Null begins a new history. */
  readonly parent: string | null;
  /** Tree to start from; null is an empty one. */
  readonly from: string | null;
  readonly write: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
  readonly message: string;
  readonly at: Date;
}

/** A commit that was made but not pushed. */
export interface MadeCommit {
  readonly commit: string;
  readonly tree: string;
}

/** What git said where it could not read the branch. */
export type TipRead =
  | { readonly kind: 'found'; readonly tip: BranchTip }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly stderr: string; readonly timedOut: boolean };

const author = { name: 'perf-gate', email: 'perf-gate@localhost' };
const tipRef = 'refs/perf-gate/tip';

/** git answers with one text a batch, and a text of JavaScript ends at half a gigabyte. */
const mostBatchBytes = 16_000_000;

/** Files in their order, as many to a batch as it has room for; one that is larger has a batch of its own. */
export function batchesOf<T extends { readonly bytes: number }>(
  files: readonly T[],
  mostBytes: number,
): readonly (readonly T[])[] {
  const batches: T[][] = [];
  let room = 0;
  for (const file of files) {
    const last = batches.at(-1);
    if (last === undefined || file.bytes > room) {
      batches.push([file]);
      room = mostBytes;
    } else {
      last.push(file);
    }
    room -= file.bytes;
  }
  return batches;
}

/**
 * One branch of a remote, seen through a repository of its own in a temporary folder. The checkout's is not touched in
 * any way: not its files, index, refs or FETCH_HEAD, nor its objects or the list of commits at which it is shallow.
 */
export class GitBranch {
  readonly #git: Git;
  readonly #access: RemoteAccess;
  readonly #ref: string;
  readonly #scratch: string;
  #directory: string | undefined;

  /** Temporary folders are made below `scratch`. */
  constructor(git: Git, access: RemoteAccess, branch: string, scratch: string) {
    this.#git = git;
    this.#access = access;
    this.#ref = `refs/heads/${branch}`;
    this.#scratch = scratch;
  }

  /** Gets the newest commit with its files, and nothing of what came before. */
  async fetchTip(): Promise<TipRead> {
    const fetched = await this.#run([
      'fetch',
      '--quiet',
      '--depth=1',
      '--no-tags',
      '--no-recurse-submodules',
      ownRemote,
      `+${this.#ref}:${tipRef}`,
    ]);
    if (fetched.code === 0) {
      const [commit = '', tree = '', ...message] = (
        await this.#output(['log', '-1', '--no-show-signature', '--format=%H%n%T%n%B', tipRef])
      ).split('\n');
      return { kind: 'found', tip: { commit, tree, message: message.join('\n') } };
    }
    // A branch that is not there and a remote that does not answer fail alike; only the former has an exit code here.
    const listed = await this.#run(['ls-remote', '--exit-code', ownRemote, this.#ref]);
    if (listed.code === 2) return { kind: 'missing' };
    const { stderr, timedOut } = listed.code === 0 ? fetched : listed;
    return { kind: 'failed', stderr, timedOut };
  }

  async files(commit: string): Promise<readonly BranchFile[]> {
    const listed = await this.#output(['ls-tree', '-r', '-z', '--long', '--full-tree', commit]);
    return listed
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => {
        const tab = entry.indexOf('\t');
        const [mode, , object = '', bytes] = entry.slice(0, tab).split(/ +/);
        return { path: entry.slice(tab + 1), plain: mode === '100644', object, bytes: Number(bytes) };
      });
  }

  /** Texts of files, in their order. */
  async read(files: readonly BranchFile[]): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const batch of batchesOf(files, mostBatchBytes)) texts.push(...(await this.#readBatch(batch)));
    return texts;
  }

  async #readBatch(files: readonly BranchFile[]): Promise<readonly string[]> {
    const stdin = files.map(({ object }) => `${object}\n`).join('');
    const answer = await this.#output(['cat-file', '--batch'], { stdin, encoding: 'latin1' });
    const texts: string[] = [];
    let from = 0;
    for (const { bytes } of files) {
      const start = answer.indexOf('\n', from) + 1;
      texts.push(Buffer.from(answer.slice(start, start + bytes), 'latin1').toString('utf8'));
      from = start + bytes + 1;
    }
    return texts;
  }

  /** Makes a commit here; nobody sees it before it is pushed. Files that are not named stay as they are. */
  async commit(change: BranchChange): Promise<MadeCommit> {
    const env = { GIT_INDEX_FILE: join(await this.#open(), 'index') };
    await this.#output(['read-tree', ...(change.from === null ? ['--empty'] : [change.from])], { env });
    const noObject = '0'.repeat(this.#access.objectFormat === 'sha256' ? 64 : 40);
    const entries = change.remove.map((path) => `0 ${noObject}\t${path}\0`);
    for (const [path, text] of change.write) {
      const object = await this.#line(['hash-object', '-w', '--stdin'], { stdin: text });
      entries.push(`100644 ${object}\t${path}\0`);
    }
    await this.#output(['update-index', '-z', '--index-info'], { env, stdin: entries.join('') });
    const tree = await this.#line(['write-tree'], { env });
    const date = `${Math.floor(change.at.getTime() / 1000)} +0000`;
    const commit = await this.#line(
      ['commit-tree', tree, ...(change.parent === null ? [] : ['-p', change.parent])],
      {
        stdin: change.message,
        env: {
          GIT_AUTHOR_NAME: author.name,
          GIT_AUTHOR_EMAIL: author.email,
          GIT_AUTHOR_DATE: date,
          GIT_COMMITTER_NAME: author.name,
          GIT_COMMITTER_EMAIL: author.email,
          GIT_COMMITTER_DATE: date,
        },
      },
    );
    return { commit, tree };
  }

  /**
   * Pushes if the branch still is at `expected`; null: if it is not there. With a child of `expected` that is a
   * fast-forward, and more: a branch that was deleted meanwhile is not brought back.
   */
  async push(commit: string, expected: string | null): Promise<PushAnswer & { readonly stderr: string }> {
    const { stdout, stderr, code } = await this.#run([
      'push',
      '--porcelain',
      '--no-verify',
      '--no-follow-tags',
      '--no-signed',
      '--recurse-submodules=no',
      `--force-with-lease=${this.#ref}:${expected ?? ''}`,
      ownRemote,
      `${commit}:${this.#ref}`,
    ]);
    return { ...readPushAnswer(stdout, code), stderr };
  }

  /** Removes the temporary folder; the next call makes a new one. */
  async close(): Promise<void> {
    if (this.#directory === undefined) return;
    const directory = this.#directory;
    this.#directory = undefined;
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }

  async #open(): Promise<string> {
    if (this.#directory === undefined) {
      await mkdir(this.#scratch, { recursive: true });
      const directory = await mkdtemp(join(this.#scratch, 'perf-gate-branch-'));
      this.#directory = directory;
      await this.#git.output([
        'init',
        '--quiet',
        '--bare',
        '--template=',
        `--object-format=${this.#access.objectFormat}`,
        directory,
      ]);
    }
    return this.#directory;
  }

  async #call(call: GitCall): Promise<GitCall> {
    return { ...call, env: { ...this.#access.env, GIT_DIR: await this.#open(), ...call.env } };
  }

  async #run(args: readonly string[], call: GitCall = {}) {
    return this.#git.run([...withoutCompany, ...args], await this.#call(call));
  }

  async #output(args: readonly string[], call: GitCall = {}) {
    return this.#git.output([...withoutCompany, ...args], await this.#call(call));
  }

  async #line(args: readonly string[], call: GitCall = {}): Promise<string> {
    return (await this.#output(args, call)).trim();
  }
}
