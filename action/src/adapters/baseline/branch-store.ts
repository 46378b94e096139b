import { tmpdir } from 'node:os';
import { deflateSync } from 'node:zlib';
import { type BaselineStore, baselineRefusal } from '../../check/index.ts';
import type { Clock } from '../../measure/index.ts';
import { type Baseline, type BaselineRead, baselineSchemaVersion } from '../../model/baseline.ts';
import type { Run } from '../../model/run.ts';
import { Git, type GitEnv, readRemote, readRemoteTrouble } from '../git/index.ts';
import { type Attempt, type BackOff, type Leftovers, Secrets, withBackOff } from '../host/index.ts';
import { readAncestry } from './ancestry.ts';
import { type BranchTip, GitBranch } from './branch.ts';
import { branchFaults } from './branch-faults.ts';
import {
  type BranchContent,
  emptyContent,
  historyOf,
  longestFileBytes,
  markerPath,
  messageOf,
  readContent,
  runPath,
} from './branch-layout.ts';
import { inHistoryOrder, withRun } from './retention.ts';
import { markerText, runText } from './text.ts';

/** As git keeps it, deflated: six cells of four blocks with 30 endpoints each are a third of it. */
const mostKeptBytes = 100_000;

export interface BranchStoreOptions {
  /** A folder of the checkout; shallow or not. */
  readonly directory: string;
  /** Environment of git, which needs 2.31 or later. */
  readonly env: GitEnv;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly branch: string;
  /** A remote of the checkout. */
  readonly remote: string;
  /** For HTTPS remotes, in place of the credentials of the checkout. */
  readonly token?: string | undefined;
  /** Lists the git commands that run. */
  readonly leftovers?: Leftovers | undefined;
  /** Below it the branch is read and written, in a repository apart from the checkout's. */
  readonly scratchDirectory?: string | undefined;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly backOff?: BackOff;
  /** Time for one command of git. */
  readonly commandWithinMs?: number;
  /** The branch begins a new history instead of growing beyond this many commits. */
  readonly longestHistory?: number;
}

const defaultBackOff: BackOff = { firstMs: 100, mostMs: 4_000, attempts: 60, withinMs: 120_000 };
/** Reading hinders nobody: a few attempts tell a moment's trouble from a lasting one. */
const readAttempts = 4;

function fitsTheBranch(text: string): boolean {
  return Buffer.byteLength(text) <= longestFileBytes && deflateSync(text).length <= mostKeptBytes;
}

/**
 * Keeps the baseline on a branch of its own in a remote of the checkout: a file that names the schema, and a file for
 * each run. Safe for several writers at once, also on different machines: each adds to what it has just read, and the
 * remote takes only the first of those who read the same. A write whose answer was lost is read again before it is
 * repeated, and a run that is there already is not added twice.
 *
 * Runs are ordered by the ancestry of their commits as far as the checkout holds them, else by start time. A shallow
 * checkout of one commit thus has them in the order of time, which on a main branch is nearly always the same.
 */
export function createBranchStore(options: BranchStoreOptions): BaselineStore {
  const {
    branch,
    remote,
    random = Math.random,
    backOff = defaultBackOff,
    longestHistory = 200,
    commandWithinMs: withinMs = 30_000,
    scratchDirectory = tmpdir(),
    leftovers,
    clock,
    signal,
    directory,
    env,
    token,
  } = options;
  const place = `branch ${branch} of ${remote}`;
  const secrets = new Secrets();
  const faults = branchFaults(place, withinMs);
  const git = new Git({ directory, env, secrets, signal, withinMs, leftovers });

  /** Runs `attempt` with the branch at hand until it is done. */
  async function onBranch<T>(
    attempts: number,
    attempt: (opened: GitBranch) => Promise<Attempt<T>>,
  ): Promise<T> {
    const named = await git.run(['check-ref-format', `refs/heads/${branch}`]);
    if (named.code !== 0) throw faults.badName();
    const access = await readRemote(git, { name: remote, token, env, secrets, place });
    const opened = new GitBranch(git.in(access.topLevel), access, branch, scratchDirectory);
    try {
      return await withBackOff({ ...backOff, attempts }, { clock, random, signal }, () => attempt(opened));
    } finally {
      await opened.close();
    }
  }

  /** The branch as it is now, its runs in order. */
  async function readBranch(
    opened: GitBranch,
  ): Promise<Attempt<{ readonly tip: BranchTip | null; readonly content: BranchContent }>> {
    const found = await opened.fetchTip();
    if (found.kind === 'missing') return { kind: 'done', value: { tip: null, content: emptyContent } };
    if (found.kind === 'failed') {
      const trouble = readRemoteTrouble(found.stderr);
      if (trouble !== 'unreachable') throw faults.noAccess(trouble, found.stderr);
      // Whatever was cut off half-way is not worth keeping.
      await opened.close();
      return { kind: 'again', fault: faults.unreachable(found) };
    }
    return { kind: 'done', value: { tip: found.tip, content: await readContent(opened, found.tip, branch) } };
  }

  function ancestryOf(runs: readonly Run[]) {
    return readAncestry(
      git,
      runs.map(({ code }) => code.commit),
    );
  }

  async function tryAppend(
    opened: GitBranch,
    run: Run,
    keep: number,
    mayCompact = true,
  ): Promise<Attempt<Baseline>> {
    const read = await readBranch(opened);
    if (read.kind === 'again') return read;
    const { tip, content } = read.value;
    if (content.read.kind !== 'found' && content.read.kind !== 'missing') {
      throw baselineRefusal(content.read, 'measurement');
    }
    const present = content.read.kind === 'found' ? content.read.baseline.runs : [];
    const runs = withRun(present, run, keep, await ancestryOf([...present, run]));
    const baseline: Baseline = { schema: baselineSchemaVersion, runs };
    const kept = runs.find(({ id }) => id === run.id);
    const text = kept === undefined ? undefined : runText(kept);
    if (text !== undefined && !fitsTheBranch(text))
      throw faults.runTooLong(run.id, mostKeptBytes, longestFileBytes);
    const paths = new Set(runs.map(({ id }) => runPath(id)));
    const history = tip === null ? 0 : historyOf(tip);
    const compact = tip !== null && history >= longestHistory && mayCompact;
    const made = await opened.commit({
      parent: compact ? null : (tip?.commit ?? null),
      from: tip?.tree ?? null,
      write: new Map([
        ...(content.read.kind === 'found' ? [] : [[markerPath, markerText()] as const]),
        ...(text === undefined ? [] : [[runPath(run.id), text] as const]),
      ]),
      remove: content.runPaths.filter((path) => !paths.has(path)),
      message: messageOf(run, compact ? 1 : history + 1),
      at: clock.now(),
    });
    // All of it is there: an earlier attempt landed, or the run is older than those that are kept.
    if (made.tree === tip?.tree) return { kind: 'done', value: baseline };
    const answer = await opened.push(made.commit, tip?.commit ?? null);
    switch (answer.kind) {
      case 'landed':
        return { kind: 'done', value: baseline };
      case 'overtaken':
        return { kind: 'again', fault: faults.overtaken(answer.reason) };
      case 'refused':
        // A branch that may be appended to, but not be replaced, grows on.
        if (compact) return tryAppend(opened, run, keep, false);
        throw faults.refused(answer.reason, answer.stderr);
      case 'unanswered': {
        const trouble = readRemoteTrouble(answer.stderr);
        if (trouble !== 'unreachable') throw faults.noAccess(trouble, answer.stderr);
        await opened.close();
        return { kind: 'again', fault: faults.unreachable({ stderr: answer.stderr, timedOut: false }) };
      }
    }
  }

  return {
    place,
    read() {
      return onBranch(readAttempts, async (opened): Promise<Attempt<BaselineRead>> => {
        const read = await readBranch(opened);
        if (read.kind === 'again') return read;
        const { read: found } = read.value.content;
        if (found.kind !== 'found') return { kind: 'done', value: found };
        const { runs } = found.baseline;
        const ordered = inHistoryOrder(runs, await ancestryOf(runs));
        return {
          kind: 'done',
          value: { kind: 'found', baseline: { schema: baselineSchemaVersion, runs: ordered } },
        };
      });
    },
    append(run, keep) {
      return onBranch(backOff.attempts, (opened) => tryAppend(opened, run, keep));
    },
  };
}
