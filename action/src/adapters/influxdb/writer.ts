import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Response } from 'undici';
import type { Clock } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Point } from '../../model/point.ts';
import { type Attempt, proxiedFetch, type Secrets, withBackOff } from '../host/index.ts';
import { lineOf } from './line-protocol.ts';
import type { InfluxdbTarget } from './target.ts';

export interface InfluxdbMeans {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly limits?: Limits;
}

interface Limits {
  /** Until the last answer, repeated requests included. */
  readonly wholeMs: number;
  /** Until the answer to one request. */
  readonly requestMs: number;
}

const defaultLimits: Limits = { wholeMs: 20_000, requestMs: 8_000 };
const backOff = { firstMs: 500, mostMs: 4_000, attempts: 4 };
/** The size that InfluxDB recommends. */
const mostLines = 5_000;
/** In characters: as much of an answer as is read, and as is shown. */
const [mostAnswer, longestAnswer] = [4_000, 300];

/**
 * Writes all points, in their order. InfluxDB keeps a point once, however often it is written, so a request whose answer
 * was lost is repeated. The client library's own writer resolves before the server has answered, and cannot be cancelled.
 */
export async function writePoints(
  target: InfluxdbTarget,
  points: readonly Point[],
  { clock, signal, random = Math.random, limits = defaultLimits }: InfluxdbMeans,
): Promise<void> {
  const startedMs = clock.monotonicMs();
  const deadline = AbortSignal.timeout(limits.wholeMs);
  const limited = AbortSignal.any([signal, deadline]);
  for (let from = 0; from < points.length; from += mostLines) {
    const written = `${from} of ${points.length} points`;
    const lines = points.slice(from, from + mostLines).map(lineOf);
    const body = await promisify(gzip)(lines.join('\n'));
    const attempt = async (): Promise<Attempt<void>> => {
      const answered = AbortSignal.any([limited, AbortSignal.timeout(limits.requestMs)]);
      const problem = await send(target, body, written, answered);
      signal.throwIfAborted();
      if (problem === undefined) return { kind: 'done', value: undefined };
      if (problem.lasting) throw problem.fault;
      return { kind: 'again', fault: () => problem.fault };
    };
    const withinMs = limits.wholeMs - (clock.monotonicMs() - startedMs);
    try {
      await withBackOff({ ...backOff, withinMs }, { clock, random, signal: limited }, attempt);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Fault || !deadline.aborted) throw error;
      throw faultOf(target, written, `it took more than ${limits.wholeMs / 1000} s`, whenDown);
    }
  }
}

/** Why a request did not write its points. */
interface Problem {
  readonly fault: Fault;
  /** True if the same request would fail again. */
  readonly lasting: boolean;
}

const whenDown = 'check that InfluxDB runs there and has room; the verdict does not depend on it';
const whenOther = 'correct the address, which leads to something other than InfluxDB';

/** Sends one request. Returns undefined if InfluxDB took all of it. */
async function send(
  target: InfluxdbTarget,
  body: Uint8Array,
  written: string,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const { url, name, authorization, secrets } = target;
  let response: Response;
  let answer: Awaited<ReturnType<typeof answerOf>>;
  try {
    response = await proxiedFetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'content-encoding': 'gzip',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body,
      // A redirected POST would become a GET.
      redirect: 'manual',
      signal,
    });
    answer = await answerOf(response, secrets);
  } catch (error) {
    const { name: kind, message, cause } = error as Error;
    const reason =
      kind === 'TimeoutError' ? 'there was no answer in time' : secrets.masked(deepest(cause, message));
    return { fault: faultOf(target, written, reason, whenDown), lasting: false };
  }
  const { status } = response;
  // Every version answers a complete write so. A login page answers 200.
  if (status === 204) return undefined;
  const lasting = status < 500 && status !== 429;
  if (answer.isPage) {
    const cause = `the answer is ${status} with a page for browsers`;
    return { fault: faultOf(target, written, cause, whenOther), lasting };
  }
  if (status < 400) {
    return { fault: faultOf(target, written, `the answer is ${status}`, whenOther), lasting };
  }
  const cause = `the answer is ${status}${answer.text}`;
  return { fault: faultOf(target, written, cause, lasting ? whenRefused(status, name) : whenDown), lasting };
}

function whenRefused(status: number, name: string): string {
  if (status === 401 || status === 403) return `name a token or user that may write to ${name}`;
  if (status === 404) return `create ${name} there, or correct its name or the address`;
  return `read the answer; if other programs write to ${name}, give the gate a database of its own`;
}

/** `fetch` only says that it failed; its cause says why. */
function deepest(cause: unknown, message: string): string {
  if (!(cause instanceof Error)) return message;
  // A host with several addresses fails once for each.
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  return (first as Error).message;
}

/** What the server says, in one line after a colon. */
async function answerOf(
  { body, headers }: Response,
  secrets: Secrets,
): Promise<{ readonly text: string; readonly isPage: boolean }> {
  const decoder = new TextDecoder();
  let all = '';
  for await (const part of body ?? []) {
    all += decoder.decode(part, { stream: true });
    if (all.length > mostAnswer) break;
  }
  // It may repeat what was sent, and a cut secret is not found any more.
  const line = secrets
    .masked(messageOf(all))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return {
    text: line === '' ? '' : `: ${line.length > longestAnswer ? `${line.slice(0, longestAnswer)}…` : line}`,
    isPage: /html/i.test(headers.get('content-type') ?? '') || /^\s*<(!doctype|html)/i.test(all),
  };
}

/** InfluxDB 1 has the message in `error`; 2 and 3 in `message`. */
function messageOf(answer: string): string {
  try {
    const { error, message } = JSON.parse(answer);
    return String(message ?? error ?? answer);
  } catch {
    return answer;
  }
}

function faultOf({ place }: InfluxdbTarget, written: string, cause: string, nextStep: string): Fault {
  return new Fault({
    code: 'E_OUTPUT_WRITE',
    kind: 'measurement',
    place,
    cause: `${cause}; ${written} were written`,
    nextStep,
  });
}
