import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutCredentials } from './command.ts';

const secret = fc.stringMatching(/^[A-Za-z0-9]{12,40}$/);

it('masks every text in the place of credentials', () => {
  fc.assert(
    fc.property(secret, (token) => {
      for (const text of [
        `fatal: unable to access 'https://x-access-token:${token}@github.com/o/r.git/': 403`,
        `fatal: unable to access 'https://${token}@github.com/o/r.git/'`,
        `=> Send header: Authorization: Basic ${token}`,
        `> authorization: bearer ${token}`,
        `remote: the token ghs_${token} has expired`,
        `remote: the token github_pat_${token} has expired`,
      ]) {
        expect(withoutCredentials(text)).not.toContain(token);
      }
    }),
  );
});

it('leaves all other text unchanged', () => {
  const text = "fatal: unable to access 'https://github.com/o/r.git/': Could not resolve host: github.com";
  expect(withoutCredentials(text)).toBe(text);
});
