import querystring from 'node:querystring';
import { Fault } from '../../model/fault.ts';
import type { Secrets } from '../host/index.ts';
import { type Git, type GitEnv, lastLines } from './command.ts';

/** Name of a remote that exists only in the environment of our git commands. */
export const ownRemote = 'perf-gate-store';

/** How any other repository can reach a remote of the user's checkout. */
export interface RemoteAccess {
  /** Relative addresses start from this folder. */
  readonly topLevel: string;
  /** Object format of the checkout, which the remote must share. */
  readonly objectFormat: string;
  /** Git configuration as variables, so that secrets appear in no command line and no file. */
  readonly env: GitEnv;
}

type Setting = readonly [key: string, value: string];

interface RemoteOptions {
  readonly name: string;
  readonly token: string | undefined;
  readonly env: GitEnv;
  readonly secrets: Secrets;
  /** Where faults are reported. */
  readonly place: string;
}

/**
 * Reads address, proxy and credentials of a remote and adds them to `secrets`. The checkout does not change. The token
 * replaces the credentials of the checkout if the remote is on the server that issued it (GITHUB_SERVER_URL).
 */
export async function readRemote(git: Git, options: RemoteOptions): Promise<RemoteAccess> {
  const { name, env, secrets, place } = options;
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
  const [url = '', pushurl = ''] = [fetchUrl, pushUrl].map(({ stdout }) => stdout.split('\n', 1)[0] ?? '');
  const listed = await git.output(['config', '--includes', '--null', '--show-scope', '--list']);
  const addresses = [...new Set([url, pushurl])];
  const guards = addresses.filter((address) => getsToken(address, options)).flatMap(guardsOf);
  const own = settingsOfCheckout(listed);
  const settings: Setting[] = [
    [`remote.${ownRemote}.url`, withoutUser(url)],
    [`remote.${ownRemote}.pushurl`, withoutUser(pushurl)],
    ...(guards.length === 0 ? carriedSettings(own, name) : [...guards, ...proxyGuard(own, env)]),
    ...addresses.flatMap((address) => credentialSettings(address, options)),
  ];
  for (const [key, value] of settings) {
    if (key.endsWith('.extraheader')) secrets.add(value.split(/\s+/).at(-1) ?? '');
  }
  return { topLevel: rest.join('\n'), objectFormat, env: configEnv(settings, env) };
}

/** Settings of this checkout alone. Those of the user or the machine apply everywhere anyway. */
function settingsOfCheckout(listed: string): Setting[] {
  const fields = listed.split('\0');
  return fields.flatMap((entry, index) => {
    // Scopes and settings alternate.
    if (index % 2 === 0 || !/^(?:local|worktree)$/.test(fields[index - 1] ?? '')) return [];
    const [key = '', ...lines] = entry.split('\n');
    // A key without a value means true.
    return [[key, lines.length === 0 ? 'true' : lines.join('\n')] as const];
  });
}

/** Those that affect the connection. */
function carriedSettings(settings: readonly Setting[], remote: string): Setting[] {
  return settings.flatMap(([key, value]): Setting[] => {
    const carried = carriedKey(key, remote);
    return carried === undefined ? [] : [[carried, value]];
  });
}

/** An address that gets the token is checked as the machine has it, whatever an earlier job left in the checkout. */
function guardsOf(url: string): Setting[] {
  const { origin, pathname } = new URL(url);
  return [[`http.${origin}${pathname}.sslverify`, 'true']];
}

/** Replaces a proxy of the checkout by that of the environment. */
function proxyGuard(settings: readonly Setting[], env: GitEnv): Setting[] {
  const isProxied = settings.some(([key]) => /^(?:http|remote)\..*proxy$/.test(key));
  const proxy = env.https_proxy ?? env.HTTPS_PROXY ?? env.all_proxy ?? env.ALL_PROXY ?? '';
  return isProxied ? [[`remote.${ownRemote}.proxy`, proxy]] : [];
}

function carriedKey(key: string, remote: string): string | undefined {
  if (/^(?:http|credential|protocol|ssh)\.|^core\.(?:sshcommand|gitproxy|askpass)$/.test(key)) return key;
  const prefix = `remote.${remote}.`;
  const setting = key.startsWith(prefix) ? key.slice(prefix.length) : '';
  return /^(?:proxy|proxyauthmethod|uploadpack|receivepack)$/.test(setting)
    ? `remote.${ownRemote}.${setting}`
    : undefined;
}

/** Removes user and password, because git passes addresses to its helpers in their command lines. */
function withoutUser(url: string): string {
  return url.replace(/^(https?:\/\/)[^/]*@/i, '$1');
}

/**
 * The measured code may have changed the checkout's addresses, so the token goes only to the server that issued it. It is
 * never sent unencrypted over a network.
 */
function getsToken(url: string, { token, env }: Pick<RemoteOptions, 'token' | 'env'>): boolean {
  const address = URL.parse(url);
  const issuer = URL.parse(env.GITHUB_SERVER_URL ?? 'https://github.com')?.origin;
  if (token === undefined || address === null || address.origin !== issuer) return false;
  const loopback = ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname);
  return address.protocol === 'https:' || (address.protocol === 'http:' && loopback);
}

/** Credentials for an address: the token, or what the address itself contains. */
function credentialSettings(url: string, options: RemoteOptions): readonly Setting[] {
  const { token, secrets } = options;
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol)) return [];
  const at = `${address.origin}${address.pathname}`;
  const user = querystring.unescape(address.username);
  const password = querystring.unescape(address.password);
  secrets.add(password);
  // GitHub takes the token as the password of any user.
  if (token !== undefined && getsToken(url, options))
    return basicHeader(at, 'x-access-token', token, secrets);
  if (password !== '') return basicHeader(at, user, password, secrets);
  return user === '' ? [] : [[`credential.${at}.username`, user]];
}

function basicHeader(at: string, user: string, password: string, secrets: Secrets): readonly Setting[] {
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  secrets.add(password);
  const key = `http.${at}.extraheader`;
  // The empty value drops headers from other configuration, because servers refuse two.
  return [
    [key, ''],
    [key, `Authorization: Basic ${credentials}`],
  ];
}

/** Settings as variables that git reads (git-config(1), GIT_CONFIG_COUNT), after any that `env` already has. */
function configEnv(settings: readonly Setting[], env: GitEnv): GitEnv {
  const first = Number.parseInt(env.GIT_CONFIG_COUNT ?? '0', 10) || 0;
  const variables = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...Object.fromEntries(variables), GIT_CONFIG_COUNT: `${first + settings.length}` };
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
