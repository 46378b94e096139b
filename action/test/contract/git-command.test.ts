import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { forkPoint } from '../../src/adapters/git/base-checkout.ts';
import { readCode } from '../../src/adapters/git/checkout.ts';
import { Git } from '../../src/adapters/git/command.ts';
import { Secrets } from '../../src/adapters/host/secrets.ts';
import { childEnvironment } from '../../src/entry/github/child-environment.ts';
import { git } from './git-repositories.ts';

let fixture: FsFixture;
let checkout: string;

/** A program that writes the relevant part of its environment to `kept`, and then runs git. */
async function plant(path: string, kept: string): Promise<void> {
  await writeFile(
    path,
    `#!/bin/sh\nenv | grep -E '^(INPUT|ACTIONS|GIT)_|token-of-the' >>"${kept}"\nPATH="${process.env.PATH}" exec git "$@"\n`,
  );
  await chmod(path, 0o755);
}

beforeEach(async () => {
  fixture = await createFixture({
    'checkout/node_modules/.bin/x': '',
    'node_modules/.bin/x': '',
    'bin/x': '',
  });
  checkout = fixture.getPath('checkout');
  git(checkout, ['init', '--quiet', '-b', 'main']);
  git(checkout, ['commit', '--quiet', '--allow-empty', '-m', 'first']);
  vi.stubEnv('INPUT_GITHUB-TOKEN', 'token-of-the-job');
  vi.stubEnv('ACTIONS_RUNTIME_TOKEN', 'token-of-the-runner');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await fixture.rm();
});

/** Git as the Action runs it, or the program in `bin` if the test has put one there. */
function cleanGit(): Git {
  const PATH = `${fixture.getPath('bin')}:${process.env.PATH}`;
  return new Git({
    directory: checkout,
    env: { ...childEnvironment(process.env), PATH },
    secrets: new Secrets(),
    signal: new AbortController().signal,
    withinMs: 20_000,
  });
}

it('runs no program from the checkout or from a folder above it', async () => {
  const kept = fixture.getPath('planted.txt');
  await plant(join(checkout, 'node_modules/.bin/git'), kept);
  await plant(fixture.getPath('node_modules/.bin/git'), kept);
  expect((await readCode(cleanGit())).branch).toBe('main');
  expect(await forkPoint(cleanGit())).toMatch(/^[0-9a-f]{40}$/);
  await expect(readFile(kept)).rejects.toThrow('ENOENT');
});

it('gives git only its own environment, and nothing of the gate', async () => {
  const kept = fixture.getPath('seen.txt');
  await plant(fixture.getPath('bin/git'), kept);
  await cleanGit().output(['status'], { env: { GIT_OPTIONAL_LOCKS: '0' } });
  await readCode(cleanGit());
  await forkPoint(cleanGit());
  const seen = await readFile(kept, 'utf8');
  expect(seen).toContain('GIT_OPTIONAL_LOCKS=0');
  expect(seen).toContain('GIT_TERMINAL_PROMPT=0');
  expect(seen).not.toMatch(/^(INPUT_|ACTIONS_)|token-of-the/m);
});
