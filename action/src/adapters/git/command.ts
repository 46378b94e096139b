import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Fault } from '../../model/fault.ts';
import type { Leftovers, Secrets } from '../host/index.ts';

/** Variables with which git tells its hooks where they are. Here the folder alone says which repository is meant. */
const repositoryVariables = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_INDEX_FILE',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
];

/** Options of git itself: no hooks that a checkout or its user has, and no housekeeping that outlives the command. */
export const withoutCompany = ['core.hooksPath=/dev/null', 'gc.auto=0', 'maintenance.auto=false'].flatMap(
  (setting) => ['-c', setting],
);

export type GitEnv = Readonly<Record<string, string | undefined>>;

export interface GitAnswer {
  /** Undefined if it was killed. */
  readonly code: number | undefined;
  readonly stdout: string;
  /** Without secrets. */
  readonly stderr: string;
  readonly timedOut: boolean;
}

export interface GitOptions {
  /** Folder that it runs in. */
  readonly directory: string;
  /** All that git sees of the environment, PATH included. */
  readonly env: GitEnv;
  /** Taken out of what git says. */
  readonly secrets: Secrets;
  /** Ends the command; the call then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** A command that takes longer is killed, with all that it started. */
  readonly withinMs: number;
  /** Lists each command while it runs: a gate that is killed outright ends none. */
  readonly leftovers?: Leftovers | undefined;
}

export interface GitCall {
  readonly env?: GitEnv;
  readonly stdin?: string;
  /** `latin1` keeps bytes apart: one character each. */
  readonly encoding?: 'utf8' | 'latin1';
}

/** Runs git without a terminal, without questions, and bounded in time. */
export class Git {
  readonly #options: GitOptions;

  constructor(options: GitOptions) {
    this.#options = options;
  }

  get directory(): string {
    return this.#options.directory;
  }

  get env(): GitEnv {
    return this.#options.env;
  }

  get secrets(): Secrets {
    return this.#options.secrets;
  }

  /** The same git in another folder. */
  in(directory: string): Git {
    return new Git({ ...this.#options, directory });
  }

  async run(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    const { directory, env, secrets, signal, withinMs, leftovers } = this.#options;
    signal.throwIfAborted();
    // Not through a library that looks for programs in node_modules or adds the gate's own variables: the checkout is
    // the pull request's, and the gate's environment holds tokens.
    const child = spawn('git', args, {
      cwd: directory,
      env: gitEnv(env, call.env),
      // A session of its own: the helpers it starts for the network end with it, and ssh finds no terminal to ask at.
      detached: true,
    });
    const { pid } = child;
    // git may end before it has read everything; its exit code says what that means.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.stdin ?? '');
    let timedOut = false;
    const kill = () => killGroup(pid);
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, withinMs);
    signal.addEventListener('abort', kill, { once: true });
    try {
      if (pid !== undefined) leftovers?.add(`git ${subcommand(args)}`, pid);
      const { code, stdout, stderr } = await ended(child, call.encoding ?? 'utf8');
      signal.throwIfAborted();
      return { code, stdout, stderr: secrets.masked(withoutCredentials(stderr)), timedOut };
    } catch (error) {
      kill();
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? gitMissing(error) : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      if (pid !== undefined) leftovers?.remove(pid);
    }
  }

  /** As `run`, for what fails only if the machine or the gate is broken. Answers with what git printed. */
  async output(args: readonly string[], call: GitCall = {}): Promise<string> {
    const answer = await this.run(args, call);
    if (answer.code === 0) return answer.stdout;
    throw new Fault({
      code: 'E_GIT',
      kind: 'measurement',
      place: `git ${subcommand(args)}`,
      cause: answer.timedOut
        ? `it did not end within ${this.#options.withinMs / 1000} s`
        : `it ended with code ${answer.code}`,
      nextStep: 'see what git says, and whether the disk is full',
      logTail: lastLines(answer.stderr),
    });
  }
}

/** `fetch` of `-c gc.auto=0 fetch --quiet`. */
export function subcommand(args: readonly string[]): string {
  return args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c') ?? '';
}

/** The end of what git said, oldest line first. */
export function lastLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-8);
}

/** What git complained of, which its hints follow, to be put behind a sentence. */
export function quoted(stderr: string): string {
  const lines = lastLines(stderr);
  const line = lines.find((text) => /^(?:fatal|error|remote: (?:error|fatal))/i.test(text)) ?? lines.at(-1);
  return line === undefined ? '' : `: ${line}`;
}

/** Takes out what stands where credentials stand, whether it is known to be one or not. */
export function withoutCredentials(text: string): string {
  return text
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/]*@/gi, '$1***@')
    .replace(/(\bauthorization:\s*).*/gi, '$1***')
    .replace(/\b(?:gh[a-z]_|github_pat_)\w+/g, '***');
}

/** The environment of a git command: no repository but the folder's or the call's, no questions, English answers. */
function gitEnv(env: GitEnv, own: GitEnv = {}): Record<string, string | undefined> {
  return {
    ...env,
    ...Object.fromEntries(repositoryVariables.map((name) => [name, undefined])),
    ...own,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
  };
}

/** What it printed, once it has ended and nothing holds its output open any more. */
function ended(
  child: ChildProcessWithoutNullStreams,
  encoding: 'utf8' | 'latin1',
): Promise<{ readonly code: number | undefined; readonly stdout: string; readonly stderr: string }> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({
        code: code ?? undefined,
        stdout: Buffer.concat(stdout).toString(encoding),
        stderr: Buffer.concat(stderr).toString('utf8'),
      }),
    );
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function gitMissing(error: unknown): Fault {
  return new Fault(
    {
      code: 'E_GIT_MISSING',
      kind: 'usage',
      place: 'git',
      cause: 'git is not installed, or the folder that it is to run in is not there',
      nextStep: 'install git 2.31 or later',
    },
    { cause: error },
  );
}
