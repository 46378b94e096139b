import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { Login } from '../service/login.ts';
import { scenarioFile } from './scenario-file.ts';

interface Answer {
  readonly status: number;
  readonly body?: object;
}
type Setup = () => { readonly headers: Readonly<Record<string, string>> };
type Sent = readonly [url: string, body: unknown, params: { readonly headers?: object }];

const user = { BASE_URL: 'http://shop', LOGIN_USER: 'ann', LOGIN_PASSWORD: 'apple' };
const bearer = {
  scheme: 'bearer',
  path: '/login',
  body: 'json',
  user: 'username',
  findings: [],
} satisfies Login;

/** Runs the script with k6's modules replaced, and returns what each request carried. */
async function run(login: Login | undefined, env: Readonly<Record<string, string>>, answer: Answer) {
  const posts: Sent[] = [];
  const gets: unknown[] = [];
  const modules: Readonly<Record<string, object>> = {
    k6: {
      sleep: () => undefined,
      fail: (text: string) => {
        throw new Error(text);
      },
    },
    'k6/encoding': { b64encode: (text: string) => Buffer.from(text).toString('base64') },
    'k6/http': {
      default: {
        post: (...sent: Sent) => {
          posts.push(sent);
          return { status: answer.status, json: () => answer.body };
        },
        get: (_: string, { headers }: { readonly headers?: object }) => gets.push(headers),
      },
      __esModule: true,
    },
  };
  const { code } = await transform(scenarioFile([{ name: 'items', path: '/items' }], login), {
    format: 'cjs',
  });
  const module: { exports: { setup?: Setup; default?: (data: unknown) => void } } = { exports: {} };
  new Function('require', 'module', '__ENV', code)((name: string) => modules[name], module, env);
  const data = module.exports.setup?.();
  module.exports.default?.(data);
  return { posts, gets };
}

describe('the login of a first scenario', () => {
  it('passes the token of one request to each iteration', async () => {
    for (const field of ['token', 'access_token', 'accessToken', 'jwt']) {
      const { posts, gets } = await run(bearer, user, { status: 200, body: { [field]: 'abc' } });
      expect(posts).toMatchObject([
        [
          'http://shop/login',
          '{"username":"ann","password":"apple"}',
          { headers: { 'Content-Type': 'application/json' } },
        ],
      ]);
      expect(gets).toEqual([{ Authorization: 'Bearer abc' }]);
    }
  });

  it('sends a form, or an e-mail address, if the service reads that', async () => {
    const { posts } = await run({ ...bearer, body: 'form', user: 'email' }, user, {
      status: 200,
      body: { token: 'abc' },
    });
    expect(posts[0]?.[1]).toEqual({ email: 'ann', password: 'apple' });
    expect(posts[0]?.[2].headers).toBeUndefined();
  });

  it('is a header of HTTP Basic if the service has no route for it', async () => {
    const { posts, gets } = await run({ scheme: 'basic', findings: [] }, user, { status: 200 });
    expect(posts).toEqual([]);
    expect(gets).toEqual([{ Authorization: 'Basic YW5uOmFwcGxl' }]);
  });

  it.each<Login>([bearer, { scheme: 'basic', findings: [] }])(
    'is left out until gate.yml names a user ($scheme)',
    async (login) => {
      const { posts, gets } = await run(login, { ...user, LOGIN_USER: '' }, { status: 200 });
      expect(posts).toEqual([]);
      expect(gets).toEqual([{}]);
    },
  );

  it('ends the load if it fails, and says what to correct', async () => {
    await expect(run(bearer, user, { status: 401 })).rejects.toThrow(/answered 401.*LOGIN_USER/);
    await expect(run(bearer, user, { status: 200, body: { key: 1 } })).rejects.toThrow(/no token/);
  });

  it('does not exist for a service that asks nobody', async () => {
    expect(await run(undefined, user, { status: 200 })).toEqual({ posts: [], gets: [undefined] });
  });
});
