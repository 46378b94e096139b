import querystring from 'node:querystring';
import { Fault } from '../../model/fault.ts';
import type { Secrets } from '../host/index.ts';
import { type Git, type GitEnv, lastLines } from './command.ts';

/** Name of the remote that exists in the environment of our git commands only. */
export const ownRemote = 'perf-gate-store';

/** How to reach the repository that a remote of the user's checkout names, from any other repository. */
export interface RemoteAccess {
  /** Folder that relative addresses are relative to. */
  readonly topLevel: string;
  /** Object format of the checkout, which the remote has to share. */
  readonly objectFormat: string;
  /** Configuration for git commands, as variables: nothing of it shows in a command line or comes to lie in a file. */
  readonly env: GitEnv;
}

type Setting = readonly [key: string, value: string];

/**
 * Reads address, proxy and credentials of a remote, adds them to `secrets`, and leaves the checkout as it is.
 * A token replaces the credentials of the checkout where the remote lies on the server that gave it (GITHUB_SERVER_URL).
 */
export async function readRemote(
  git: Git,
  options: {
    readonly name: string;
    readonly token: string | undefined;
    readonly env: GitEnv;
    readonly secrets: Secrets;
    /** For faults. */
    readonly place: string;
  },
): Promise<RemoteAccess> {
  const { name, token, env, secrets, place } = options;
  const where = await git.run(['rev-parse', '--show-object-format', '--show-toplevel']);
  if (where.code !== 0) {
    throw remoteFault(place, 'this folder is not a checkout of a git repository', where.stderr);
  }
  const [objectFormat = '', ...rest] = where.stdout.replace(/\n$/, '').split('\n');
  const [fetchUrl, pushUrl] = await Promise.all([
    git.run(['remote', 'get-url', '--', name]),
    git.run(['remote', 'get-url', '--push', '--', name]),
  ]);
  if (fetchUrl.code !== 0 || pushUrl.code !== 0) {
    throw remoteFault(place, `this checkout has no remote called ${name}`, fetchUrl.stderr);
  }
  const urls = { url: firstLine(fetchUrl.stdout), pushurl: firstLine(pushUrl.stdout) };
  const listed = await git.output(['config', '--includes', '--null', '--show-scope', '--list']);
  const settings = [
    ...Object.entries(urls).map(([key, url]): Setting => [`remote.${ownRemote}.${key}`, withoutUser(url)]),
    ...carriedSettings(listed, name),
    ...[...new Set(Object.values(urls))].flatMap((url) =>
      credentialSettings(
        url,
        token === undefined ? undefined : { value: token, origin: originOf(env) },
        secrets,
      ),
    ),
  ];
  addHeaders(secrets, settings);
  return { topLevel: rest.join('\n'), objectFormat, env: configEnv(settings, env) };
}

/**
 * What the checkout's own configuration says about the way to the remote. What is configured for the user or the
 * machine holds in every repository anyway.
 */
function carriedSettings(listed: string, remote: string): Setting[] {
  const fields = listed.split('\0');
  const settings: Setting[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const scope = fields[index];
    if (scope !== 'local' && scope !== 'worktree') continue;
    const [key = '', ...lines] = (fields[index + 1] ?? '').split('\n');
    // A key that stands alone is a switch that is on.
    const value = lines.length === 0 ? 'true' : lines.join('\n');
    const carried = carriedKey(key, remote);
    if (carried === undefined) continue;
    settings.push([carried, value]);
  }
  return settings;
}

function carriedKey(key: string, remote: string): string | undefined {
  if (/^(?:http|credential|protocol|ssh)\./.test(key)) return key;
  if (/^core\.(?:sshcommand|gitproxy|askpass)$/.test(key)) return key;
  const prefix = `remote.${remote}.`;
  const ofRemote = key.startsWith(prefix) ? key.slice(prefix.length) : '';
  return /^(?:proxy|proxyauthmethod|uploadpack|receivepack)$/.test(ofRemote)
    ? `remote.${ownRemote}.${ofRemote}`
    : undefined;
}

/** An address without user and password: git hands addresses on to its helpers in their command lines. */
function withoutUser(url: string): string {
  return url.replace(/^(https?:\/\/)[^/]*@/i, '$1');
}

interface Token {
  readonly value: string;
  /** The only origin that it is for. */
  readonly origin: string | undefined;
}

/** Of the GitHub that gave the job its token. */
function originOf(env: GitEnv): string | undefined {
  return URL.parse(env.GITHUB_SERVER_URL ?? 'https://github.com')?.origin;
}

/**
 * Who to be at an address: the token, else what the address itself says. The address is the checkout's, which the code
 * that was measured may have written to: the token goes to the server that gave it, and to no other.
 */
function credentialSettings(url: string, token: Token | undefined, secrets: Secrets): readonly Setting[] {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) return [];
  const at = `${address.origin}${address.pathname}`;
  const user = querystring.unescape(address.username);
  const password = querystring.unescape(address.password);
  secrets.add(password);
  if (token !== undefined && token.origin === address.origin) {
    // GitHub takes a token as the password of any user. It is never sent in clear over a network.
    const loopback = ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname);
    if (address.protocol === 'http:' && !loopback) return [];
    return basicHeader(at, 'x-access-token', token.value, secrets);
  }
  if (password !== '') return basicHeader(at, user, password, secrets);
  return user === '' ? [] : [[`credential.${at}.username`, user]];
}

function basicHeader(at: string, user: string, password: string, secrets: Secrets): readonly Setting[] {
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  secrets.add(password);
  secrets.add(credentials);
  const key = `http.${at}.extraheader`;
  // The empty value drops headers that are configured elsewhere: two are refused.
  return [
    [key, ''],
    [key, `Authorization: Basic ${credentials}`],
  ];
}

function addHeaders(secrets: Secrets, settings: readonly Setting[]): void {
  for (const [key, value] of settings) {
    if (key.endsWith('.extraheader')) secrets.add(value.split(/\s+/).at(-1) ?? '');
  }
}

/** Settings as git reads them from its environment (git-config(1), GIT_CONFIG_COUNT), after those that are there. */
function configEnv(settings: readonly Setting[], env: GitEnv): GitEnv {
  const first = Number.parseInt(env.GIT_CONFIG_COUNT ?? '0', 10) || 0;
  return {
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${first + index}`, key],
        [`GIT_CONFIG_VALUE_${first + index}`, value],
      ]),
    ),
    GIT_CONFIG_COUNT: `${first + settings.length}`,
  };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function remoteFault(place: string, cause: string, stderr: string): Fault {
  return new Fault({
    code: 'E_BASELINE_REMOTE',
    kind: 'usage',
    place,
    cause,
    nextStep: 'run in a checkout with that remote (git remote -v lists them), or keep the baseline in a file',
    logTail: lastLines(stderr),
  });
}
