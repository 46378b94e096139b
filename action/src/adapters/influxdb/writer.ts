import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Response } from 'undici';
import type { Clock } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Point } from '../../model/point.ts';
import { type Attempt, proxiedFetch, withBackOff } from '../host/index.ts';
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
 * was lost is repeated.
 */
export async function writePoints(
  target: InfluxdbTarget,
  points: readonly Point[],
  { clock, signal, random = Math.random, limits = defaultLimits }: InfluxdbMeans,
): Promise<void> {
  const startedMs = clock.monotonicMs();
  const deadline = AbortSignal.timeout(limits.wholeMs);
  const limited = AbortSignal.any([signal, deadline]);
  for (let written = 0; written < points.length; written += mostLines) {
    const lines = points.slice(written, written + mostLines).map(lineOf);
    const body = await promisify(gzip)(lines.join('\n'));
    const fault = (problem: Problem) => faultOf(target, problem, `${written} of ${points.length} points`);
    const attempt = async (): Promise<Attempt<void>> => {
      const problem = await send(
        target,
        body,
        AbortSignal.any([limited, AbortSignal.timeout(limits.requestMs)]),
      );
      signal.throwIfAborted();
      if (problem === undefined) return { kind: 'done', value: undefined };
      if (problem.lasting) throw fault(problem);
      return { kind: 'again', fault: () => fault(problem) };
    };
    const withinMs = limits.wholeMs - (clock.monotonicMs() - startedMs);
    try {
      await withBackOff({ ...backOff, withinMs }, { clock, random, signal: limited }, attempt);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Fault || !deadline.aborted) throw error;
      throw fault({ cause: `it took longer than ${limits.wholeMs / 1000} s`, nextStep: whenDown });
    }
  }
}

/** Why a request did not write its points. */
interface Problem {
  readonly cause: string;
  readonly nextStep: string;
  /** True if the same request would fail again. */
  readonly lasting?: boolean;
}

const whenDown = 'check that InfluxDB runs there and has room; the verdict does not depend on it';
const whenOther = 'correct the address, which leads to something other than InfluxDB';

/** Sends one request. Returns undefined if InfluxDB took all of it. */
async function send(
  { url, name, authorization }: InfluxdbTarget,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  try {
    const response = await proxiedFetch(url, {
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
    const { status } = response;
    const answer = await answerOf(response);
    // Every version answers a complete write so. A login page answers 200.
    if (status === 204) return undefined;
    if (status < 400 || answer.isPage) {
      const said = answer.isPage ? `${status} with a page for browsers` : `${status}`;
      return { cause: `the answer is ${said}`, nextStep: whenOther, lasting: status < 500 };
    }
    const cause = `the answer is ${status}${answer.text === '' ? '' : `: ${answer.text}`}`;
    if (status === 429 || status >= 500) return { cause, nextStep: whenDown };
    return { cause, nextStep: nextStepAfter(status, name), lasting: true };
  } catch (error) {
    const { name: kind, message, cause } = error as Error;
    const reason = kind === 'TimeoutError' ? 'it does not answer in time' : deepest(cause, message);
    return { cause: reason, nextStep: whenDown };
  }
}

function nextStepAfter(status: number, name: string): string {
  if (status === 401 || status === 403) return `name a token or user that may write to ${name}`;
  if (status === 404) return `create ${name} there, or correct its name or the address`;
  return `write to a database of the gate's own; InfluxDB refused points for ${name}`;
}

/** `fetch` only says that it failed; its cause says why. */
function deepest(cause: unknown, message: string): string {
  if (!(cause instanceof Error)) return message;
  // A host with several addresses fails once for each.
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  return (first as Error).message;
}

/** What the server says, in one line. */
async function answerOf({
  body,
  headers,
}: Response): Promise<{ readonly text: string; readonly isPage: boolean }> {
  const decoder = new TextDecoder();
  let all = '';
  for await (const part of body ?? []) {
    all += decoder.decode(part, { stream: true });
    if (all.length > mostAnswer) break;
  }
  const line = messageOf(all)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return {
    text: line.length > longestAnswer ? `${line.slice(0, longestAnswer)}…` : line,
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

function faultOf({ place, secrets }: InfluxdbTarget, { cause, nextStep }: Problem, written: string): Fault {
  return new Fault({
    code: 'E_OUTPUT_WRITE',
    kind: 'measurement',
    place,
    cause: `${secrets.masked(cause)}; ${written} were written`,
    nextStep,
  });
}
