import { describe, expect, it } from 'vitest';
import { Fault } from '../model/fault.ts';
import { refuseForeignTarget } from './target.ts';

describe('refuseForeignTarget', () => {
  it.each(['http://127.0.0.1:${PORT}', 'http://localhost:80/x', 'http://[::1]:${PORT}', 'http://127.9.9.9'])(
    'loads %s',
    (url) => {
      expect(() => refuseForeignTarget(url, [], 'gate.yml')).not.toThrow();
    },
  );

  it.each([
    'http://example.com',
    'http://10.0.0.7:80',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://user@example.com:80',
    'ftp://127.0.0.1',
    '127.0.0.1:80',
    '',
  ])('refuses %s', (url) => {
    expect(() => refuseForeignTarget(url, [], 'gate.yml')).toThrow(Fault);
  });

  it('loads a foreign host that is named on purpose, and only that one', () => {
    expect(() =>
      refuseForeignTarget('https://staging.example.com', ['staging.example.com'], 'x'),
    ).not.toThrow();
    expect(() => refuseForeignTarget('https://other.example.com', ['staging.example.com'], 'x')).toThrow(
      Fault,
    );
  });
});
