import { Octokit } from '@octokit/core';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import { retry } from '@octokit/plugin-retry';
import { type ThrottlingOptions, throttling } from '@octokit/plugin-throttling';
import type { RequestInit } from 'undici';
import { Fault } from '../../model/fault.ts';
import { proxiedFetch } from '../host/index.ts';

const GitHubOctokit = Octokit.plugin(paginateRest, retry, throttling);

export interface GitHubOptions {
  /** Such as `https://api.github.com`. */
  readonly apiUrl: string;
  readonly token: string;
  readonly owner: string;
  readonly name: string;
  /** The login the token comments as, such as `github-actions[bot]`. Only its comments are changed. */
  readonly author: string;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
  /** Milliseconds per second of waiting, so that tests can make time pass faster. */
  readonly secondMs?: number;
  /** Pauses between writes; by default those that GitHub asks for. */
  readonly pauses?: Pick<ThrottlingOptions, 'write' | 'notifications'>;
}

/** One repository on GitHub. */
export interface GitHub {
  readonly options: GitHubOptions;
  readonly client: InstanceType<typeof GitHubOctokit>;
  readonly repository: { readonly owner: string; readonly repo: string };
}

/** A request that takes longer has been lost. */
const requestMs = 15_000;
/** The gate waits no longer than this for a rate limit, because the summary already shows the verdict. */
const mostWaitSeconds = 60;
const mostLimitRetries = 2;
const readRetries = 3;

/** Connects with a client that waits when GitHub asks for it, and repeats requests that are safe to repeat. */
export function connectGitHub(options: GitHubOptions): GitHub {
  const { apiUrl, token, owner, name, note, signal, secondMs = 1000 } = options;
  const waitAtLimit = (seconds: number, _request: object, _octokit: unknown, retryCount: number) => {
    const waits = retryCount < mostLimitRetries && seconds <= mostWaitSeconds;
    note(`GitHub's rate limit is reached: ${waits ? `waiting ${seconds} s` : `not waiting ${seconds} s`}`);
    return waits;
  };
  const client = new GitHubOctokit({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'perf-gate',
    request: {
      fetch: async (url: string, init: RequestInit) => {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(requestMs)]);
        try {
          return await proxiedFetch(url, { ...init, signal: limited });
        } catch (error) {
          // Octokit repeats network failures for longer than a cancelled job lives, but never an AbortError.
          throw signal.aborted ? new DOMException('the job was cancelled', 'AbortError') : error;
        }
      },
    },
    retry: {
      retries: readRetries,
      retryAfterBaseValue: secondMs,
      // The plugin's own list and 429: only `throttle` respects how long GitHub's limit lasts.
      doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451],
    },
    throttle: {
      ...options.pauses,
      retryAfterBaseValue: secondMs,
      fallbackSecondaryRateRetryAfter: mostWaitSeconds,
      onRateLimit: waitAtLimit,
      onSecondaryRateLimit: waitAtLimit,
    },
    log: { debug: () => undefined, info: () => undefined, warn: note, error: () => undefined },
  });
  client.hook.error('request', (error) => {
    signal.throwIfAborted();
    throw error;
  });
  return { options, client, repository: { owner, repo: name } };
}

/** The status that GitHub answered with, or 500 and above if no answer came; undefined for other errors. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined;
}

function isRateLimit(error: Error): boolean {
  return /rate limit/i.test(error.message);
}

/** True if the token may not do this, and waiting does not help. */
export function isRefusal(error: unknown): error is Error {
  const status = statusOf(error);
  return error instanceof Error && (status === 401 || (status === 403 && !isRateLimit(error)));
}

function explain(status: number, error: Error): { readonly code: string; readonly nextStep: string } {
  if (status === 429 || isRateLimit(error)) {
    return { code: 'E_GITHUB_LIMIT', nextStep: 'run this job again in an hour' };
  }
  switch (status) {
    case 401:
      return { code: 'E_GITHUB_TOKEN', nextStep: 'pass a valid token as `github-token`' };
    case 403:
      return { code: 'E_GITHUB_FORBIDDEN', nextStep: 'grant the job the permission that the request needs' };
    case 404:
      return {
        code: 'E_GITHUB_MISSING',
        nextStep:
          'check that it exists, and that the token may read it: GitHub also answers 404 if it may not',
      };
    default:
      return status >= 500
        ? {
            code: 'E_GITHUB_DOWN',
            nextStep: 'check www.githubstatus.com for outages, then run this job again',
          }
        : { code: 'E_GITHUB_REQUEST', nextStep: 'report this message to perf-gate: its request was wrong' };
  }
}

/** GitHub's answer in one line. */
export function answerOf(error: Error, status: number): string {
  return `GitHub answered ${status}: ${error.message.split('\n')[0]?.slice(0, 300) ?? ''}`;
}

/** GitHub's answer as a Fault. Returns all other errors unchanged. */
export function githubFault(error: unknown, place: string): unknown {
  const status = statusOf(error);
  if (!(error instanceof Error) || status === undefined || error instanceof Fault) return error;
  const cause = answerOf(error, status);
  return new Fault({ ...explain(status, error), kind: 'measurement', place, cause }, { cause: error });
}
