import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBranchStore } from '../../src/adapters/baseline/branch-store.ts';
import { resolveCommit } from '../../src/adapters/git/base-checkout.ts';
import { readRemote } from '../../src/adapters/git/remote.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { gitIn } from '../../src/entry/checkout-git.ts';
import { faultOf } from './fault-of.ts';
import { git, Remote } from './git-repositories.ts';
import { serve } from './git-server.ts';
import { buildRun } from './run-builder.ts';

const token = 'tok3n-0f-the-j0b';
const basic = Buffer.from(`x-access-token:${token}`).toString('base64');

function storeOf(
  directory: string,
  withToken: string | undefined,
  env: Record<string, string> = {},
  signal = new AbortController().signal,
) {
  return createBranchStore({
    directory,
    branch: 'perf',
    remote: 'origin',
    env: {
      ...process.env,
      GITHUB_SERVER_URL: new URL(git(directory, ['remote', 'get-url', 'origin'])).origin,
      ...env,
    },
    clock: createSystemClock(),
    signal,
    token: withToken,
    backOff: { firstMs: 1, mostMs: 5, attempts: 2, withinMs: 60_000 },
  });
}

const onlyToken = (header: string) => (header === `Basic ${basic}` ? 200 : 401);

describe('a remote over HTTP', () => {
  it('receives the token in a header, and no other process sees it', async () => {
    const remote = await Remote.create();
    const { url, seen } = await serve(remote, [token, basic], onlyToken);
    const checkout = remote.clone();
    git(checkout, ['remote', 'set-url', 'origin', `http://${url}`]);
    // actions/checkout leaves this header, and the server refuses two.
    git(checkout, ['config', 'http.extraheader', 'Authorization: Basic c3RhbGU=']);
    const config = readFileSync(join(checkout, '.git/config'), 'utf8');
    // A user may have this header for all repositories.
    const env = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.extraheader',
      GIT_CONFIG_VALUE_0: 'Authorization: Basic b2xk',
    };
    const store = storeOf(checkout, token, env);
    const baseline = await store.append(buildRun(1), 20);
    expect(await store.read()).toEqual({ kind: 'found', baseline });
    expect([...seen.authorizations]).toEqual([`Basic ${basic}`]);
    expect(seen.leaks).toEqual([]);
    expect(readFileSync(join(checkout, '.git/config'), 'utf8')).toBe(config);
  });

  it('finishes the write of a cancelled job, and accepts the next one', async () => {
    const remote = await Remote.create();
    const { url } = await serve(remote, [token, basic], onlyToken);
    const checkout = remote.clone();
    git(checkout, ['remote', 'set-url', 'origin', `http://${url}`]);
    const [begun, alone] = [join(remote.path, 'begun'), join(remote.path, 'alone')];
    remote.hook('pre-receive', 'touch begun; until [ -e alone ]; do sleep 0.05; done');
    const cancelled = new AbortController();
    const reason = new Error('cancelled');
    const ended = expect(storeOf(checkout, token, {}, cancelled.signal).append(buildRun(1), 20)).rejects.toBe(
      reason,
    );
    await expect.poll(() => existsSync(begun), { timeout: 60_000 }).toBe(true);
    cancelled.abort(reason);
    await ended;
    expect(remote.tip('perf')).toBe('');
    writeFileSync(alone, '');
    await expect.poll(() => remote.tip('perf'), { timeout: 60_000 }).not.toBe('');
    expect(git(remote.path, ['fsck', '--strict', '--no-dangling'])).toBe('');
    const { runs } = await storeOf(checkout, token).append(buildRun(2), 20);
    expect(runs.map(({ id }) => id)).toEqual(['run-1', 'run-2']);
  });

  it.each([
    [
      'a header',
      (checkout: string) => git(checkout, ['config', 'http.extraheader', `Authorization: Basic ${basic}`]),
    ],
    [
      'a header in a file that is included for this checkout',
      (checkout: string) => {
        git(checkout, [
          'config',
          '--file',
          '.git/credentials.config',
          'http.extraheader',
          `Authorization: Basic ${basic}`,
        ]);
        git(checkout, ['config', `includeIf.gitdir:${checkout}/.git.path`, 'credentials.config']);
      },
    ],
    [
      'a credential helper',
      (checkout: string) =>
        git(checkout, [
          'config',
          'credential.helper',
          `!f() { echo username=x-access-token; echo password=${token}; }; f`,
        ]),
    ],
    [
      'the address',
      (checkout: string) => {
        const url = new URL(git(checkout, ['remote', 'get-url', 'origin']));
        git(checkout, [
          'remote',
          'set-url',
          'origin',
          `http://x-access-token:${token}@${url.host}${url.pathname}`,
        ]);
      },
    ],
  ])('is reached with the credentials of the checkout: %s', async (_, configure) => {
    const remote = await Remote.create();
    const { url, seen } = await serve(remote, [token, basic], onlyToken);
    const checkout = remote.clone();
    git(checkout, ['remote', 'set-url', 'origin', `http://${url}`]);
    configure(checkout);
    await storeOf(checkout, undefined).append(buildRun(1), 20);
    expect(remote.tip('perf')).not.toBe('');
    expect(seen.leaks.filter((line) => !line.includes('password='))).toEqual([]);
  });

  it.each([
    ['a token that may only read', (_: string, push: boolean) => (push ? 403 : 200), token],
    ['a wrong token', () => 401, token],
    ['no token', onlyToken, undefined],
  ])('refuses %s, and the fault contains no secret', async (_, allow, withToken) => {
    const remote = await Remote.create();
    const { url } = await serve(remote, [token, basic], allow);
    const checkout = remote.clone();
    git(checkout, ['remote', 'set-url', 'origin', `http://someone:s3cr3t-pass@${url}`]);
    const env = { GIT_TRACE_CURL: '1', GIT_TRACE_REDACT: '0', GIT_TRACE: '1' };
    const fault = await faultOf(storeOf(checkout, withToken, env).append(buildRun(1), 20));
    expect(fault).toMatchObject({ code: 'E_BASELINE_PERMISSION', kind: 'measurement' });
    expect(fault.logTail).not.toEqual([]);
    for (const secret of [
      token,
      basic,
      's3cr3t-pass',
      Buffer.from('someone:s3cr3t-pass').toString('base64'),
    ]) {
      expect(JSON.stringify(fault)).not.toContain(secret);
    }
    expect(remote.tip('perf')).toBe('');
  });

  it.each(['https://github.com', 'http://127.0.0.1:9', 'no address'])(
    'is not sent the token of another server: %s',
    async (server) => {
      const remote = await Remote.create();
      const { url, seen } = await serve(remote, [token, basic], () => 401);
      const checkout = remote.clone();
      git(checkout, ['remote', 'set-url', 'origin', `http://${url}`]);
      await faultOf(storeOf(checkout, token, { GITHUB_SERVER_URL: server }).append(buildRun(1), 20));
      expect([...seen.authorizations]).toEqual(['']);
    },
  );

  it('never receives the token unencrypted over a network', async () => {
    const remote = await Remote.create();
    const { url, seen } = await serve(remote, [token, basic], () => 401);
    const checkout = remote.clone();
    git(checkout, ['remote', 'set-url', 'origin', 'http://git.example.invalid/o/r.git']);
    // The server acts as a proxy, and so sees all traffic.
    const env = { http_proxy: `http://${url.split('/')[0]}`, no_proxy: '' };
    expect(await faultOf(storeOf(checkout, token, env).read())).toMatchObject({
      code: 'E_BASELINE_PERMISSION',
    });
    expect([...seen.authorizations]).toEqual(['']);
  });

  it.each(['http.proxy', 'remote.origin.proxy'])(
    'gets the token without %s of the checkout, which an earlier job may have left',
    async (setting) => {
      const remote = await Remote.create();
      const { url } = await serve(remote, [token, basic], onlyToken);
      const eavesdropper = await serve(remote, [], () => 401);
      const checkout = remote.clone();
      git(checkout, ['remote', 'set-url', 'origin', `http://${url}`]);
      git(checkout, ['config', setting, `http://${eavesdropper.url.split('/')[0]}`]);
      git(checkout, ['config', 'http.sslVerify', 'false']);
      // A runner excludes its own addresses from proxies.
      const env = { no_proxy: '', NO_PROXY: '' };
      await storeOf(checkout, token, env).append(buildRun(1), 20);
      remote.writeFile('main', 'newer.txt', 'newer');
      const newer = remote.tip('main');
      const issuer = { GITHUB_SERVER_URL: `http://${url.split('/')[0]}` };
      const { signal } = new AbortController();
      const base = gitIn(checkout, { ...process.env, ...env, ...issuer }, signal);
      const options = { clock: createSystemClock(), signal, token };
      expect(await resolveCommit(base, newer, options)).toBe(newer);
      expect([...eavesdropper.seen.authorizations]).toEqual([]);
      const { env: seen } = await readRemote(base, {
        name: 'origin',
        token,
        env: { ...base.env },
        secrets: base.secrets,
        place: 'x',
      });
      const text = JSON.stringify(seen);
      expect(text).toContain(`http.http://${url}.sslverify`);
      expect(text).not.toContain('"false"');
    },
  );
});
