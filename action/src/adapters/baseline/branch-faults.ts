import { Fault, type FaultKind } from '../../model/fault.ts';
import { lastLines, quoted } from '../git/index.ts';

function fault(
  code: string,
  kind: FaultKind,
  place: string,
  cause: string,
  nextStep: string,
  stderr = '',
): Fault {
  return new Fault({ code, kind, place, cause, nextStep, logTail: lastLines(stderr) });
}

/** Faults of the branch store. The texts of git that it receives are already masked. */
export class BranchFaults {
  readonly #place: string;
  readonly #commandWithinMs: number;

  constructor(place: string, commandWithinMs: number) {
    this.#place = place;
    this.#commandWithinMs = commandWithinMs;
  }

  badName(): Fault {
    const nextStep = 'name a branch that is used for nothing else, such as perf-gate-baseline';
    return fault('E_BASELINE_BRANCH', 'usage', this.#place, 'this is not a valid branch name', nextStep);
  }

  runTooLong(id: string, mostStoredBytes: number, mostBytes: number): Fault {
    const cause = `run ${id} is too long for the branch: more than ${mostBytes} bytes, or ${mostStoredBytes} compressed`;
    const nextStep =
      'leave ids out of the `name` tags of requests, give the suite fewer cells or rounds, or keep the baseline in a file';
    return fault('E_BASELINE_RUN_SIZE', 'measurement', this.#place, cause, nextStep);
  }

  noPermission(stderr: string): Fault {
    const cause = `the remote denies access${quoted(stderr)}`;
    const nextStep =
      'give the job `permissions: contents: write` to record and `contents: read` to compare, or a token with them';
    return fault('E_BASELINE_PERMISSION', 'measurement', this.#place, cause, nextStep, stderr);
  }

  notFound(stderr: string): Fault {
    const cause = `the remote has no such repository, or hides it from this user${quoted(stderr)}`;
    const nextStep = 'check its address with git remote -v, and that the token may read the repository';
    return fault('E_BASELINE_REMOTE', 'usage', this.#place, cause, nextStep, stderr);
  }

  refused(reason: string, stderr: string): Fault {
    const cause = `the remote refuses to update the branch: ${reason}`;
    const nextStep =
      'exempt the branch from protection rules and hooks, or name another one in baseline.branch';
    return fault('E_BASELINE_PROTECTED', 'measurement', this.#place, cause, nextStep, stderr);
  }

  overtaken(reason: string, attempts: number, seconds: number): Fault {
    const cause = `another job wrote first in all ${attempts} attempts within ${seconds.toFixed(0)} s; the last answer was ${reason}`;
    const nextStep = 'record again with fewer jobs at a time (a concurrency group in the workflow)';
    return fault('E_BASELINE_CONTENTION', 'measurement', this.#place, cause, nextStep);
  }

  unreachable(stderr: string, timedOut: boolean, attempts: number, seconds: number): Fault {
    const reason = timedOut
      ? `; the last one ended without an answer in ${this.#commandWithinMs / 1000} s`
      : quoted(stderr);
    const cause = `the remote could not be reached in ${attempts} attempts within ${seconds.toFixed(0)} s${reason}`;
    const nextStep = 'check that the remote answers (git ls-remote), then run again';
    return fault('E_BASELINE_NETWORK', 'measurement', this.#place, cause, nextStep, stderr);
  }
}
