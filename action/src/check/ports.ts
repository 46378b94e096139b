import type { Clock, MeasureOptions, ProgressListener, Side, Stack } from '../measure/index.ts';
import type { Baseline, BaselineRead } from '../model/baseline.ts';
import type { Pin } from '../model/pin.ts';
import type { CellProfile } from '../model/profile.ts';
import type { ResultPart } from '../model/record.ts';
import type { Run } from '../model/run.ts';
import type { LoadSeries } from '../model/series.ts';
import type { JudgingChange, Verdict } from '../model/verdict.ts';
import type { FileChange } from './judging-changes.ts';

/** Where the runs are kept that later runs are compared with. */
export interface BaselineStore {
  /** How reports name the baseline, such as a path. */
  readonly place: string;
  read(): Promise<BaselineRead>;
  /** Adds the run, keeping the newest `keep` runs of each fingerprint. Never overwrites a baseline that it cannot read. */
  append(run: Run, keep: number): Promise<Baseline>;
}

/** What a person may change in a baseline by hand. Every change is safe against others that write at the same time. */
export interface EditableBaseline extends BaselineStore {
  /** Takes out the run with that id, if it is still there. Pins keep their copies. */
  remove(id: string): Promise<void>;
  /** Ordered by the time of their runs. Throws a Fault if one cannot be read. */
  pins(): Promise<readonly Pin[]>;
  /** Does nothing if that run has that name already; throws a Fault if another one has it. */
  pin(pin: Pin): Promise<void>;
  /** Takes out the pin with that name, if it is still there. */
  unpin(name: string): Promise<void>;
}

export interface StackFactory {
  /** The stack of this checkout. */
  head(): Stack;
  /** The stack of that commit, built from a checkout of its own. */
  base(commit: string): Promise<Stack>;
}

/** What the repository knows about commits. Commits are named in full. */
export interface CommitSource {
  /** The code that this checkout holds. */
  head(): Promise<Run['code']>;
  /** The commit that a commit, branch or tag names. Throws a Fault if git cannot find it. */
  resolve(reference: string): Promise<string>;
  /** Whether HEAD or the default branch descends from the commit. */
  isInHistory(commit: string): Promise<boolean>;
  /** The commit at which this branch left the default branch; undefined if git cannot find it. */
  forkPoint(): Promise<string | undefined>;
  /** What the code here does to measuring and judging, compared with that commit. */
  judgingChanges(base: string): Promise<readonly JudgingChange[]>;
}

/** Measures all sides on this machine. Returns one run per side, or none if a side is not worth its load. */
export type MeasureRuns = (
  sides: readonly Side[],
  options: Pick<
    MeasureOptions,
    'plan' | 'isWorthLoad' | 'isEnough' | 'sparesOthers' | 'onCutShort' | 'toProfile' | 'nextTo'
  >,
  signal: AbortSignal,
) => Promise<readonly Run[]>;

/** Keeps the files of one check. */
export interface Results {
  writeRun(part: ResultPart, run: Run): Promise<unknown>;
  /** Adds what happened in each second of a load to what is kept of the part. */
  appendSeries(part: ResultPart, series: LoadSeries): Promise<void>;
  /** Adds the profile of one cell to what is kept of the part. */
  appendProfile(part: ResultPart, profile: CellProfile): Promise<void>;
  writeVerdict(verdict: Verdict): Promise<unknown>;
}

export interface CheckPorts {
  /** Sends seconds of a load that still runs somewhere else; absent if nobody asked for it. It must not wait. */
  readonly sendSeries?: (series: LoadSeries, code: Run['code']) => void;
  readonly clock: Clock;
  readonly commits: CommitSource;
  readonly stacks: StackFactory;
  readonly measure: MeasureRuns;
  readonly baseline: {
    readonly store: BaselineStore;
    /** Runs that are kept by a name; absent where nobody compares with them. */
    readonly readPins?: () => Promise<readonly Pin[]>;
    /** Whether the event that started this check may add to the store. */
    readonly mayWrite: boolean;
  };
  readonly results: Results;
  readonly onProgress: ProgressListener;
}

/** A workflow run of a pull request, as reported by the code host and not by the run itself. */
export interface PullRequestRun {
  readonly id: number;
  /** 1 for the first attempt; each restart under the same id adds 1. */
  readonly attempt: number;
  /** When that attempt began. */
  readonly startedAt: Date;
  readonly headSha: string;
  readonly headBranch: string;
  /** `owner/name` of the repository that holds the head: a fork, or the base repository itself. */
  readonly headRepository: string;
}

/** A run of any workflow on the head of a pull request. */
export interface HeadRun extends PullRequestRun {
  readonly workflow: number;
  /** Undefined while it is under way. */
  readonly endedAt: Date | undefined;
}

/** What identifies the artifact of a run. */
export type ArtifactRun = Pick<PullRequestRun, 'id' | 'attempt' | 'startedAt' | 'headSha'>;

export interface PullRequest {
  readonly number: number;
  readonly headSha: string;
  readonly headRepository: string;
  /** The branch that it is to be merged into. */
  readonly baseBranch: string;
}

/** Which open pull requests a run's head belongs to now. The gate only writes to `one`. */
export type Attribution =
  | { readonly kind: 'one'; readonly pullRequest: PullRequest }
  /** The pull request was closed or merged, or its head has moved on. */
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly pullRequests: readonly PullRequest[] }
  /** A newer attempt of the run exists, and only the newest attempt counts. */
  | { readonly kind: 'overtaken' };

/** What happened to the one comment that the gate keeps on a pull request. */
export type CommentResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly url: string; readonly author: string }
  /** The pull request has no comment, and the request did not ask for one. */
  | { readonly kind: 'not-wanted' }
  /** The pull request was closed or has a newer head, so nothing was written. */
  | { readonly kind: 'outdated' }
  /** The token may not write to this pull request. */
  | { readonly kind: 'refused'; readonly cause: string };

export interface CommentRequest {
  /** Written to only while it is open and this is its head. */
  readonly pullRequest: PullRequest;
  /** First line of the comment, which identifies it later. */
  readonly marker: string;
  /** Markdown that begins with the marker. */
  readonly body: string;
  /** Whether to create a missing comment. An existing comment is always updated. */
  readonly create: boolean;
}

export interface ReportArtifact {
  /** Text of the only file in it. */
  readonly text: string;
  /** How messages name it. */
  readonly place: string;
}

/** What the code host shows next to a commit, and may ask for before a merge. */
export interface CommitStatus {
  readonly commit: string;
  /** error: nothing could be judged, for a reason that is not the pull request's. */
  readonly state: 'success' | 'failure' | 'error';
  /** Name that distinguishes it from the statuses of others. */
  readonly context: string;
  /** One line of at most 140 characters. */
  readonly description: string;
  /** Where to read more. */
  readonly url: string;
}

/** The host of the pull requests. Every call is bounded in time. */
export interface CodeHost {
  attribute(run: PullRequestRun): Promise<Attribution>;
  /**
   * The text of the only file, of exactly that name, in the artifact that this attempt of the run kept. Throws a Fault
   * for anything else.
   */
  readArtifact(run: ArtifactRun, artifact: string, file: string): Promise<ReportArtifact>;
  /** Whether this attempt of the run kept such an artifact. */
  hasArtifact(run: ArtifactRun, artifact: string): Promise<boolean>;
  putComment(request: CommentRequest): Promise<CommentResult>;
  setStatus(status: CommitStatus): Promise<void>;
  /** The open pull request of that number; undefined if it is closed or its fork is gone. */
  openPullRequest(number: number): Promise<PullRequest | undefined>;
  /** The merged pull request that the commit came from; undefined if it came from none. */
  mergedPullRequest(commit: string): Promise<PullRequest | undefined>;
  /** The runs that its head has set going, newest first. */
  headRuns(pullRequest: PullRequest): Promise<readonly HeadRun[]>;
  /** The text of the comment that `putComment` would edit; undefined if there is none. */
  findComment(request: Pick<CommentRequest, 'pullRequest' | 'marker'>): Promise<string | undefined>;
  /** Whether somebody may write to the repository. */
  mayWrite(login: string): Promise<boolean>;
  /** Answers a comment with a sign: done, or not done. */
  react(commentId: number, done: boolean): Promise<void>;
  /** The files that the pull request changes, at most the 3,000 that GitHub lists. */
  changedFiles(pullRequest: PullRequest): Promise<readonly FileChange[]>;
  /** The text of a file in a commit, up to 1 MiB; undefined if it has none. */
  readFile(commit: string, path: string): Promise<string | undefined>;
  /** Whether the history of the branch that the pull request is to be merged into has the commit. */
  isInBase(pullRequest: PullRequest, commit: string): Promise<boolean>;
}
