import type { Clock } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { type BackOff, withBackOff } from '../host/index.ts';
import { isUnknownObject, readRemoteTrouble } from './answers.ts';
import { type Git, type GitAnswer, type GitCall, lastLines, quoted } from './command.ts';
import { ownRemote, readRemote } from './remote.ts';

export interface BaseRemoteOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Used instead of the credentials of the checkout. */
  readonly token?: string | undefined;
  readonly backOff?: BackOff;
}

/** The remote from which a base commit may have to be fetched. */
export interface BaseRemote {
  /** Name of the remote in commands for `ask`. */
  readonly name: string;
  /** Runs git until the remote has answered; a refusal is an answer too. */
  ask(args: readonly string[]): Promise<GitAnswer>;
}

/** Trouble of a few seconds must not fail a pull request, and lasting trouble should be reported soon. */
const defaultBackOff: BackOff = { firstMs: 500, mostMs: 4_000, attempts: 5, withinMs: 30_000 };

const origin = 'origin';

/**
 * Uses the checkout's own remote, or with a token a remote of our own at the same address. Undefined if the checkout
 * has no remote. `place` is where faults are reported.
 */
export async function openBaseRemote(
  git: Git,
  place: string,
  { clock, signal, token, backOff = defaultBackOff }: BaseRemoteOptions,
): Promise<BaseRemote | undefined> {
  if ((await git.line(['remote', 'get-url', '--', origin])) === undefined) return undefined;
  let [name, runner, call]: [string, Git, GitCall] = [origin, git, {}];
  if (token !== undefined) {
    const { env, secrets } = git;
    const access = await readRemote(git, { name: origin, token, env, secrets, place });
    [name, runner, call] = [ownRemote, git.in(access.topLevel), { env: access.env }];
  }
  const ask = (args: readonly string[]) =>
    withBackOff(backOff, { clock, signal, random: Math.random }, async () => {
      const answer = await runner.run(args, call);
      return answer.code === 0 || isRefusal(answer.stderr)
        ? { kind: 'done', value: answer }
        : { kind: 'again', fault: unreachable(place, answer) };
    });
  return { name, ask };
}

function isRefusal(stderr: string): boolean {
  return isUnknownObject(stderr) || readRemoteTrouble(stderr) !== 'unreachable';
}

function unreachable(place: string, { stderr, timedOut }: GitAnswer) {
  return (attempts: number, seconds: number) =>
    new Fault({
      code: 'E_BASE_REMOTE',
      kind: 'measurement',
      place,
      cause: `the remote that has this base could not be reached in ${attempts} attempts within ${seconds.toFixed(0)} s${
        timedOut ? '; the last attempt got no answer' : quoted(stderr)
      }`,
      nextStep: 'check that the remote answers (git ls-remote), then run again',
      logTail: lastLines(stderr),
    });
}
