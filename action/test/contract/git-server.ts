import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { git, type Remote } from './git-repositories.ts';

/** Records what clients sent to the server. */
interface Seen {
  readonly authorizations: Set<string>;
  /** Command lines on this machine that contained a secret during a request. */
  readonly leaks: string[];
}

/** Git's own HTTP server for a repository, behind a check of the Authorization header. */
export async function serve(
  remote: Remote,
  secrets: readonly string[],
  allow: (header: string, push: boolean) => number,
) {
  const seen: Seen = { authorizations: new Set(), leaks: [] };
  git(remote.path, ['config', 'http.receivepack', 'true']);
  const server = createServer((request, response) => {
    // The raw list has all headers; Node's parsed one has only the first.
    const header = (request.headersDistinct.authorization ?? []).join(' and ');
    seen.authorizations.add(header);
    seen.leaks.push(...commandLines().filter((line) => secrets.some((secret) => line.includes(secret))));
    const status = allow(header, (request.url ?? '').includes('git-receive-pack'));
    if (status !== 200) {
      response.writeHead(status, { 'WWW-Authenticate': 'Basic realm="git"' });
      response.end(`remote says no to ${header}\n`);
    } else answer(remote, request, response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return { url: `127.0.0.1:${typeof address === 'object' ? address?.port : ''}/the%20remote.git`, seen };
}

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        // The process ended between the two calls.
        return '';
      }
    });
}

/** CGI as in RFC 3875. */
function answer(remote: Remote, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: remote.home,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_USER: 'tester',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const headers = new Map(
      all
        .subarray(0, end)
        .toString('latin1')
        .split('\r\n')
        .map((line): [string, string] => [line.split(': ')[0] ?? '', line.split(': ').slice(1).join(': ')]),
    );
    const status = Number.parseInt(headers.get('Status') ?? '200', 10);
    headers.delete('Status');
    response.writeHead(status, Object.fromEntries(headers));
    response.end(all.subarray(end + 4));
  });
}
