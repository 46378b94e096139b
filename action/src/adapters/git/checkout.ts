import { realpathSync } from 'node:fs';
import { Fault } from '../../model/fault.ts';
import type { Run } from '../../model/run.ts';
import { Secrets } from '../host/index.ts';
import { Git, type GitAnswer, type GitEnv } from './command.ts';

const gitHubRemote =
  /^(?:https:\/\/(?:[^/@]*@)?github\.com\/|(?:ssh:\/\/)?git@github\.com[:/])([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/;

/** Describes a checkout without running any program that its configuration names. */
export class GitCheckout {
  readonly #git: Git;

  constructor(directory: string, env: GitEnv, signal: AbortSignal) {
    this.#git = new Git({ directory, env, secrets: new Secrets(), signal, withinMs: 10_000 });
  }

  /** Top of the work tree; undefined outside one. */
  async top(): Promise<string | undefined> {
    const path = await this.#ask('rev-parse', '--show-toplevel');
    return path === undefined ? undefined : realpathSync(path);
  }

  /** The remote's default branch; without a remote, the branch that is checked out. */
  async defaultBranch(): Promise<string | undefined> {
    const remoteDefault = await this.#ask('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD');
    if (remoteDefault !== undefined) return remoteDefault.replace(/^origin\//, '');
    const remotes = await this.#ask('remote');
    return remotes === undefined ? await this.#ask('symbolic-ref', '--quiet', '--short', 'HEAD') : undefined;
  }

  async commit(): Promise<string | undefined> {
    return this.#ask('rev-parse', '--verify', '--quiet', 'HEAD');
  }

  /** The newest release in the history of HEAD, with its commit. */
  async release(): Promise<{ readonly version: string; readonly commit: string } | undefined> {
    const version = await this.#ask('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*.[0-9]*.[0-9]*');
    if (version === undefined || !/^v\d+\.\d+\.\d+$/.test(version)) return undefined;
    const commit = await this.#ask('rev-parse', '--verify', '--quiet', `${version}^{commit}`);
    return commit === undefined ? undefined : { version, commit };
  }

  /** `owner/name` if the remote is on GitHub. */
  async gitHubName(): Promise<string | undefined> {
    return gitHubRemote.exec((await this.#ask('remote', 'get-url', 'origin')) ?? '')?.[1];
  }

  async #ask(...args: readonly string[]): Promise<string | undefined> {
    return (await this.#git.line(args)) || undefined;
  }
}

/** Files and folders in which new files count as changes. Elsewhere they may be results or notes. */
export interface Sources {
  readonly read: readonly string[];
  /** Of these, what a build writes. */
  readonly written: readonly string[];
}

/** Which code the folder holds. Outside a repository, or before its first commit, the commit is empty. */
export async function readCode(git: Git, sources?: Sources): Promise<Run['code']> {
  const ask = async (...args: string[]) => {
    try {
      return await git.run(args);
    } catch (error) {
      // A measurement needs no commit, so it also works without git.
      if (error instanceof Fault) return undefined;
      throw error;
    }
  };
  const built = (sources?.written ?? []).map((path) => `:(exclude)${path}`);
  const [commit, branch, status, ...added] = await Promise.all([
    ask('rev-parse', '--verify', '--quiet', 'HEAD'),
    ask('branch', '--show-current'),
    ask('status', '--porcelain', '--untracked-files=no'),
    // One at a time, because git refuses all of them if one lies outside the repository.
    ...(sources?.read ?? []).map((path) =>
      ask('ls-files', '--others', '--exclude-standard', '--', path, ...built),
    ),
  ]);
  const hasNewSources = added.some((answer) => lineOf(answer) !== '');
  return { commit: lineOf(commit), branch: lineOf(branch), dirty: isDirty(status) || hasNewSources };
}

function lineOf(answer: GitAnswer | undefined): string {
  return answer?.code === 0 ? answer.stdout.trim() : '';
}

/** If git cannot read the repository it counts as changed, so that unknown code never becomes a commit's baseline. */
function isDirty(status: GitAnswer | undefined): boolean {
  if (status === undefined) return false;
  if (status.code === 0) return status.stdout.trim() !== '';
  return !/^fatal: not a git repository/m.test(status.stderr);
}
