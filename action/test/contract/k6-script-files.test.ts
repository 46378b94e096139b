import { symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished } from 'vitest';
import { createK6 } from '../../src/adapters/k6/index.ts';
import { findK6 } from './find-k6.ts';

const k6 = createK6({ binary: findK6() });
const run = 'export default function () {}';

/** A checkout with a script of this text. */
async function checkout(text: string) {
  const fixture = await createFixture({
    'load/script.ts': `${text}\n${run}\nexport function buy() {}`,
    'load/lib/pages.ts': `export const pages = open('./pages.csv');`,
    'load/lib/pages.csv': 'one',
    'load/pages.csv': 'one',
    'load/users.json': '[1]',
    'load/again.ts': `export { one } from '../shared/client.ts';`,
    'load/names.proto': 'syntax = "proto3"; package names; message Name { string text = 1; }',
    'shared/client.ts': 'export const one = 1;',
    'shared/real.json': '[1]',
  });
  onTestFinished(() => fixture.rm());
  symlinkSync('../shared/real.json', join(fixture.path, 'load/link.json'));
  return fixture;
}

async function hashOf(folder: string, env = {}, exec?: string): Promise<string> {
  return (await k6.check(join(folder, 'load/script.ts'), env, exec)).hash;
}

/** Texts that are valid in each kind of file. */
const changed: Readonly<Record<string, string>> = {
  ts: 'export const one = 2; export const pages = 3;',
  json: '[2]',
  csv: 'two',
  proto: 'syntax = "proto3"; package names; message Name { string other = 1; }',
};

interface HiddenChange {
  readonly way: string;
  readonly text: string;
  readonly file: string;
  readonly env?: Readonly<Record<string, string>>;
}

const hidden: readonly HiddenChange[] = [
  { way: 'a helper of another folder', text: `import '../shared/client.ts';`, file: 'shared/client.ts' },
  { way: 'data that open() reads', text: `open('./pages.csv');`, file: 'load/pages.csv' },
  { way: 'JSON', text: `JSON.parse(open('users.json'));`, file: 'load/users.json' },
  { way: 'a symbolic link', text: `open('./link.json');`, file: 'shared/real.json' },
  { way: 'a re-export', text: `import { one } from './again.ts';\none;`, file: 'shared/client.ts' },
  { way: 'a path put together', text: `open(['./pa', 'ges', '.csv'].join(''));`, file: 'load/pages.csv' },
  {
    way: 'a path from a variable',
    text: 'open(`./${__ENV.USERS}.json`);',
    file: 'load/users.json',
    env: { USERS: 'users' },
  },
  { way: 'open() under another name', text: `const o = open;\no('./users.json');`, file: 'load/users.json' },
  {
    way: "a variable of the script's own scenario",
    text: `export const options = { scenarios: { a: {
      executor: 'constant-vus', vus: 1, duration: '1s', env: { USERS: 'users' } } } };
    if (__ENV.USERS) open(__ENV.USERS + '.json');`,
    file: 'load/users.json',
  },
  {
    way: 'a gRPC definition',
    text: `import grpc from 'k6/net/grpc';\nnew grpc.Client().load(['.'], 'names.proto');`,
    file: 'load/names.proto',
  },
  {
    way: 'a stream of k6/experimental/fs',
    text: `import { open as file } from 'k6/experimental/fs';\nawait file('./users.json');`,
    file: 'load/users.json',
  },
  { way: 'require()', text: `require('../shared/client.ts');`, file: 'shared/client.ts' },
  { way: 'a file that an import opens', text: `import './lib/pages.ts';`, file: 'load/lib/pages.csv' },
  { way: 'the script itself', text: '', file: 'load/script.ts' },
];

it.each(hidden)('sees a change of $way', async ({ text, file, env }) => {
  const fixture = await checkout(text);
  const before = await hashOf(fixture.path, env);
  expect(await hashOf(fixture.path, env)).toBe(before);
  const content = file.endsWith('script.ts')
    ? `${run} // changed`
    : (changed[file.replace(/.*\./, '')] ?? '');
  writeFileSync(join(fixture.path, file), content);
  expect(await hashOf(fixture.path, env)).not.toBe(before);
});

it('sees a change of the variables that choose a file', async () => {
  const fixture = await checkout('open(`./${__ENV.FILE}`);');
  const before = await hashOf(fixture.path, { FILE: 'users.json' });
  expect(await hashOf(fixture.path, { FILE: 'pages.csv' })).not.toBe(before);
});

it('sees that two files changed places', async () => {
  const fixture = await checkout(`open('./users.json'); open('./pages.csv');`);
  const before = await hashOf(fixture.path);
  writeFileSync(join(fixture.path, 'load/users.json'), 'one');
  writeFileSync(join(fixture.path, 'load/pages.csv'), '[1]');
  expect(await hashOf(fixture.path)).not.toBe(before);
});

it.each([undefined, 'buy'])('does not depend on where the checkout is, with exec %s', async (exec) => {
  const text = `import { pages } from './lib/pages.ts';\nopen('../shared/real.json');\npages;`;
  const [one, other] = [await checkout(text), await checkout(text)];
  expect(await hashOf(other.path, {}, exec)).toBe(await hashOf(one.path, {}, exec));
});

it('sees a file of a script that runs another function', async () => {
  const fixture = await checkout(`open('./users.json');`);
  const before = await hashOf(fixture.path, {}, 'buy');
  writeFileSync(join(fixture.path, 'load/users.json'), '[2]');
  expect(await hashOf(fixture.path, {}, 'buy')).not.toBe(before);
});

it('does not depend on files that the script does not load', async () => {
  const fixture = await checkout(`import http from 'k6/http';\nhttp; // open('./users.json')`);
  const before = await hashOf(fixture.path);
  writeFileSync(join(fixture.path, 'load/users.json'), '[2]');
  expect(await hashOf(fixture.path)).toBe(before);
});

it('keeps apart files whose names are long or not ASCII', async () => {
  const name = `${'ü'.repeat(60)}/${'x'.repeat(120)}.json`;
  const fixture = await checkout(`open(${JSON.stringify(`./${name}`)});`);
  await fixture.mkdir(`load/${dirname(name)}`);
  await fixture.writeFile(`load/${name}`, '[1]');
  const before = await hashOf(fixture.path);
  await fixture.writeFile(`load/${name}`, '[2]');
  expect(await hashOf(fixture.path)).not.toBe(before);
});
