import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../src/adapters/config/index.ts';
import { gitIn } from '../../src/entry/checkout-git.ts';
import { judgingChangesSince } from '../../src/entry/judging-since.ts';
import type { JudgingChange } from '../../src/model/verdict.ts';
import { git } from './git-repositories.ts';

let fixture: FsFixture;
let checkout: string;
let text: string;
const path = 'service/perf/gate.yml';

beforeEach(async () => {
  fixture = await createFixture({ 'README.md': '' });
  checkout = fixture.path;
  text = await readFile(join(import.meta.dirname, '../e2e/tiny/gate.yml'), 'utf8');
  git(checkout, ['init', '--quiet', '-b', 'main']);
  git(checkout, ['commit', '--quiet', '--allow-empty', '-m', 'first']);
  await mkdir(join(checkout, 'service/perf'), { recursive: true });
  await write(path, text);
  await write('service/perf/journey.js', 'old');
});

afterEach(() => fixture.rm());

async function write(name: string, content: string): Promise<void> {
  await writeFile(join(checkout, name), content);
}

function commit(): string {
  git(checkout, ['add', '.']);
  git(checkout, ['commit', '--quiet', '-m', 'next']);
  return git(checkout, ['rev-parse', 'HEAD']).trim();
}

function changes(base: string): Promise<readonly JudgingChange[]> {
  const { config, directory } = loadConfig(join(checkout, path));
  const inFolder = gitIn(directory, process.env, new AbortController().signal);
  return judgingChangesSince(inFolder, base, config, path);
}

it('compares settings and files with the base, uncommitted ones too', async () => {
  const base = commit();
  expect(await changes(base)).toEqual([]);
  await write(path, `${text}\ntolerances: { p95: 90% }\n`);
  await write('service/perf/journey.js', 'new');
  await write('README.md', 'new');
  expect(await changes(base)).toEqual([
    { what: 'tolerances.p95', change: '25% → 90%' },
    { what: 'service/perf/journey.js', change: 'changed' },
  ]);
});

it('says that the configuration is new, or cannot be compared', async () => {
  const before = git(checkout, ['rev-parse', 'HEAD']).trim();
  const [readable, broken] = [await changes(before), 'version: 0'];
  expect(readable).toEqual([{ what: 'gate.yml', change: 'new' }]);
  await write(path, broken);
  const base = commit();
  await write(path, text);
  expect(await changes(base)).toEqual([{ what: 'gate.yml', change: 'not readable as the base has it' }]);
});
