import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Git,
  type GitCall,
  ownRemote,
  type PushAnswer,
  type RemoteAccess,
  readPushAnswer,
} from '../git/index.ts';

/** The newest commit of a branch. */
export interface BranchTip {
  readonly commit: string;
  readonly tree: string;
  readonly message: string;
}

interface BranchFile {
  readonly path: string;
  /** False for links, submodules and executables. */
  readonly plain: boolean;
  readonly object: string;
  readonly bytes: number;
}

interface BranchChange {
  /** Null starts a new history. */
  readonly parent: string | null;
  /** Tree to start from; null for an empty one. */
  readonly from: string | null;
  readonly write: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
  readonly message: string;
  readonly at: Date;
}

type TipRead =
  | { readonly kind: 'found'; readonly tip: BranchTip }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly stderr: string; readonly timedOut: boolean };

const tipRef = 'refs/perf-gate/tip';
const nextRef = 'refs/perf-gate/next';

/** Git answers a batch of files with one text, so this many long files must fit into one. */
const batchFiles = 64;

/**
 * One branch of a remote, read and written in a temporary repository. Nothing in the checkout changes: neither its
 * files, index, refs and FETCH_HEAD, nor its objects and the list of commits at which it is shallow.
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

  /** Fetches the newest commit with its files, without its history. */
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
      const [commit = '', tree = '', ...message] = await this.#show(tipRef, '%H%n%T%n%B');
      return { kind: 'found', tip: { commit, tree, message: message.join('\n') } };
    }
    // `fetch` fails alike for a missing branch and a silent remote, but `ls-remote` has an exit code for the former.
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

  /** The files' texts, in the same order. */
  async read(files: readonly BranchFile[]): Promise<readonly string[]> {
    const texts: string[] = [];
    for (let from = 0; from < files.length; from += batchFiles) {
      texts.push(...(await this.#readBatch(files.slice(from, from + batchFiles))));
    }
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

  /** Makes a commit that nobody sees before it is pushed. All other files stay unchanged. */
  async commit(change: BranchChange): Promise<Pick<BranchTip, 'commit' | 'tree'>> {
    const author = `perf-gate <perf-gate@localhost> ${Math.floor(change.at.getTime() / 1000)} +0000`;
    const stdin = [
      `commit ${nextRef}`,
      `author ${author}`,
      `committer ${author}`,
      dataOf(change.message),
      ...(change.parent === null ? [] : [`from ${change.parent}`]),
      ...(change.from === null ? [] : [`M 040000 ${change.from} ""`]),
      ...change.remove.map((path) => `D ${path}`),
      ...[...change.write].map(([path, text]) => `M 100644 inline ${path}\n${dataOf(text)}`),
      'done\n',
    ];
    await this.#output(['fast-import', '--quiet', '--force', '--done'], { stdin: stdin.join('\n') });
    const [commit = '', tree = ''] = await this.#show(nextRef, '%H%n%T');
    return { commit, tree };
  }

  /**
   * Pushes only if the branch still is at `expected`, or with null, if it does not exist. A fast-forward alone would
   * also bring back a branch that somebody deleted in the meantime.
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

  async #run(args: readonly string[]) {
    return this.#git.run(args, await this.#call({}));
  }

  async #output(args: readonly string[], call: GitCall = {}) {
    return this.#git.output(args, await this.#call(call));
  }

  async #show(ref: string, format: string): Promise<readonly string[]> {
    return (await this.#output(['log', '-1', '--no-show-signature', `--format=${format}`, ref])).split('\n');
  }
}

/** Text in the input of git-fast-import(1). */
function dataOf(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}
