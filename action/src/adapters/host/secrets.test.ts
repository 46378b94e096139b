import { describe, expect, it } from 'vitest';
import { Secrets } from './secrets.ts';

it('masks values by the names of their variables, in every printed form', () => {
  const secrets = new Secrets();
  secrets.addFrom({
    DB_PASSWORD: 'p@ss"word',
    API_TOKEN: 'abcdef',
    HOME: '/root',
    EMPTY_KEY: '',
    OTHER_KEY: null,
  });
  expect(
    secrets.masked('login with p@ss"word at redis://u:p%40ss%22word@db/ {"password":"p@ss\\"word"}'),
  ).toBe('login with *** at redis://u:***@db/ {"password":"***"}');
  expect(secrets.masked('abcdef lives in /root')).toBe('*** lives in /root');
});

it('masks a whole value that starts with another', () => {
  const secrets = new Secrets();
  secrets.add('secret');
  secrets.add('secret.longer');
  expect(secrets.masked('secret.longer secret')).toBe('*** ***');
});

it.each(['yes', 'true', '3306', 'abc', ''])('does not mask %j, which is no secret', (value) => {
  const secrets = new Secrets();
  secrets.addFrom({ ALLOW_EMPTY_PASSWORD: value });
  expect(secrets.masked(`is ${value}.`)).toBe(`is ${value}.`);
});

it.each([
  ['MYSQL_PWD', 'hunter22'],
  ['DB_PASS', 'hunter22'],
  ['dbpass', 'hunter22'],
  ['SENTRY_DSN', 'https://0a1b2c@sentry.invalid/1'],
])('masks the value of %s', (name, value) => {
  const secrets = new Secrets();
  secrets.addFrom({ [name]: value });
  expect(secrets.masked(`with ${value}.`)).toBe('with ***.');
});

it.each([
  ['PWD', '/srv/shop'],
  ['OLDPWD', '/srv/shop'],
  ['GIT_ASKPASS', '/usr/bin/ask'],
])('does not mask the value of %s, which is a path', (name, value) => {
  const secrets = new Secrets();
  secrets.addFrom({ [name]: value });
  expect(secrets.masked(`in ${value}`)).toBe(`in ${value}`);
});

it.each([
  ['postgres://shop:hunter22@db:5432/shop', 'hunter22', 'postgres://shop:***@db:5432/shop'],
  ['redis://:hunter22@cache', 'hunter22', 'redis://:***@cache'],
  ['amqp://a:hunt%40r22@mq,amqp://a:other-22@mq2', 'hunt@r22', 'amqp://a:***@mq,amqp://a:***@mq2'],
  [
    'jdbc:mysql://db/shop?user=a&password=hunter22&x=y',
    'hunter22',
    'jdbc:mysql://db/shop?user=a&password=***&x=y',
  ],
])('masks the password in the address %s, whatever its variable is called', (value, password, shown) => {
  const secrets = new Secrets();
  secrets.addFrom({ DATABASE_URL: value });
  expect(secrets.masked(value)).toBe(shown);
  expect(secrets.masked(`no ${password}`)).toBe('no ***');
});

it.each(['http://db:9104/metrics', 'https://a.example/@b:c', 'http://[::1]:80/a@b', 'redis://u:%zz@h'])(
  'finds no password in %s, and does not fail',
  (value) => {
    const secrets = new Secrets();
    secrets.addFrom({ URL: value });
    expect(secrets.masked('http db metrics a b c 80')).toBe('http db metrics a b c 80');
  },
);

it('masks each line of a value, because logs print single lines', () => {
  const secrets = new Secrets();
  secrets.addFrom({ TLS_KEY: '-----BEGIN KEY-----\r\nabcdefgh12345678\r\nshort\r\n-----END KEY-----\n' });
  expect(secrets.masked('  abcdefgh12345678\nshort')).toBe('  ***\nshort');
});

describe('a public name', () => {
  it('is not masked, although it is the value of a secret', () => {
    const secrets = new Secrets();
    secrets.addFrom({ POSTGRES_PASSWORD: 'postgres', REDIS_PASSWORD: 'hunter22' });
    secrets.exceptNames(['postgres']);
    expect(secrets.masked('service postgres: postgres ended: password hunter22')).toBe(
      'service postgres: postgres ended: password ***',
    );
  });

  it('stays readable if it contains a secret that is masked elsewhere', () => {
    const secrets = new Secrets();
    secrets.exceptNames(['database', 'my-db']);
    secrets.addFrom({ A_PASSWORD: 'data', B_PASSWORD: 'db!hunter22' });
    expect(secrets.masked('database (data, databases): my-db')).toBe('database (***, ***bases): my-db');
    expect(secrets.masked('my-db!hunter22')).toBe('my-***');
  });
});

it('masks a value that becomes known after a first text, unless its name is public by then', () => {
  const secrets = new Secrets();
  expect(secrets.masked('first second third')).toBe('first second third');
  secrets.add('first');
  secrets.add('second');
  expect(secrets.masked('first second third')).toBe('*** *** third');
  secrets.exceptNames(['second']);
  expect(secrets.masked('first second third')).toBe('*** second third');
});
