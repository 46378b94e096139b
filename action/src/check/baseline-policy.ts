import { isTrusted, type Measurements } from '../judge/index.ts';
import type { CheckMode } from '../model/check-mode.ts';
import { Fault } from '../model/fault.ts';
import type { Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { baselineRefusal } from './baseline-refusal.ts';
import type { BaselineStore, CheckPorts } from './ports.ts';

/** What a code host says about the event that started a job. Unknown facts are empty. */
export interface HostEvent {
  /** Such as `push` or `pull_request`. */
  readonly name: string;
  /** Full name of the pushed reference, such as `refs/heads/main`. */
  readonly ref: string;
  /** Short name, such as `main`. */
  readonly defaultBranch: string;
  /** `owner/name` of the repository that the job runs for. */
  readonly repository: string;
  /** `owner/name` of the repository that the code comes from. */
  readonly headRepository: string;
  /** Whether `headRepository` is a fork of `repository`. */
  readonly fromFork: boolean;
}

/**
 * True only for a push to the default branch of the same repository, because every later pull request is compared with
 * what that push writes. The workflow file should say so too, but people copy and change workflow files.
 */
export function mayWriteBaseline(event: HostEvent): boolean {
  return (
    event.name === 'push' &&
    event.defaultBranch !== '' &&
    event.ref === `refs/heads/${event.defaultBranch}` &&
    event.repository !== '' &&
    event.repository === event.headRepository &&
    !event.fromFork
  );
}

/**
 * Whether a run may be stored although nobody asked to record it. The very first run may. A later run may only if it
 * measured a commit of the baseline's branch: a pull request that changes data or load would otherwise become its own
 * baseline.
 */
export function mayBecomeBaseline(code: Run['code'], stored: readonly Run[]): boolean {
  const newest = stored.at(-1);
  return newest === undefined || (!code.dirty && code.branch === newest.code.branch);
}

/** Whether a finished check adds its run to the baseline. */
export function isToBeStored(
  mode: CheckMode,
  mayWrite: boolean,
  measured: Measurements,
  verdict: Verdict,
): boolean {
  if (!mayWrite || !isTrusted(measured.run)) return false;
  if (mode === 'record') return true;
  return (mode === 'auto' || mode === 'stored') && isFirstOfItsKind(measured, verdict);
}

function isFirstOfItsKind({ run, stored }: Measurements, { comparison, outcome }: Verdict): boolean {
  return (
    stored !== undefined &&
    comparison.kind === 'none' &&
    ['pass', 'coarse', 'undecided'].includes(outcome) &&
    mayBecomeBaseline(run.code, stored)
  );
}

/** Refuses to record where the run could not be stored, before minutes of measuring. */
export function requireWritable({ store, mayWrite }: CheckPorts['baseline']): void {
  if (mayWrite) return;
  throw new Fault({
    code: 'E_BASELINE_EVENT',
    kind: 'usage',
    place: store.place,
    cause: 'only a push to the default branch of the same repository may write this baseline',
    nextStep:
      'record it in a workflow that runs on such a push, or on this machine with --baseline-store file',
  });
}

/** The stored runs, oldest first. A baseline that cannot be read stops the check. */
export async function readStoredRuns(store: BaselineStore): Promise<readonly Run[]> {
  const read = await store.read();
  switch (read.kind) {
    case 'found':
      return read.baseline.runs;
    case 'missing':
      return [];
    default:
      throw baselineRefusal(read, 'usage');
  }
}
