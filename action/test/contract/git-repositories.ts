import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { onTestFinished } from 'vitest';

const identity = {
  GIT_AUTHOR_NAME: 'tester',
  GIT_AUTHOR_EMAIL: 'tester@example.com',
  GIT_COMMITTER_NAME: 'tester',
  GIT_COMMITTER_EMAIL: 'tester@example.com',
};

/** Runs git and returns its output. */
export function git(directory: string, args: readonly string[], input = ''): string {
  return execFileSync('git', args, {
    cwd: directory,
    env: { ...process.env, ...identity },
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  }).trim();
}

/** A bare repository with one commit on main, and a folder for its clones. */
export class Remote {
  readonly home: string;
  readonly path: string;
  #clones = 0;

  private constructor(home: string) {
    this.home = home;
    this.path = join(home, 'the remote.git');
  }

  static async create(): Promise<Remote> {
    const fixture = await createFixture();
    onTestFinished(() => fixture.rm());
    // Every path contains a blank.
    const remote = new Remote(join(fixture.path, 'a folder'));
    mkdirSync(remote.home);
    git(remote.home, ['init', '--quiet', '--bare', '-b', 'main', remote.path]);
    const tree = git(remote.path, ['mktree'], `100644 blob ${remote.#blob('one\n')}\tfile.txt\n`);
    remote.commitOn('main', tree, []);
    return remote;
  }

  /** A checkout with `origin`. */
  clone(...options: readonly string[]): string {
    const directory = join(this.home, `check out ${++this.#clones}`);
    git(this.home, ['clone', '--quiet', ...options, `file://${this.path}`, directory]);
    return directory;
  }

  /** Every file of a branch, by its path. */
  files(branch: string): Record<string, string> {
    if (this.tip(branch) === '') return {};
    const paths = git(this.path, ['ls-tree', '-r', '--name-only', branch]).split('\n').filter(Boolean);
    return Object.fromEntries(
      paths.map((path) => [path, git(this.path, ['cat-file', 'blob', `${branch}:${path}`])]),
    );
  }

  /** Size of a branch's file on disk. */
  keptBytes(branch: string, path: string): number {
    const format = '--batch-check=%(objectsize:disk)';
    return Number(git(this.path, ['cat-file', format], `${branch}:${path}\n`));
  }

  /** The newest commit of a branch, empty if the branch does not exist. */
  tip(branch: string): string {
    return git(this.path, ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`]);
  }

  count(branch: string): number {
    return Number(git(this.path, ['rev-list', '--count', branch]));
  }

  /** Commits a file to a branch, as another program might. Mode 120000 makes it a link. */
  writeFile(branch: string, path: string, text: string, mode = '100644'): void {
    const env = { ...process.env, ...identity, GIT_INDEX_FILE: join(this.home, 'index') };
    const run = (args: string[], input = '') =>
      execFileSync('git', args, { cwd: this.path, env, input, encoding: 'utf8' }).trim();
    const tip = this.tip(branch);
    run(['read-tree', tip === '' ? '--empty' : tip]);
    run(['update-index', '-z', '--index-info'], `${mode} ${this.#blob(text)}\t${path}\0`);
    this.commitOn(branch, run(['write-tree']), tip === '' ? [] : [tip]);
  }

  commitOn(branch: string, tree: string, parents: readonly string[]): string {
    const commit = git(this.path, [
      'commit-tree',
      tree,
      '-m',
      'by hand',
      ...parents.flatMap((parent) => ['-p', parent]),
    ]);
    git(this.path, ['update-ref', `refs/heads/${branch}`, commit]);
    return commit;
  }

  /** Adds a shell hook to the bare repository. */
  hook(name: string, script: string): void {
    writeScript(join(this.path, 'hooks', name), script);
  }

  /** Runs a shell script instead of `git-receive-pack` for a checkout; `"$1"` is the path of the repository. */
  beforePush(checkout: string, script: string): void {
    const path = join(this.home, 'receive-pack');
    writeScript(path, `${script}\nexec git-receive-pack "$1"`);
    git(checkout, ['config', 'remote.origin.receivepack', `'${path}'`]);
  }

  #blob(text: string): string {
    return git(this.path, ['hash-object', '-w', '--stdin'], text);
  }
}

function writeScript(path: string, script: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}
