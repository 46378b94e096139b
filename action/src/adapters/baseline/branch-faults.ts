import { Fault } from '../../model/fault.ts';
import { lastLines, quoted, type RemoteTrouble } from '../git/index.ts';

/** Why a branch could not be read or written. Texts of git come in without secrets. */
export function branchFaults(place: string, commandWithinMs: number) {
  const measurement = { kind: 'measurement', place } as const;
  return {
    badName: () =>
      new Fault({
        code: 'E_BASELINE_BRANCH',
        kind: 'usage',
        place,
        cause: 'this is not a name that a branch can have',
        nextStep: 'name a branch that is used for nothing else, such as perf-gate-baseline',
      }),

    runTooLong: (id: string, kept: number, whole: number) =>
      new Fault({
        ...measurement,
        code: 'E_BASELINE_RUN_SIZE',
        cause: `run ${id} is too long for the branch: more than ${whole} bytes, or ${kept} compressed`,
        nextStep:
          'leave ids out of the `name` tags of requests, give the suite fewer cells or rounds, or keep the baseline in a file',
      }),

    noAccess: (trouble: Exclude<RemoteTrouble, 'unreachable'>, stderr: string) =>
      trouble === 'no-permission'
        ? new Fault({
            ...measurement,
            code: 'E_BASELINE_PERMISSION',
            cause: `the remote denies access${quoted(stderr)}`,
            nextStep:
              'give the job `permissions: contents: write` to record and `contents: read` to compare, or a token that has them',
            logTail: lastLines(stderr),
          })
        : new Fault({
            ...measurement,
            code: 'E_BASELINE_REMOTE',
            kind: 'usage',
            cause: `the remote has no such repository, or does not show it to this user${quoted(stderr)}`,
            nextStep: 'see its address with git remote -v, and whether the token may read the repository',
            logTail: lastLines(stderr),
          }),

    refused: (reason: string, stderr: string) =>
      new Fault({
        ...measurement,
        code: 'E_BASELINE_PROTECTED',
        cause: `the remote refuses to update the branch: ${reason}`,
        nextStep: 'exempt the branch from protection rules and hooks, or name another one in baseline.branch',
        logTail: lastLines(stderr),
      }),

    overtaken: (reason: string) => (attempts: number, seconds: number) =>
      new Fault({
        ...measurement,
        code: 'E_BASELINE_CONTENTION',
        cause: `others wrote first in ${attempts} attempts within ${seconds.toFixed(0)} s, the last time with ${reason}`,
        nextStep: 'record again, with fewer jobs at a time (a concurrency group in the workflow)',
      }),

    unreachable:
      ({ stderr, timedOut }: { readonly stderr: string; readonly timedOut: boolean }) =>
      (attempts: number, seconds: number) =>
        new Fault({
          ...measurement,
          code: 'E_BASELINE_NETWORK',
          cause: `the remote could not be reached in ${attempts} attempts within ${seconds.toFixed(0)} s${
            timedOut ? `, the last one without an answer in ${commandWithinMs / 1000} s` : quoted(stderr)
          }`,
          nextStep: 'see whether the remote answers (git ls-remote), and run again',
          logTail: lastLines(stderr),
        }),
  };
}
