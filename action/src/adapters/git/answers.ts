/** The result of pushing one ref. */
export type PushAnswer =
  | { readonly kind: 'landed' }
  /** Another writer was first: read again. */
  | { readonly kind: 'overtaken'; readonly reason: string }
  /** The remote rejects it, and would reject it again. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The push may have landed or not. */
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Servers say this when a ref moved during the push. */
const overtaken =
  /cannot lock ref|failed to (?:lock|update ref)|incorrect old value|reference already exists|but expected|shallow update not allowed/i;
/** Servers say this about temporary trouble of their own. */
const passing =
  /internal server error|timed? ?out|temporar|try again|unpacker error|failed to report|unavailable/i;

/**
 * Reads the answer of `git push --porcelain` for one ref: `flag TAB from:to TAB summary (reason)`, with flag `!` if it
 * was rejected (git-push(1), OUTPUT). Without such a line, git never received an answer.
 */
export function readPushAnswer(stdout: string, exitCode: number | undefined): PushAnswer {
  const line = stdout.split('\n').find((text) => /^[ +\-*!=]\t/.test(text));
  if (line === undefined) return { kind: 'unanswered', reason: 'the connection ended without an answer' };
  const [flag, , summary = ''] = line.split('\t');
  if (flag !== '!') {
    return exitCode === 0
      ? { kind: 'landed' }
      : { kind: 'unanswered', reason: 'the connection ended within the answer' };
  }
  // The client rejects by its own comparison, before it sends anything.
  if (summary.startsWith('[rejected]')) return { kind: 'overtaken', reason: summary };
  if (summary.startsWith('[remote failure]') || passing.test(summary)) {
    return { kind: 'unanswered', reason: summary };
  }
  return { kind: overtaken.test(summary) ? 'overtaken' : 'refused', reason: summary };
}

/** Why git could not use the remote; only `unreachable` is worth another attempt. */
type RemoteTrouble = 'no-permission' | 'not-found' | 'unreachable';

const noPermission =
  /returned error: 40[13]\b|authentication failed|could not read (?:username|password)|permission denied|permission to \S+ denied|write access to repository not granted|invalid username or|host key verification failed|access denied/i;
const notFound =
  /repository .*not found|returned error: 404\b|does not appear to be a git repository|no such file or directory/i;

export function readRemoteTrouble(stderr: string): RemoteTrouble {
  if (noPermission.test(stderr)) return 'no-permission';
  return notFound.test(stderr) ? 'not-found' : 'unreachable';
}

/** True if the remote answered, but has no such commit or serves none by that name. */
export function isUnknownObject(stderr: string): boolean {
  return /not our ref|unadvertised object|couldn't find remote ref/i.test(stderr);
}
