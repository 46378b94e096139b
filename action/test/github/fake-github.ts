import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exampleOf,
  type MatchedOperation,
  matchOperation,
  requestProblems,
  responseProblems,
} from './description.ts';

export interface FakePullRequest {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly headSha: string;
  readonly headBranch: string;
  /** Null if the fork is deleted. */
  readonly headRepository: string | null;
  /** The commit that it was merged as. */
  readonly mergedAs?: string;
}

export interface FakeComment {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  readonly body: string;
}

export interface FakeFile {
  readonly filename: string;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed';
  readonly previous_filename?: string;
}

export interface FakeStatus {
  readonly sha: string;
  readonly state: string;
  readonly context: string;
  readonly description: string;
  readonly target_url: string;
}

export interface FakeAttempt {
  readonly id: number;
  readonly attempt: number;
  readonly startedAt: string;
}

/** The first attempt of the run that the events report as completed. */
export const firstAttempt: FakeAttempt = { id: 42, attempt: 1, startedAt: '2026-01-01T00:00:00Z' };

/** The workflow that measures. */
export const gateWorkflow = 1;

/** A run on the head of a pull request, next to the one that the events report. */
export interface FakeRun extends FakeAttempt {
  readonly workflow: number;
  /** Absent while it is under way. */
  readonly endedAt?: string | undefined;
}

export interface FakeArtifact {
  readonly id: number;
  readonly name: string;
  readonly runId: number;
  readonly headSha: string;
  readonly archive: Buffer;
  /** Defaults to a few minutes after the first attempt started. */
  readonly createdAt?: string | null;
  readonly expired?: boolean;
  /** A false size for the listing, instead of the real one. */
  readonly claimedBytes?: number;
  readonly claimedDigest?: string;
}

/** A failure of the next matching requests. */
export interface FakeFailure {
  readonly method: string;
  readonly path: RegExp;
  readonly times: number;
  /** Perform the request, but answer as if it had failed. */
  readonly performed?: boolean;
  readonly answer:
    | 'reset'
    /** The connection stays open without an answer. */
    | 'silence'
    | { readonly status: number; readonly message: string; readonly headers?: Record<string, string> };
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const maxCommentLength = 65_536;

/** An in-memory GitHub with the operations that the gate calls, checked against GitHub's own API description. */
export class FakeGitHub {
  readonly repository = 'octo/shop';
  pullRequests: FakePullRequest[] = [];
  comments: FakeComment[] = [];
  artifacts: FakeArtifact[] = [];
  /** Called before artifacts are listed, to add what a job of the same workflow has uploaded. */
  onList: () => Promise<void> = async () => undefined;
  /** In the order in which they were set; the last one of a context counts. */
  readonly statuses: FakeStatus[] = [];
  /** What every pull request changes. */
  files: FakeFile[] = [];
  /** Files of the heads, by `path?ref=commit`. */
  readonly contents = new Map<string, string>();
  /** Who may write to the repository. */
  readonly writers = new Set<string>();
  /** Signs under comments, such as `7 +1`. */
  readonly reactions: string[] = [];
  /** When the run ended; absent while it is under way. */
  ranUntil: string | undefined;
  /** Commits in the history of every base branch. */
  readonly baseHistory = new Set<string>();
  /** The newest attempt of the run that the events report. */
  run = firstAttempt;
  otherRuns: FakeRun[] = [];
  failures: FakeFailure[] = [];
  /** The server to download archives from. Defaults to this server. */
  storageUrl: string | undefined;
  /** The login that the token comments as. */
  author = 'github-actions[bot]';
  /** Simulates the token of a pull request from a fork, which cannot write. */
  readOnly = false;
  /** All requests, such as `POST /repos/...`. */
  readonly requests: string[] = [];
  /** Requests and responses that violate GitHub's description. Every test must leave this empty. */
  readonly violations: string[] = [];
  readonly #server: Server;
  #nextId = 1_000;

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#serve(request, response);
    });
  }

  static async start(): Promise<FakeGitHub> {
    const fake = new FakeGitHub();
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Re-runs the run an hour later and returns the new attempt. Artifacts of earlier attempts stay listed. */
  rerun(): FakeAttempt {
    const { id, attempt, startedAt } = this.run;
    const later = new Date(Date.parse(startedAt) + 3_600_000).toISOString();
    this.run = { id, attempt: attempt + 1, startedAt: later };
    return this.run;
  }

  commentsOn(issue: number): FakeComment[] {
    return this.comments.filter((comment) => comment.issue === issue);
  }

  count(method: string): number {
    return this.requests.filter((request) => request.startsWith(`${method} `)).length;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(request.url ?? '/', this.url);
    const method = request.method ?? 'GET';
    this.requests.push(`${method} ${url.pathname}`);
    const failure = this.#takeFailure(method, url.pathname);
    if (url.pathname.startsWith('/blob/')) return this.#serveBlob(url, request, response, failure);

    const matched = matchOperation(method, url.pathname);
    if (matched === undefined) {
      this.violations.push(`${method} ${url.pathname}: this operation is missing in operations.ts`);
      return send(response, { status: 404, body: { message: 'Not Found' } });
    }
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    this.violations.push(...requestProblems(matched, url.searchParams, body));
    if (url.pathname.endsWith('/artifacts')) await this.onList();
    let answer =
      failure === undefined || failure.performed === true
        ? this.#answer(matched, url, body, request)
        : undefined;
    if (failure?.answer === 'reset') {
      request.socket.destroy();
      return;
    }
    if (failure?.answer === 'silence') return;
    if (failure !== undefined) {
      const { status, message, headers = {} } = failure.answer as Exclude<FakeFailure['answer'], string>;
      answer = {
        status,
        body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
        headers,
      };
    }
    if (answer === undefined) throw new Error('every request needs an answer or a failure');
    this.violations.push(...responseProblems(matched, answer.status, answer.body));
    send(response, answer);
  }

  #takeFailure(method: string, path: string): FakeFailure | undefined {
    const index = this.failures.findIndex(
      (one) => one.method === method && one.path.test(path) && one.times > 0,
    );
    const failure = this.failures[index];
    if (failure !== undefined) this.failures[index] = { ...failure, times: failure.times - 1 };
    return failure;
  }

  #answer({ operation, path }: MatchedOperation, url: URL, body: unknown, request: IncomingMessage): Answer {
    if (request.headers.authorization === undefined) return error(401, 'Requires authentication');
    if (`${path.owner}/${path.repo}` !== this.repository) return error(404, 'Not Found');
    const write = operation.method !== 'GET';
    if (write && this.readOnly) return error(403, 'Resource not accessible by integration');
    const text = (body as { body?: string } | undefined)?.body ?? '';
    switch (`${operation.method} ${operation.path.replace('/repos/{owner}/{repo}', '')}`) {
      case 'GET /pulls':
        return this.#page(url, this.#listPulls(url));
      case 'GET /pulls/{pull_number}':
        return this.#onePull(Number(path.pull_number));
      case 'GET /pulls/{pull_number}/files':
        return this.#page(url, this.files.map(fileJson));
      case 'GET /compare/{basehead}':
        return this.#compare(decodeURIComponent(String(path.basehead)));
      case 'GET /contents/{path}':
        return this.#contents(`${decodeURIComponent(String(path.path))}?ref=${url.searchParams.get('ref')}`);
      case 'GET /issues/{issue_number}/comments':
        return this.#page(
          url,
          this.commentsOn(Number(path.issue_number)).map((one) => this.#commentJson(one)),
        );
      case 'POST /issues/{issue_number}/comments':
        return this.#create(Number(path.issue_number), text);
      case 'PATCH /issues/comments/{comment_id}':
        return this.#update(Number(path.comment_id), text);
      case 'DELETE /issues/comments/{comment_id}':
        return this.#delete(Number(path.comment_id));
      case 'GET /collaborators/{username}/permission':
        return this.#permission(String(path.username));
      case 'POST /issues/comments/{comment_id}/reactions':
        return this.#react(Number(path.comment_id), (body as { readonly content: string }).content);
      case 'GET /commits/{commit_sha}/pulls':
        return this.#pullsOf(String(path.commit_sha));
      case 'GET /actions/runs':
        return this.#listRuns(url);
      case 'POST /statuses/{sha}':
        return this.#setStatus(String(path.sha), body as Omit<FakeStatus, 'sha'>);
      case 'GET /actions/runs/{run_id}':
        return this.#oneRun(Number(path.run_id));
      case 'GET /actions/runs/{run_id}/artifacts':
        return this.#listArtifacts(Number(path.run_id), url.searchParams);
      case 'GET /actions/artifacts/{artifact_id}/{archive_format}':
        return {
          status: 302,
          headers: { location: `${this.storageUrl ?? this.url}/blob/${path.artifact_id}` },
        };
      default:
        throw new Error(`the fake does not implement ${operation.method} ${operation.path}`);
    }
  }

  #page(
    url: URL,
    all: readonly unknown[],
    bodyOf: (shown: readonly unknown[]) => unknown = (shown) => shown,
  ): Answer {
    const size = Number(url.searchParams.get('per_page') ?? 30);
    const page = Number(url.searchParams.get('page') ?? 1);
    const next = new URL(url);
    next.searchParams.set('page', String(page + 1));
    return {
      status: 200,
      body: bodyOf(all.slice((page - 1) * size, page * size)),
      headers: page * size < all.length ? { link: `<${next.href}>; rel="next"` } : {},
    };
  }

  #listPulls(url: URL): unknown[] {
    const [owner, ...branch] = (url.searchParams.get('head') ?? '').split(':');
    return this.pullRequests
      .filter(({ state }) => state === (url.searchParams.get('state') ?? 'open'))
      .filter(
        ({ headRepository, headBranch }) =>
          headRepository?.split('/')[0] === owner && headBranch === branch.join(':'),
      )
      .map((pull) => {
        const [example] = exampleOf('GET', '/repos/{owner}/{repo}/pulls') as [PullExample];
        return pullJson(example, pull);
      });
  }

  #onePull(number: number): Answer {
    const pull = this.pullRequests.find((one) => one.number === number);
    if (pull === undefined) return error(404, 'Not Found');
    const example = exampleOf('GET', '/repos/{owner}/{repo}/pulls/{pull_number}') as PullExample;
    return { status: 200, body: pullJson(example, pull) };
  }

  #commentJson({ id, body, author, issue }: FakeComment): unknown {
    const [example] = exampleOf('GET', '/repos/{owner}/{repo}/issues/{issue_number}/comments') as [
      { readonly user: object },
    ];
    return {
      ...example,
      id,
      body,
      html_url: `https://github.com/${this.repository}/pull/${issue}#issuecomment-${id}`,
      user: { ...example.user, login: author, type: author.endsWith('[bot]') ? 'Bot' : 'User' },
    };
  }

  #create(issue: number, body: string): Answer {
    if (!this.pullRequests.some(({ number }) => number === issue)) return error(404, 'Not Found');
    const rejection = this.#rejectLong(body);
    if (rejection !== undefined) return rejection;
    this.#nextId += 1;
    const comment = { id: this.#nextId, issue, author: this.author, body: body.trim() };
    this.comments.push(comment);
    return { status: 201, body: this.#commentJson(comment) };
  }

  #update(id: number, body: string): Answer {
    const present = this.comments.find((one) => one.id === id);
    if (present === undefined) return error(404, 'Not Found');
    const rejection = this.#rejectLong(body);
    if (rejection !== undefined) return rejection;
    const comment = { ...present, body: body.trim() };
    this.comments = this.comments.map((one) => (one.id === id ? comment : one));
    return { status: 200, body: this.#commentJson(comment) };
  }

  #rejectLong(body: string): Answer | undefined {
    if (body.length <= maxCommentLength) return undefined;
    return {
      status: 422,
      body: {
        message: 'Validation Failed',
        documentation_url: 'https://docs.github.com/rest/issues/comments',
        errors: [
          {
            resource: 'IssueComment',
            code: 'custom',
            field: 'body',
            message: 'body is too long (maximum is 65536 characters)',
          },
        ],
      },
    };
  }

  #delete(id: number): Answer {
    if (!this.comments.some((one) => one.id === id)) return error(404, 'Not Found');
    this.comments = this.comments.filter((one) => one.id !== id);
    return { status: 204 };
  }

  #permission(login: string): Answer {
    const path = '/repos/{owner}/{repo}/collaborators/{username}/permission';
    const example = exampleOf('GET', path) as object;
    const permission = this.writers.has(login) ? 'write' : 'read';
    return { status: 200, body: { ...example, permission, role_name: permission, user: null } };
  }

  #react(id: number, content: string): Answer {
    this.reactions.push(`${id} ${content}`);
    const path = '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
    return { status: 201, body: { ...(exampleOf('POST', path) as object), content } };
  }

  #pullsOf(sha: string): Answer {
    const [example] = exampleOf('GET', '/repos/{owner}/{repo}/commits/{commit_sha}/pulls') as [PullExample];
    const merged = this.pullRequests.filter(({ mergedAs }) => mergedAs === sha);
    return {
      status: 200,
      body: merged.map((pull) => ({
        ...(pullJson(example, pull) as object),
        merged_at: '2026-01-02T00:00:00Z',
        merge_commit_sha: sha,
      })),
    };
  }

  /** Newest first. */
  #listRuns(url: URL): Answer {
    const { workflow_runs: [example] = [] } = exampleOf('GET', '/repos/{owner}/{repo}/actions/runs') as {
      readonly workflow_runs: readonly { readonly head_repository: object }[];
    };
    const pull = this.pullRequests.find(({ headSha }) => headSha === url.searchParams.get('head_sha'));
    const own: FakeRun = { ...this.run, workflow: gateWorkflow, endedAt: this.ranUntil };
    const all = pull === undefined ? [] : [own, ...this.otherRuns];
    const runs = all
      .toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))
      .map(({ id, attempt, startedAt, workflow, endedAt }) => ({
        ...example,
        id,
        workflow_id: workflow,
        run_attempt: attempt,
        run_started_at: startedAt,
        status: endedAt === undefined ? 'in_progress' : 'completed',
        updated_at: endedAt ?? startedAt,
        head_sha: pull?.headSha,
        head_branch: pull?.headBranch,
        head_repository: { ...example?.head_repository, full_name: pull?.headRepository },
      }));
    return this.#page(url, runs, (shown) => ({ total_count: runs.length, workflow_runs: shown }));
  }

  #compare(basehead: string): Answer {
    const [base = ''] = basehead.split('...');
    const example = exampleOf('GET', '/repos/{owner}/{repo}/compare/{basehead}') as object;
    const isAncestor = this.baseHistory.has(base);
    return { status: 200, body: { ...example, status: isAncestor ? 'ahead' : 'diverged' } };
  }

  #contents(key: string): Answer {
    const text = this.contents.get(key);
    if (text === undefined) return error(404, 'Not Found');
    const url = `${this.url}/contents`;
    const content = Buffer.from(text).toString('base64');
    const common = { name: 'gate.yml', path: 'gate.yml', sha: '0'.repeat(40), size: text.length };
    const links = { url, html_url: url, git_url: url, download_url: url };
    const _links = { self: url, git: url, html: url };
    return { status: 200, body: { type: 'file', encoding: 'base64', content, ...common, ...links, _links } };
  }

  #setStatus(sha: string, given: Omit<FakeStatus, 'sha'>): Answer {
    this.statuses.push({ ...given, sha });
    const example = exampleOf('POST', '/repos/{owner}/{repo}/statuses/{sha}') as object;
    return { status: 201, body: { ...example, ...given } };
  }

  #oneRun(id: number): Answer {
    if (id !== this.run.id) return error(404, 'Not Found');
    const example = exampleOf('GET', '/repos/{owner}/{repo}/actions/runs/{run_id}') as object;
    const { attempt, startedAt } = this.run;
    return { status: 200, body: { ...example, id, run_attempt: attempt, run_started_at: startedAt } };
  }

  /** Lists the artifacts of all attempts, because GitHub has no parameter or field that separates them. */
  #listArtifacts(runId: number, query: URLSearchParams): Answer {
    const { artifacts: [example] = [] } = exampleOf(
      'GET',
      '/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts',
    ) as { readonly artifacts: readonly { readonly workflow_run: object }[] };
    const name = query.get('name');
    const own = this.artifacts.filter((one) => one.runId === runId && (name === null || one.name === name));
    if (query.get('direction') !== 'asc') own.reverse();
    return {
      status: 200,
      body: {
        total_count: own.length,
        artifacts: own.map((one) => ({
          ...example,
          id: one.id,
          name: one.name,
          created_at: one.createdAt === undefined ? minutesInto(firstAttempt) : one.createdAt,
          expired: one.expired ?? false,
          size_in_bytes: one.claimedBytes ?? one.archive.length,
          digest: one.claimedDigest ?? `sha256:${createHash('sha256').update(one.archive).digest('hex')}`,
          workflow_run: { ...example?.workflow_run, id: one.runId, head_sha: one.headSha },
        })),
      },
    };
  }

  #serveBlob(
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
    failure: FakeFailure | undefined,
  ): void {
    if (request.headers.authorization !== undefined)
      this.violations.push(`${url.pathname}: the token was sent to another host than GitHub's API`);
    if (failure?.answer === 'reset') {
      request.socket.destroy();
      return;
    }
    if (failure?.answer === 'silence') return;
    const artifact = this.artifacts.find(({ id }) => id === Number(url.pathname.split('/').at(-1)));
    if (failure !== undefined || artifact === undefined) {
      response
        .writeHead(failure?.answer === undefined ? 404 : (failure.answer as { status: number }).status)
        .end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/zip' }).end(artifact.archive);
  }
}

/** A time a few minutes after the attempt started, when it uploads its artifact. */
export function minutesInto({ startedAt }: FakeAttempt): string {
  return new Date(Date.parse(startedAt) + 300_000).toISOString();
}

function fileJson(file: FakeFile): unknown {
  const [example] = exampleOf('GET', '/repos/{owner}/{repo}/pulls/{pull_number}/files') as [object];
  return { ...example, ...file };
}

interface PullExample {
  readonly base: object;
  readonly head: { readonly repo: { readonly owner: object } | null };
}

function pullJson(example: PullExample, pull: FakePullRequest): unknown {
  const { headRepository } = pull;
  return {
    ...example,
    // GitHub's own example lacks this field, although its description requires it.
    requested_teams: [],
    number: pull.number,
    state: pull.state,
    base: { ...example.base, ref: 'main' },
    head: {
      ...example.head,
      sha: pull.headSha,
      ref: pull.headBranch,
      label: `${headRepository?.split('/')[0]}:${pull.headBranch}`,
      repo: headRepository === null ? null : { ...example.head.repo, full_name: headRepository },
    },
  };
}

function error(status: number, message: string): Answer {
  return {
    status,
    body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
