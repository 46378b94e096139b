import { describe, expect, it } from 'vitest';
import { faultOf } from '../../../test/contract/fault-of.ts';
import { influxdbSchema } from '../../model/output-config.ts';
import { openInfluxdb, secretVariables } from './target.ts';

const url = 'http://db.example:8086';

async function open(config: object, env: Readonly<Record<string, string>> = {}) {
  return openInfluxdb(influxdbSchema.parse({ url, ...config }), env, 'outputs[0].influxdb.');
}

describe('the address to write to', () => {
  it.each([
    ['of a database', { database: 'perf figures' }, `${url}/write?db=perf+figures&precision=ms`],
    ['of a bucket', { org: 'team', bucket: 'a/b' }, `${url}/api/v2/write?org=team&bucket=a%2Fb&precision=ms`],
    ['below a path', { url: `${url}/influx/`, database: 'a' }, `${url}/influx/write?db=a&precision=ms`],
  ])('%s', async (_, config, expected) => {
    expect(await open(config)).toMatchObject({ url: expected });
  });

  it.each(['db.example:8086', 'ftp://db.example', 'http://me:secret@db.example', `${url}?token=secret`])(
    'is not %s',
    async (given) => {
      const fault = await faultOf(open({ url: given, database: 'a' }));
      expect(fault).toMatchObject({
        code: 'E_OUTPUT_SETTING',
        kind: 'usage',
        place: 'outputs[0].influxdb.url',
      });
      expect(JSON.stringify(fault)).not.toContain('secret');
    },
  );
});

describe('whoever writes', () => {
  it.each([
    ['a token', { token: '${TOKEN}' }, 'Token s3cret-token'],
    ['a user', { username: 'me', password: '${TOKEN}' }, `Basic ${btoa('me:s3cret-token')}`],
  ])('is known by %s, which is masked', async (_, config, authorization) => {
    const target = await open({ database: 'a', ...config }, { TOKEN: 's3cret-token\n' });
    if ('empty' in target) throw new Error('the variable is not empty');
    expect(target.authorization).toBe(authorization);
    expect(target.secrets.masked(`you sent ${authorization}`)).toMatch(/^you sent \w+ \*\*\*$/);
  });

  it('may be nobody', async () => {
    expect(await open({ database: 'a' })).toMatchObject({ authorization: undefined });
  });

  it('is no token that a header cannot carry, and the fault does not show it', async () => {
    const fault = await faultOf(open({ database: 'a', token: '${TOKEN}' }, { TOKEN: 'se cret' }));
    expect(fault).toMatchObject({ code: 'E_OUTPUT_SETTING', place: 'outputs[0].influxdb.token' });
    expect(JSON.stringify(fault)).not.toContain('cret');
  });
});

describe('a variable', () => {
  it('that does not exist is a fault that names it', async () => {
    expect(await faultOf(open({ database: 'a', token: '${NO_SUCH}' }))).toMatchObject({
      code: 'E_CONFIG_VARIABLE',
      kind: 'usage',
      place: 'outputs[0].influxdb.token',
      cause: 'the variable NO_SUCH does not exist',
    });
  });

  it('that is empty turns the output off, as for a fork that gets no secret', async () => {
    expect(await open({ database: 'a', token: '${TOKEN}' }, { TOKEN: '' })).toEqual({ empty: 'TOKEN' });
  });

  it('of a token or a password is a secret, that of an address is none', () => {
    const given = { url: '${ADDRESS}', database: 'a', username: '${ME}', password: 'x${ONE}${TWO}' };
    expect(secretVariables(influxdbSchema.parse(given))).toEqual(['ONE', 'TWO']);
  });
});

it.each([
  ['no database', {}],
  ['a database and a bucket', { database: 'a', bucket: 'b' }],
  ['an organization of a database', { database: 'a', org: 'b' }],
  ['a token and a user', { database: 'a', token: 'b', username: 'c', password: 'd' }],
  ['a user without a password', { database: 'a', username: 'c' }],
  ['an unknown key', { database: 'a', retention: '1d' }],
])('refuses %s', (_, config) => {
  expect(influxdbSchema.safeParse({ url, ...config }).success).toBe(false);
});
