import { describe, expect, it } from 'vitest';
import { isUnknownObject, readPushAnswer, readRemoteTrouble } from './answers.ts';

const answer = (flag: string, summary: string) =>
  `To https://example.com/o/r.git\n${flag}\tabc:refs/heads/b\t${summary}\nDone\n`;

describe('the answer to a push', () => {
  it.each([
    [answer(' ', '94eaa45..7a2abc1'), 0, 'landed'],
    [answer('*', '[new branch]'), 0, 'landed'],
    [answer('+', '7a2abc1...e2e1f9f (forced update)'), 0, 'landed'],
    [answer('=', '[up to date]'), 0, 'landed'],
    [answer('!', '[rejected] (stale info)'), 1, 'overtaken'],
    [answer('!', '[rejected] (fetch first)'), 1, 'overtaken'],
    [
      answer('!', "[remote rejected] (cannot lock ref 'refs/heads/b': is at a but expected b)"),
      1,
      'overtaken',
    ],
    [answer('!', '[remote rejected] (failed to update ref)'), 1, 'overtaken'],
    [answer('!', '[remote rejected] (incorrect old value provided)'), 1, 'overtaken'],
    [answer('!', '[remote rejected] (shallow update not allowed)'), 1, 'overtaken'],
    [answer('!', '[remote rejected] (hook declined)'), 1, 'refused'],
    // A new history, where that is denied.
    [answer('!', '[remote rejected] (non-fast-forward)'), 1, 'refused'],
    [answer('!', '[remote rejected] (protected branch hook declined)'), 1, 'refused'],
    [answer('!', '[remote rejected] (push declined due to repository rule violations)'), 1, 'refused'],
    [answer('!', '[remote rejected] (Internal Server Error)'), 1, 'unanswered'],
    [answer('!', '[remote failure] (remote failed to report status)'), 1, 'unanswered'],
    [answer(' ', '94eaa45..7a2abc1'), 128, 'unanswered'],
    ['', 128, 'unanswered'],
    ['', undefined, 'unanswered'],
  ])('%j with exit code %s is %s', (stdout, code, kind) => {
    expect(readPushAnswer(stdout, code).kind).toBe(kind);
  });
});

describe('an error of a remote', () => {
  it.each([
    ["fatal: unable to access 'https://x/': The requested URL returned error: 403", 'no-permission'],
    ['remote: Permission to o/r.git denied to github-actions[bot].', 'no-permission'],
    ["fatal: could not read Username for 'https://github.com': terminal prompts disabled", 'no-permission'],
    ['git@github.com: Permission denied (publickey).', 'no-permission'],
    ['remote: Write access to repository not granted.', 'no-permission'],
    ['remote: Repository not found.', 'not-found'],
    ["fatal: repository 'https://x/' not found", 'not-found'],
    ["fatal: '/gone.git' does not appear to be a git repository", 'not-found'],
    ["fatal: unable to access 'https://x/': Could not resolve host: x", 'unreachable'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 502", 'unreachable'],
    ['fatal: the remote end hung up unexpectedly', 'unreachable'],
  ])('%j is %s', (stderr, trouble) => {
    expect(readRemoteTrouble(stderr)).toBe(trouble);
  });
});

describe('a commit that the remote lacks', () => {
  it.each([
    [`fatal: remote error: upload-pack: not our ref ${'f'.repeat(40)}`, true],
    [`error: Server does not allow request for unadvertised object ${'f'.repeat(40)}`, true],
    [`fatal: couldn't find remote ref ${'f'.repeat(64)}`, true],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 503", false],
    ['fatal: the remote end hung up unexpectedly', false],
  ])('%j: %s', (stderr, unknown) => {
    expect(isUnknownObject(stderr)).toBe(unknown);
  });
});
