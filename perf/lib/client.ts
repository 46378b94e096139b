import { check, sleep } from 'k6';
import exec from 'k6/execution';
import http, { type RefinedResponse } from 'k6/http';
import { type Journey, type Manner, mannerOf, placeOf } from './first-pass.ts';

const BASE_URL = __ENV.BASE_URL;
if (!BASE_URL) throw new Error('BASE_URL is not set: k6 run --env BASE_URL=http://127.0.0.1:8080 ...');

/** k6 counts any other status as a failed request itself. */
function expecting(...statuses: number[]) {
  return { statuses, callback: http.expectedStatuses(...statuses) };
}

const EXPECTED = {
  200: expecting(200),
  201: expecting(201),
  204: expecting(204),
  '204 or 404': expecting(204, 404),
  /** 409 means that another fan was faster, which is a normal outcome and not an error. */
  '200 or 409': expecting(200, 409),
};

/** Longer than any useful response takes, and well within the 30 s that k6 gives a pass to finish. */
const TIMEOUT = '15s';

/** In seconds, before a failed step is taken again. Without it, users of a service that refuses everything would only retry. */
export const PAUSE = 1;

/** Requests of this name put users in their places, or clean up after a pass. They are load, but the gate counts them for no endpoint. */
const PREPARATION = '(preparation)';

/** One request of a journey. */
export interface Step {
  /** The endpoint that the request counts for: one of the scenario's endpoints in gate.yml. */
  readonly endpoint: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The bearer token of a signed-in member; empty for the login itself. */
  readonly token?: string;
  /** The fan's token from the waiting queue. */
  readonly accessToken?: string;
  readonly body?: unknown;
  readonly expect: keyof typeof EXPECTED;
  /** What the answer is known to hold, for a user who starts after this step. */
  readonly known?: string;
}

/**
 * A run by hand ends with exit code 99 if more requests failed than this share, or if one answer lacked what the next step
 * needs. The gate has objectives of its own.
 */
export const failedBelow = (share: number) => ({ http_req_failed: [`rate<${share}`], checks: ['rate==1'] });

type Response = RefinedResponse<'none' | 'text'>;

let journey: Journey = { steps: [] };

/** Makes the VUs start their first pass at different steps. Without it, each starts with the first. */
export function startAnywhere(ofScenario: Journey): void {
  journey = ofScenario;
}

let counted: string | undefined;

/** Counts one endpoint alone. The other steps are preparations for it. */
export function countOnly(endpoint: string): void {
  counted = endpoint;
}

/** Only a closed loop repeats a user's pass. At a fixed arrival rate each pass is a user of its own, and a whole one. */
function mannerNow(step: Step): Manner {
  if (__ITER > 1 || !exec.scenario.executor.endsWith('-vus')) return 'take';
  return mannerOf(step.endpoint, journey, placeOf(__VU, journey), __ITER);
}

/** Takes a step and ignores the response body. Returns whether the step succeeded. */
export function take(step: Step): boolean {
  const manner = mannerNow(step);
  return manner === 'skip' || answerOf(step, send(step, 'none', manner), () => '') !== undefined;
}

/** Deletes up to three times, because a row that is left would stay for good. A lost answer may have done it already. */
export function takeDelete(step: Omit<Step, 'method' | 'expect'>): boolean {
  if (take({ ...step, method: 'DELETE', expect: 204 })) return true;
  for (const _ of [2, 3]) {
    sleep(PAUSE);
    if (take({ ...step, method: 'DELETE', expect: '204 or 404' })) return true;
  }
  return false;
}

/** Sends a request that is no step of the journey. */
export function cleanUp(step: Omit<Step, 'endpoint'>): void {
  send({ ...step, endpoint: PREPARATION }, 'none');
}

/** Takes a step and returns the first group of `pattern` in the response; undefined if the step failed. */
export function takeAndFind(step: Step, pattern: RegExp): string | undefined {
  const manner = mannerNow(step);
  if (manner === 'skip') return step.known;
  // A search costs a fraction of parsing the whole response, and the service may share these cores.
  return answerOf(step, send(step, 'text', manner), ({ body }) => pattern.exec(String(body))?.[1]);
}

/** Takes a step that another user may have taken first. Returns the first group of `pattern`, or 'conflict' if so. */
export function takeUnlessConflict(step: Step, pattern: RegExp): string | 'conflict' | undefined {
  const response = send(step, 'text');
  return answerOf(step, response, ({ status, body }) =>
    status === 409 ? 'conflict' : pattern.exec(String(body))?.[1],
  );
}

/** Takes a step and returns what `read` finds in the response; undefined if the step failed. */
export function takeAndRead(step: Step, read: (text: string) => string | undefined): string | undefined {
  return answerOf(step, send(step, 'text'), ({ body }) => read(String(body)));
}

/** Takes a step and returns a response header. */
export function takeHeader(step: Step, name: string): string | undefined {
  return answerOf(step, send(step, 'none'), ({ headers }) => headers[name]);
}

/** Takes a step that creates a resource, and returns its path; undefined if the step failed or the user starts later. */
export function create(step: Step): string | undefined {
  const manner = mannerNow(step);
  if (manner === 'skip') return undefined;
  // A Location header may hold a full URL, and the next step needs only the path.
  return answerOf(step, send(step, 'none', manner), ({ headers }) =>
    headers.Location?.replace(/^\w+:\/\/[^/]+/, ''),
  );
}

function send(step: Step, responseType: 'none' | 'text', manner: Manner = 'take'): Response {
  const headers: Record<string, string> = {};
  if (step.token) headers.Authorization = `Bearer ${step.token}`;
  if (step.accessToken) headers['X-Access-Token'] = step.accessToken;
  if (step.body !== undefined) headers['Content-Type'] = 'application/json';
  const body = step.body === undefined ? null : JSON.stringify(step.body);
  const isPreparation = manner === 'prepare' || (counted !== undefined && step.endpoint !== counted);
  return http.request(step.method, BASE_URL + step.path, body, {
    headers,
    responseType,
    responseCallback: EXPECTED[step.expect].callback,
    tags: { name: isPreparation ? PREPARATION : step.endpoint },
    timeout: TIMEOUT,
  });
}

/**
 * What the next step needs of an expected response; undefined if the step failed. A response that lacks it is an error,
 * even with the expected status. Only a failure is recorded as a check, because a passing check would cost k6 a quarter
 * of a request each time.
 */
function answerOf(
  { endpoint, expect }: Step,
  response: Response,
  read: (response: Response) => string | undefined,
): string | undefined {
  const isExpected = EXPECTED[expect].statuses.includes(response.status);
  const text = isExpected ? read(response) : undefined;
  if (isExpected && text === undefined) {
    check(text, { 'response contains what the next step needs': () => false }, { name: endpoint });
  }
  return text;
}
