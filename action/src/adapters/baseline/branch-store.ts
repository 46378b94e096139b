import { tmpdir } from 'node:os';
import { deflateSync } from 'node:zlib';
import { type EditableBaseline, storedRuns } from '../../check/index.ts';
import type { Clock } from '../../measure/index.ts';
import { type Baseline, type BaselineRead, baselineSchemaVersion } from '../../model/baseline.ts';
import type { Pin } from '../../model/pin.ts';
import type { Run } from '../../model/run.ts';
import { Git, type GitEnv, readRemote, readRemoteTrouble } from '../git/index.ts';
import { type Attempt, type BackOff, type Leftovers, Secrets, withBackOff } from '../host/index.ts';
import { readAncestry } from './ancestry.ts';
import { markerText, pinText, runText } from './baseline-json.ts';
import { type BranchTip, GitBranch } from './branch.ts';
import { BranchFaults } from './branch-faults.ts';
import {
  type BranchContent,
  commitMessage,
  emptyContent,
  historyLength,
  markerPath,
  mostFileBytes,
  pinPath,
  readContent,
  readPinTexts,
  runPath,
  subjects,
} from './branch-layout.ts';
import { isPinned, parsePins } from './pins.ts';
import { inHistoryOrder, withRun } from './retention.ts';

/** Git stores runs deflated. Six cells of four blocks with 30 endpoints each need a third of this. */
const mostStoredBytes = 100_000;
const defaultBackOff: BackOff = { firstMs: 100, mostMs: 4_000, attempts: 60, withinMs: 120_000 };
/** Readers do not compete, so a few attempts separate a short outage from a lasting one. */
const readAttempts = 4;

export interface BranchStoreOptions {
  /** A folder of the checkout, which may be shallow. */
  readonly directory: string;
  /** Environment of git, which must be 2.31 or later. */
  readonly env: GitEnv;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly branch: string;
  /** A remote of the checkout. */
  readonly remote: string;
  /** Used for HTTPS remotes instead of the credentials of the checkout. */
  readonly token?: string | undefined;
  /** Lists the git commands that run. */
  readonly leftovers?: Leftovers | undefined;
  /** Where the temporary repository is made in which the branch is read and written. */
  readonly scratchDirectory?: string | undefined;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly backOff?: BackOff;
  /** Time limit of one git command. */
  readonly commandWithinMs?: number;
  /** When the branch has this many commits, the next one starts a new history. */
  readonly longestHistory?: number;
}

/**
 * Keeps the baseline on its own branch in a remote of the checkout: a file that names the schema, and a file per run.
 * Several writers may write at once, also from different machines: each adds to what it read, and the remote accepts
 * only the first of those who read the same commit. If the answer to a write is lost, the branch is read before
 * another attempt, so that no run is added twice.
 *
 * Runs are in the order of their commits' ancestry where the checkout has those commits, else in the order of their
 * start times. In a shallow checkout only time decides, which on a main branch is nearly always the same.
 */
export function createBranchStore(options: BranchStoreOptions): EditableBaseline {
  return new BranchStore(options);
}

interface BranchState {
  /** Null if the branch does not exist. */
  readonly tip: BranchTip | null;
  readonly content: BranchContent;
}

/** What a writer makes of what the branch holds. */
type Decide<T> = (
  branch: GitBranch,
  state: BranchState,
) => Promise<{
  readonly write: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
  /** First line of the commit. */
  readonly subject: string;
  readonly value: T;
}>;

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > mostFileBytes || deflateSync(text).length > mostStoredBytes;
}

class BranchStore implements EditableBaseline {
  readonly place: string;
  readonly #options: BranchStoreOptions;
  readonly #backOff: BackOff;
  readonly #git: Git;
  readonly #faults: BranchFaults;
  readonly #secrets = new Secrets();

  constructor(options: BranchStoreOptions) {
    const { branch, remote, directory, env, signal, leftovers, commandWithinMs: withinMs = 30_000 } = options;
    this.place = `branch ${branch} of ${remote}`;
    this.#options = options;
    this.#backOff = options.backOff ?? defaultBackOff;
    this.#git = new Git({ directory, env, secrets: this.#secrets, signal, withinMs, leftovers });
    this.#faults = new BranchFaults(this.place, withinMs);
  }

  read(): Promise<BaselineRead> {
    return this.#onBranch(readAttempts, async (branch): Promise<Attempt<BaselineRead>> => {
      const attempt = await this.#readBranch(branch);
      if (attempt.kind === 'again') return attempt;
      const { read } = attempt.value.content;
      if (read.kind !== 'found') return { kind: 'done', value: read };
      const runs = inHistoryOrder(read.baseline.runs, await this.#ancestryOf(read.baseline.runs));
      return { kind: 'done', value: { kind: 'found', baseline: { ...read.baseline, runs } } };
    });
  }

  append(run: Run, keep: number): Promise<Baseline> {
    return this.#change(async (_, { content }) => {
      const stored = storedRuns(content.read);
      const runs = withRun(stored, run, keep, await this.#ancestryOf([...stored, run]));
      return {
        ...this.#changedFiles(content, runs, run.id),
        subject: subjects.add(run),
        value: { schema: baselineSchemaVersion, runs },
      };
    });
  }

  remove(id: string): Promise<void> {
    return this.#change(async (_, { content }) => ({
      write: new Map(),
      remove: storedRuns(content.read).some((run) => run.id === id) ? [runPath(id)] : [],
      subject: subjects.remove(id),
      value: undefined,
    }));
  }

  pins(): Promise<readonly Pin[]> {
    return this.#onBranch(readAttempts, async (branch): Promise<Attempt<readonly Pin[]>> => {
      const found = await branch.fetchTip();
      if (found.kind === 'failed') return this.#againIfUnreachable(branch, found.stderr, found.timedOut);
      const tip = found.kind === 'missing' ? null : found.tip;
      return { kind: 'done', value: await this.#pinsAt(branch, tip) };
    });
  }

  pin(pin: Pin): Promise<void> {
    const text = pinText(pin);
    if (isTooLong(text)) throw this.#faults.runTooLong(pin.run.id, mostStoredBytes, mostFileBytes);
    return this.#change(async (branch, { tip, content }) => {
      storedRuns(content.read);
      const there = isPinned(await this.#pinsAt(branch, tip), pin, this.place);
      const write = new Map(there ? [] : [[pinPath(pin.name), text]]);
      return { write, remove: [], subject: subjects.pin(pin), value: undefined };
    });
  }

  unpin(name: string): Promise<void> {
    return this.#change(async (branch, { tip, content }) => {
      storedRuns(content.read);
      const there = (await this.#pinsAt(branch, tip)).some((pin) => pin.name === name);
      const remove = there ? [pinPath(name)] : [];
      return { write: new Map(), remove, subject: subjects.unpin(name), value: undefined };
    });
  }

  async #pinsAt(branch: GitBranch, tip: BranchTip | null): Promise<readonly Pin[]> {
    return tip === null ? [] : parsePins(await readPinTexts(branch, tip, this.#options.branch));
  }

  /** Repeats the change on what the branch holds by then, until it lands. */
  #change<T>(decide: Decide<T>): Promise<T> {
    const { longestHistory = 200 } = this.#options;
    return this.#onBranch(this.#backOff.attempts, (branch) =>
      this.#tryChange(branch, decide, longestHistory),
    );
  }

  /** Opens the branch and repeats `attempt` until it is done. */
  async #onBranch<T>(attempts: number, attempt: (branch: GitBranch) => Promise<Attempt<T>>): Promise<T> {
    const { branch, remote, token, env, clock, signal, random = Math.random } = this.#options;
    const named = await this.#git.run(['check-ref-format', `refs/heads/${branch}`]);
    if (named.code !== 0) throw this.#faults.badName();
    const access = await readRemote(this.#git, {
      name: remote,
      token,
      env,
      secrets: this.#secrets,
      place: this.place,
    });
    const scratch = this.#options.scratchDirectory ?? tmpdir();
    const opened = new GitBranch(this.#git.in(access.topLevel), access, branch, scratch);
    try {
      const backOff = { ...this.#backOff, attempts };
      return await withBackOff(backOff, { clock, random, signal }, () => attempt(opened));
    } finally {
      await opened.close();
    }
  }

  async #readBranch(branch: GitBranch): Promise<Attempt<BranchState>> {
    const found = await branch.fetchTip();
    if (found.kind === 'missing') return { kind: 'done', value: { tip: null, content: emptyContent } };
    if (found.kind === 'failed') return this.#againIfUnreachable(branch, found.stderr, found.timedOut);
    const content = await readContent(branch, found.tip, this.#options.branch);
    return { kind: 'done', value: { tip: found.tip, content } };
  }

  async #againIfUnreachable(
    branch: GitBranch,
    stderr: string,
    timedOut: boolean,
  ): Promise<Extract<Attempt<never>, { kind: 'again' }>> {
    const trouble = readRemoteTrouble(stderr);
    if (trouble === 'no-permission') throw this.#faults.noPermission(stderr);
    if (trouble === 'not-found') throw this.#faults.notFound(stderr);
    // The temporary repository may hold half a transfer, so the next attempt starts without it.
    await branch.close();
    return { kind: 'again', fault: (...spent) => this.#faults.unreachable(stderr, timedOut, ...spent) };
  }

  #ancestryOf(runs: readonly Run[]) {
    return readAncestry(
      this.#git,
      runs.map(({ code }) => code.commit),
    );
  }

  async #tryChange<T>(branch: GitBranch, decide: Decide<T>, longestHistory: number): Promise<Attempt<T>> {
    const attempt = await this.#readBranch(branch);
    if (attempt.kind === 'again') return attempt;
    const { tip } = attempt.value;
    const { write, remove, subject, value } = await decide(branch, attempt.value);
    if (write.size === 0 && remove.length === 0) return { kind: 'done', value };
    const history = tip === null ? 0 : historyLength(tip);
    const compact = history >= longestHistory;
    const made = await branch.commit({
      parent: compact ? null : (tip?.commit ?? null),
      from: tip?.tree ?? null,
      write,
      remove,
      message: commitMessage(subject, compact ? 1 : history + 1),
      at: this.#options.clock.now(),
    });
    // Nothing to push: an earlier attempt landed, or the run is older than all that are kept.
    if (made.tree === tip?.tree) return { kind: 'done', value };
    const answer = await branch.push(made.commit, tip?.commit ?? null);
    switch (answer.kind) {
      case 'landed':
        return { kind: 'done', value };
      case 'overtaken':
        return { kind: 'again', fault: (...spent) => this.#faults.overtaken(answer.reason, ...spent) };
      case 'refused':
        // Some branches accept new commits but no replaced history.
        if (compact) return this.#tryChange(branch, decide, Number.POSITIVE_INFINITY);
        throw this.#faults.refused(answer.reason, answer.stderr);
      case 'unanswered':
        return this.#againIfUnreachable(branch, answer.stderr, false);
    }
  }

  #changedFiles({ read, runPaths }: BranchContent, runs: readonly Run[], newId: string) {
    const write = new Map(read.kind === 'found' ? [] : [[markerPath, markerText()]]);
    const added = runs.find(({ id }) => id === newId);
    if (added !== undefined) {
      const text = runText(added);
      if (isTooLong(text)) {
        throw this.#faults.runTooLong(newId, mostStoredBytes, mostFileBytes);
      }
      write.set(runPath(newId), text);
    }
    const kept = new Set(runs.map(({ id }) => runPath(id)));
    return { write, remove: runPaths.filter((path) => !kept.has(path)) };
  }
}
