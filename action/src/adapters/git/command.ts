import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Fault } from '../../model/fault.ts';
import { killProcess, type Leftovers, type Secrets } from '../host/index.ts';

/** Git passes these to its hooks to name a repository. Here only the folder decides which repository is meant. */
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

/** Every command ignores configured hooks and monitors, and starts no housekeeping that outlives it. */
const isolation = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting]);

export type GitEnv = Readonly<Record<string, string | undefined>>;

export interface GitAnswer {
  /** Undefined if it was killed. */
  readonly code: number | undefined;
  readonly stdout: string;
  /** Secrets are masked. */
  readonly stderr: string;
  readonly timedOut: boolean;
}

interface GitOptions {
  readonly directory: string;
  /** The whole environment that git sees, PATH included. */
  readonly env: GitEnv;
  /** Masked in git's messages. */
  readonly secrets: Secrets;
  /** Ends the command; the call then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** A command that takes longer is killed with every process it started. */
  readonly withinMs: number;
  /** Lists each running command, because a gate that is killed outright cannot end them. */
  readonly leftovers?: Leftovers | undefined;
}

export interface GitCall {
  readonly env?: GitEnv;
  readonly stdin?: string;
  /** `latin1` gives one character per byte. */
  readonly encoding?: 'utf8' | 'latin1';
}

/** Runs git without a terminal and without prompts, and limits its time. */
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
    // Process libraries look for programs in node_modules or add the gate's own variables. The checkout belongs to
    // the pull request and the gate's environment holds tokens, so only node:child_process is safe here.
    const child = spawn('git', [...isolation, ...args], {
      cwd: directory,
      env: gitEnv(env, call.env),
      // In a session of its own, git's network helpers end with it and ssh finds no terminal for a prompt.
      detached: true,
    });
    const { pid } = child;
    // Git may end before it has read everything; its exit code says what that means.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.stdin ?? '');
    let timedOut = false;
    const kill = () => pid !== undefined && killProcess(-pid);
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, withinMs);
    signal.addEventListener('abort', kill, { once: true });
    try {
      if (pid !== undefined) leftovers?.add(`git ${args[0]}`, pid);
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

  /** What git printed, trimmed; undefined if it failed. */
  async line(args: readonly string[]): Promise<string | undefined> {
    const { code, stdout } = await this.run(args);
    return code === 0 ? stdout.trim() : undefined;
  }

  /** What git printed. For commands that fail only if the machine or the gate is broken. */
  async output(args: readonly string[], call: GitCall = {}): Promise<string> {
    const answer = await this.run(args, call);
    if (answer.code === 0) return answer.stdout;
    throw new Fault({
      code: 'E_GIT',
      kind: 'measurement',
      place: `git ${args[0]}`,
      cause: answer.timedOut
        ? `it did not end within ${this.#options.withinMs / 1000} s`
        : `it ended with code ${answer.code}`,
      nextStep: "read git's message, and check that the disk is not full",
      logTail: lastLines(answer.stderr),
    });
  }
}

/** The end of git's output, oldest line first. */
export function lastLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-8);
}

/** Git's error line as the end of a sentence. Git prints hints after it. */
export function quoted(stderr: string): string {
  const lines = lastLines(stderr);
  const line = lines.find((text) => /^(?:fatal|error|remote: (?:error|fatal))/i.test(text)) ?? lines.at(-1);
  return line === undefined ? '' : `: ${line}`;
}

/** Masks everything that has the form of credentials, also those that nobody declared as secret. */
export function withoutCredentials(text: string): string {
  return text
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/]*@/gi, '$1***@')
    .replace(/(\bauthorization:\s*).*/gi, '$1***')
    .replace(/\b(?:gh[a-z]_|github_pat_)\w+/g, '***');
}

/** Git finds only the repository of its folder or of the call, asks nothing, and answers in English. */
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

/** Resolves once git has ended and no process holds its output open. */
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

function gitMissing(error: unknown): Fault {
  return new Fault(
    {
      code: 'E_GIT_MISSING',
      kind: 'usage',
      place: 'git',
      cause: 'git is not installed, or the folder to run it in does not exist',
      nextStep: 'install git 2.31 or later',
    },
    { cause: error },
  );
}
