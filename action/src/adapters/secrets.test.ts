import { expect, it } from 'vitest';
import { Secrets } from './secrets.ts';

it('masks values by the names of their variables, in every form they are printed in', () => {
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

it('masks the whole of a value that begins with another', () => {
  const secrets = new Secrets();
  secrets.add('secret');
  secrets.add('secret.longer');
  expect(secrets.masked('secret.longer secret')).toBe('*** ***');
});

it.each(['yes', 'true', '3306', 'abc', ''])('leaves %j: it is no secret', (value) => {
  const secrets = new Secrets();
  secrets.addFrom({ ALLOW_EMPTY_PASSWORD: value });
  expect(secrets.masked(`is ${value}.`)).toBe(`is ${value}.`);
});
