/** What became of a push of one ref. */
export type PushAnswer =
  | { readonly kind: 'landed' }
  /** Somebody else was first: read again. */
  | { readonly kind: 'overtaken'; readonly reason: string }
  /** The other side does not want it, and will not the next time. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may have landed or not. */
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Words of servers for a ref that moved while it was pushed. */
const overtaken =
  /cannot lock ref|failed to (?:lock|update ref)|incorrect old value|reference already exists|but expected|shallow update not allowed/i;
/** Words of servers for trouble of their own. */
const passing =
  /internal server error|timed? ?out|temporar|try again|unpacker error|failed to report|unavailable/i;

/**
 * Reads the answer of `git push --porcelain` of one ref: `flag TAB from:to TAB summary (reason)`, flag `!` if it was
 * rejected (git-push(1), OUTPUT). Without such a line git never heard what became of it.
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
  // The client's own comparison, made before anything was sent.
  if (summary.startsWith('[rejected]')) return { kind: 'overtaken', reason: summary };
  if (summary.startsWith('[remote failure]') || passing.test(summary)) {
    return { kind: 'unanswered', reason: summary };
  }
  return overtaken.test(summary)
    ? { kind: 'overtaken', reason: summary }
    : { kind: 'refused', reason: summary };
}

/** Why git could not talk with the remote, as far as trying again matters. */
export type RemoteTrouble = 'no-permission' | 'not-found' | 'unreachable';

const noPermission =
  /returned error: 40[13]\b|authentication failed|could not read (?:username|password)|permission denied|permission to \S+ denied|write access to repository not granted|invalid username or|host key verification failed|access denied/i;
const notFound =
  /repository .*not found|returned error: 404\b|does not appear to be a git repository|no such file or directory/i;

export function readRemoteTrouble(stderr: string): RemoteTrouble {
  if (noPermission.test(stderr)) return 'no-permission';
  return notFound.test(stderr) ? 'not-found' : 'unreachable';
}

/** True if the remote was there and has no such commit, or hands none out by that name. */
export function isUnknownObject(stderr: string): boolean {
  return /not our ref|unadvertised object|couldn't find remote ref/i.test(stderr);
}
