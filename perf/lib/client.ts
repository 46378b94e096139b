import { check } from 'k6';
import http from 'k6/http';

const BASE_URL = __ENV.BASE_URL;
if (!BASE_URL) throw new Error('BASE_URL is not set: k6 run --env BASE_URL=http://127.0.0.1:8080 ...');

/**
 * k6 counts an answer with another status as failed by itself: a check of the status would count it twice.
 */
const EXPECTED = {
  200: http.expectedStatuses(200),
  201: http.expectedStatuses(201),
  204: http.expectedStatuses(204),
  /** 200, or 409 for what somebody else was first to take: an outcome, not an error. */
  '200 or 409': http.expectedStatuses(200, 409),
};

/** Longer than any answer worth waiting for, and well within the 30 s that k6 leaves a pass to finish. */
const TIMEOUT = '15s';

/** One request of a journey. */
export interface Step {
  /** What it is counted as: one of the scenario's endpoints in gate.yml. */
  readonly endpoint: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Who is asking, as a member who signed in; empty before the login. */
  readonly token?: string;
  /** Who is asking, as a fan whom the waiting queue knows. */
  readonly accessToken?: string;
  readonly body?: unknown;
  readonly expect: keyof typeof EXPECTED;
}

/** Takes a step whose answer nobody reads; true if it succeeded. */
export function take(step: Step): boolean {
  return send(step, 'none').status === step.expect;
}

/** Takes a step and looks for a text in the answer: the first group of `wanted`, or undefined. */
export function takeAndFind(step: Step, wanted: RegExp): string | undefined {
  const { status, body } = send(step, 'text');
  if (status !== step.expect) return undefined;
  // A search costs a fraction of parsing the whole answer, on cores that the service may share.
  return found(step, wanted.exec(String(body))?.[1]);
}

/** Takes a step that somebody else may have taken first: the first group of `wanted`, or 'refused' if so. */
export function takeUnlessRefused(step: Step, wanted: RegExp): string | 'refused' | undefined {
  const { status, body } = send(step, 'text');
  if (status === 409) return 'refused';
  if (status !== 200) return undefined;
  return found(step, wanted.exec(String(body))?.[1]);
}

/** Takes a step and reads the answer's text as `read` does; undefined if it failed or holds nothing. */
export function takeAndRead(step: Step, read: (text: string) => string | undefined): string | undefined {
  const { status, body } = send(step, 'text');
  if (status !== step.expect) return undefined;
  return found(step, read(String(body)));
}

/** Takes a step whose answer is a header. */
export function takeHeader(step: Step, name: string): string | undefined {
  const { status, headers } = send(step, 'none');
  if (status !== step.expect) return undefined;
  return found(step, headers[name]);
}

/** Takes a step that creates something; the path of what was created, or undefined. */
export function create(step: Step): string | undefined {
  const { status, headers } = send(step, 'none');
  if (status !== step.expect) return undefined;
  // A location may be a whole address.
  return found(step, headers.Location?.replace(/^\w+:\/\/[^/]+/, ''));
}

function send(step: Step, responseType: 'none' | 'text') {
  const headers: Record<string, string> = {};
  if (step.token) headers.Authorization = `Bearer ${step.token}`;
  if (step.accessToken) headers['X-Access-Token'] = step.accessToken;
  if (step.body !== undefined) headers['Content-Type'] = 'application/json';
  const body = step.body === undefined ? null : JSON.stringify(step.body);
  return http.request(step.method, BASE_URL + step.path, body, {
    headers,
    responseType,
    responseCallback: EXPECTED[step.expect],
    tags: { name: step.endpoint },
    timeout: TIMEOUT,
  });
}

/**
 * An answer without what the next step needs is an error, although its status is as expected. Only the error is
 * reported as a check: one that holds costs the generator as much as a quarter of a request, each time.
 */
function found(step: Step, text: string | undefined): string | undefined {
  if (text === undefined) {
    check(text, { 'answer holds what the next step needs': () => false }, { name: step.endpoint });
  }
  return text;
}
