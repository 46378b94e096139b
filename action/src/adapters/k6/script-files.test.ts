import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, expect, it } from 'vitest';
import { hashScripts } from './script-files.ts';

let fixture: FsFixture;

afterEach(() => fixture.rm());

/** Returns true if a change of the file changes the hash of a script with this text. */
async function dependsOn(text: string, file: string): Promise<boolean> {
  fixture = await createFixture({
    'load/script.ts': text,
    'load/lib/pages.ts': `export const pages = open('pages.csv');`,
    'load/lib/pages.csv': 'one',
    'load/pages.csv': 'one',
    'load/users.json': '[1]',
    'shared/client.ts': 'export const one = 1;',
  });
  const hash = () => hashScripts([join(fixture.path, 'load/script.ts')], fixture.path, '');
  const before = hash();
  writeFileSync(join(fixture.path, file), 'changed');
  return hash() !== before;
}

it.each([
  [`open('./users.json')`, 'load/users.json'],
  [`open('users.json')`, 'load/users.json'],
  ['open("users.json", "b")', 'load/users.json'],
  ['open( `users.json` )', 'load/users.json'],
  [`open(\n  'lib/../users.json',\n)`, 'load/users.json'],
  [`import { one } from '../shared/client.ts';`, 'shared/client.ts'],
  [`import"../shared/client.ts"`, 'shared/client.ts'],
  [`export * from "../shared/client.ts";`, 'shared/client.ts'],
  ['await import(`../shared/client.ts`)', 'shared/client.ts'],
  [`const { one } = require('../shared/client.ts');`, 'shared/client.ts'],
  ['require(`../shared/client.ts`)', 'shared/client.ts'],
  // k6 searches the folder of the file that calls open(), or the script's if the script called that file.
  [`import { pages } from './lib/pages.ts';`, 'load/lib/pages.csv'],
  [`import { pages } from './lib/pages.ts';`, 'load/pages.csv'],
])('%s: changing the file changes the load', async (text, file) => {
  expect(await dependsOn(text, file)).toBe(true);
});

it('follows an absolute path', async () => {
  const elsewhere = await createFixture({ 'users.json': '[1]' });
  try {
    fixture = await createFixture({ 'script.ts': `open('${elsewhere.path}/users.json')` });
    const hash = () => hashScripts([join(fixture.path, 'script.ts')], fixture.path, '');
    const before = hash();
    writeFileSync(join(elsewhere.path, 'users.json'), '[2]');
    expect(hash()).not.toBe(before);
  } finally {
    await elsewhere.rm();
  }
});

it.each([
  [`import http from 'k6/http';`, 'load/users.json'],
  [`reopen('users.json')`, 'load/users.json'],
])('%s: other files do not belong to the load', async (text, file) => {
  expect(await dependsOn(text, file)).toBe(false);
});

it.each([
  `open('none.json')`,
  `open('')`,
  `open('.')`,
  `open('lib')`,
  `open('https://example.org/users.json')`,
  'open(`${__ENV.USERS}.json`)',
  `open('${'x'.repeat(5_000)}')`,
  `open('users\0.json')`,
])('%s: a name that is no file is left to k6', async (text) => {
  expect(await dependsOn(text, 'load/users.json')).toBe(false);
});
