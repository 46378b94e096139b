import type { Clock } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { type BackOff, withBackOff } from '../host/index.ts';
import { isUnknownObject, readRemoteTrouble } from './answers.ts';
import { type Git, type GitAnswer, type GitCall, lastLines, quoted } from './command.ts';
import { ownRemote, readRemote } from './remote.ts';

export interface BaseRemoteOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** In place of the credentials of the checkout. */
  readonly token?: string | undefined;
  readonly backOff?: BackOff;
}

/** What is over in a few seconds fails no pull request; what is not is told soon. */
const defaultBackOff: BackOff = { firstMs: 500, mostMs: 4_000, attempts: 5, withinMs: 30_000 };

const origin = 'origin';

/** The remote of a checkout that a base commit may have to be fetched from. */
export class BaseRemote {
  /** As git commands that `ask` runs have to call it. */
  readonly name: string;
  readonly #git: Git;
  readonly #call: GitCall;
  readonly #place: string;
  readonly #options: BaseRemoteOptions;

  private constructor(name: string, git: Git, call: GitCall, place: string, options: BaseRemoteOptions) {
    this.name = name;
    this.#git = git;
    this.#call = call;
    this.#place = place;
    this.#options = options;
  }

  /**
   * Reached as the checkout does; with a token, as our own remote at the same address. Undefined if the checkout has
   * none. Faults are placed at what is looked for.
   */
  static async open(git: Git, place: string, options: BaseRemoteOptions): Promise<BaseRemote | undefined> {
    const { token } = options;
    const known = await git.run(['remote', 'get-url', '--', origin]);
    if (known.code !== 0) return undefined;
    if (token === undefined) return new BaseRemote(origin, git, {}, place, options);
    const { env, secrets } = git;
    const access = await readRemote(git, { name: origin, token, env, secrets, place });
    return new BaseRemote(ownRemote, git.in(access.topLevel), { env: access.env }, place, options);
  }

  /** Runs git until the remote has answered, be it with a refusal. */
  ask(args: readonly string[]): Promise<GitAnswer> {
    const { clock, signal, backOff = defaultBackOff } = this.#options;
    return withBackOff(backOff, { clock, signal, random: Math.random }, async () => {
      const answer = await this.#git.run(args, this.#call);
      return answer.code === 0 || isRefusal(answer.stderr)
        ? { kind: 'done', value: answer }
        : { kind: 'again', fault: unreachable(this.#place, answer) };
    });
  }
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
        timedOut ? ', the last one without an answer' : quoted(stderr)
      }`,
      nextStep: 'see whether the remote answers (git ls-remote), and run again',
      logTail: lastLines(stderr),
    });
}
