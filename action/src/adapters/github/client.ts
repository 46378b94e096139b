import { Octokit } from '@octokit/core';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import Bottleneck from 'bottleneck/light.js';
import type { RequestInit } from 'undici';
import { Fault } from '../../model/fault.ts';
import { proxiedFetch } from './proxied-fetch.ts';

const GitHubOctokit = Octokit.plugin(paginateRest, retry, throttling);
export type GitHubClient = InstanceType<typeof GitHubOctokit>;

export interface GitHubOptions {
  /** Such as `https://api.github.com`. */
  readonly apiUrl: string;
  readonly token: string;
  readonly owner: string;
  readonly name: string;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
  /** Milliseconds that a second of waiting takes; tests make time pass faster. */
  readonly secondMs?: number;
}

/** A request that takes longer has been lost. */
const requestMs = 15_000;
/** A limit that is lifted later than this is not waited for: the verdict stands in the summary meanwhile. */
const mostWaitSeconds = 60;
const mostLimitRetries = 2;
const readRetries = 3;

/** A client that waits where GitHub asks for it, and repeats what may be repeated. */
export function createGitHubClient(options: GitHubOptions): GitHubClient {
  const { apiUrl, token, note, signal, secondMs = 1000 } = options;
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
        try {
          return await proxiedFetch(url, {
            ...init,
            signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
          });
        } catch (error) {
          // By this name it is known for no failure of the network, which would be repeated for longer than a
          // cancelled job lives.
          throw signal.aborted ? new DOMException('the job was cancelled', 'AbortError') : error;
        }
      },
    },
    retry: {
      retries: readRetries,
      retryAfterBaseValue: secondMs,
      // Its own list, and 429: how long a limit lasts is GitHub's to say, and only `throttle` listens to it.
      doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451],
    },
    throttle: {
      // GitHub asks for a second between writes, and for more between those that notify people.
      write: new Bottleneck.Group({ maxConcurrent: 1, minTime: secondMs }),
      notifications: new Bottleneck.Group({ maxConcurrent: 1, minTime: 3 * secondMs }),
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
  return client;
}

/** The status that GitHub answered with; 500 and above too where no answer came at all; undefined for other errors. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined;
}

function isRateLimit(error: Error): boolean {
  return /rate limit/i.test(error.message);
}

/** True if the token is not allowed to do this, and waiting will not change that. */
export function isRefusal(error: unknown): error is Error {
  const status = statusOf(error);
  return error instanceof Error && (status === 401 || (status === 403 && !isRateLimit(error)));
}

/** True if the request may or may not have been carried out. */
export function isAmbiguous(error: unknown): boolean {
  return (statusOf(error) ?? 0) >= 500;
}

interface Explanation {
  readonly code: string;
  readonly nextStep: string;
}

function explain(status: number, error: Error): Explanation {
  if (status === 429 || isRateLimit(error)) {
    return { code: 'E_GITHUB_LIMIT', nextStep: 'run this job again in an hour' };
  }
  switch (status) {
    case 401:
      return { code: 'E_GITHUB_TOKEN', nextStep: 'give a token that is valid as `github-token`' };
    case 403:
      return { code: 'E_GITHUB_FORBIDDEN', nextStep: 'grant the job the permission that the request needs' };
    case 404:
      return {
        code: 'E_GITHUB_MISSING',
        nextStep: 'see that it exists, and that the token may read it: GitHub hides what it may not',
      };
    default:
      return status >= 500
        ? { code: 'E_GITHUB_DOWN', nextStep: 'run this job again; www.githubstatus.com tells of outages' }
        : { code: 'E_GITHUB_REQUEST', nextStep: 'report it with this message: the request is at fault' };
  }
}

/** What GitHub answered, in a line. */
export function answerOf(error: Error, status: number): string {
  return `GitHub answered ${status}: ${error.message.split('\n')[0]?.slice(0, 300) ?? ''}`;
}

/** What GitHub answered, as a Fault; anything that is not an answer of GitHub comes back as it is. */
export function githubFault(error: unknown, place: string): unknown {
  const status = statusOf(error);
  if (!(error instanceof Error) || status === undefined || error instanceof Fault) return error;
  return new Fault(
    {
      ...explain(status, error),
      kind: 'measurement',
      place,
      cause: answerOf(error, status),
    },
    { cause: error },
  );
}
