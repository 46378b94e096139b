import { realpathSync } from 'node:fs';
import { Secrets } from '../host/index.ts';
import { Git, type GitEnv } from './command.ts';

/** What git knows of a checkout, asked without running anything that is configured in it. */
export class GitCheckout {
  readonly #git: Git;

  constructor(directory: string, env: GitEnv, signal: AbortSignal) {
    this.#git = new Git({ directory, env, secrets: new Secrets(), signal, withinMs: 10_000 });
  }

  /** Top of the work tree; undefined outside of one. */
  async top(): Promise<string | undefined> {
    const path = await this.#ask('rev-parse', '--show-toplevel');
    return path === undefined ? undefined : realpathSync(path);
  }

  /** The branch that the remote calls its default; without a remote, the one that is checked out. */
  async defaultBranch(): Promise<string | undefined> {
    const ofRemote = await this.#ask('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD');
    if (ofRemote !== undefined) return ofRemote.replace(/^origin\//, '');
    const remotes = await this.#ask('remote');
    return remotes === undefined ? await this.#ask('symbolic-ref', '--quiet', '--short', 'HEAD') : undefined;
  }

  async commit(): Promise<string | undefined> {
    return this.#ask('rev-parse', '--verify', '--quiet', 'HEAD');
  }

  /** The newest release that the checked out commit has in its history, and its commit. */
  async release(): Promise<{ readonly version: string; readonly commit: string } | undefined> {
    const version = await this.#ask('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*.[0-9]*.[0-9]*');
    if (version === undefined || !/^v\d+\.\d+\.\d+$/.test(version)) return undefined;
    const commit = await this.#ask('rev-parse', '--verify', '--quiet', `${version}^{commit}`);
    return commit === undefined ? undefined : { version, commit };
  }

  /** `owner/name` of the remote, if it lies on GitHub. */
  async gitHubName(): Promise<string | undefined> {
    const address = await this.#ask('remote', 'get-url', 'origin');
    return /^(?:https:\/\/(?:[^/@]*@)?github\.com\/|(?:ssh:\/\/)?git@github\.com[:/])([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(
      address ?? '',
    )?.[1];
  }

  /** Its first line; undefined if git knows none. */
  async #ask(...args: readonly string[]): Promise<string | undefined> {
    const { code, stdout } = await this.#git.run(args);
    const text = stdout.trim();
    return code === 0 && text !== '' ? text : undefined;
  }
}
