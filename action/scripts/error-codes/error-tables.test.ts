import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codeSites } from './code-sites.ts';
import { errorTable, reasonTable } from './error-tables.ts';

function sitesOf(text: string) {
  return codeSites(new Map([['adapters/disk/file.ts', text]]));
}

it('reads a fault that is written out, with … for what only a run knows', () => {
  const [site] = sitesOf(`
    throw new Fault({
      code: 'E_DISK', kind: 'usage', place, cause: \`\${path} is \${full ? 'full' : 'gone'}\`, nextStep: hint,
    });
    const hint = 'free some' + ' space';
  `);
  expect(site).toEqual({
    code: 'E_DISK',
    folder: 'adapters/disk',
    texts: { kind: ['usage'], cause: ['… is full', '… is gone'], nextStep: ['free some space'] },
  });
});

it('reads a code and its words from the calls of the function that receives them', () => {
  const sites = sitesOf(`
    function fault(code: string, cause: string) {
      return new Fault({ code, kind: 'measurement', cause, nextStep: 'run it again' });
    }
    function late(cause: string) { return fault('E_LATE', cause); }
    throw fault('E_EARLY', 'too early');
    throw late('too late');
    throw late('much too late');
  `);
  const causes = sites.map(({ code, texts }) => [code, texts.cause]);
  expect(causes).toContainEqual(['E_EARLY', ['too early']]);
  expect(causes).toContainEqual(['E_LATE', ['too late', 'much too late']]);
});

it('joins what one function says with what its caller adds', () => {
  const [site] = sitesOf(`
    function explain(status: number) { return { code: 'E_LIMIT', nextStep: 'wait' }; }
    throw new Fault({ ...explain(status), kind: 'measurement', cause: 'too many' });
  `);
  expect(site?.texts).toEqual({ kind: ['measurement'], cause: ['too many'], nextStep: ['wait'] });
});

it('follows arrow functions and methods, and adds what the function that receives an object gives it', () => {
  const sites = sitesOf(`
    const late = (code: string, cause: string) => fault(code, cause);
    const fault = (code: string, cause: string) => ({ code, kind: 'measurement', cause, nextStep: 'wait' });
    class Reader {
      #refused(code: string) { return late(code, 'it was refused'); }
      read() { throw this.#refused('E_READ'); }
    }
    function usage(details: Details) { return new Fault({ ...details, kind: 'usage' }); }
    throw usage({ code: 'E_NAME', cause: 'it has no name', nextStep: 'name it' });
  `);
  expect(sites.map(({ code, texts }) => [code, texts])).toEqual([
    ['E_READ', { kind: ['measurement'], cause: ['it was refused'], nextStep: ['wait'] }],
    ['E_NAME', { kind: ['usage'], cause: ['it has no name'], nextStep: ['name it'] }],
  ]);
});

it('shows every reason in words that need no figures', () => {
  expect(reasonTable()).toContain(
    '| `I_STEAL` | other guests of the host took more CPU than their limit. | run the check again, or use a machine that does nothing else. |',
  );
});

it('reads the errors of the launcher', () => {
  const launcher = `die E_CACHE "$CACHE" 'it cannot be written' \\\n  "make $CACHE writable"\n`;
  expect(errorTable(new Map(), launcher).split('\n').at(-1)).toBe(
    '| `E_CACHE` | 2 | `gate` | it cannot be written. | make … writable. |',
  );
});

it('has a row with words and an exit code for every code of the source', () => {
  const root = join(import.meta.dirname, '../../src');
  const paths = globSync('**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'));
  const sources = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const codes = new Set(
    [...sources.values()].flatMap((text) => text.match(/(?<=')E_[A-Z0-9_]+(?=')/g) ?? []),
  );
  const rows = errorTable(sources, '').split('\n').slice(2);
  expect(codes.size).toBeGreaterThan(50);
  for (const code of codes) {
    const row = rows.find((line) => line.startsWith(`| \`${code}\` |`));
    expect(row, code).toMatch(/^\| `\w+` \| [23](?:, 3)? \| `[^|]+ \| [^|]+ \| [^|]+ \|$/);
  }
});
