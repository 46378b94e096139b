import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';

const script = resolve(import.meta.dirname, '../../../.ci/run');
const wanted = 'npm mvn curl python3 influxd prometheus haproxy cc go chromium'.split(' ');
const isRoot = process.getuid?.() === 0;

/** Runs it where only these programs are installed, without tests. Returns what it said, and what apt-get was asked for. */
async function run(installed: readonly string[]) {
  await using fixture = await createFixture();
  const stub = (path: string, text: string) =>
    writeFileSync(join(fixture.path, path), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  for (const folder of ['bin', '.ci']) mkdirSync(join(fixture.path, folder));
  copyFileSync(script, join(fixture.path, '.ci/run'));
  stub('.ci/docker', 'exit 0');
  stub('gate', 'exit 0');
  stub('bin/apt-get', 'echo "$@" >> "$ASKED"');
  for (const name of installed) stub(join('bin', name), 'exit 0');
  symlinkSync('/usr/bin/dirname', join(fixture.path, 'bin/dirname'));
  const asked = join(fixture.path, 'asked');
  const env = { PATH: join(fixture.path, 'bin'), ASKED: asked };
  const { status, stderr } = spawnSync('/bin/bash', [join(fixture.path, '.ci/run')], {
    env,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return { stderr, asked: existsSync(asked) ? readFileSync(asked, 'utf8') : '' };
}

it('installs what is missing and says so, or says that only root could', async () => {
  const { stderr, asked } = await run(wanted.filter((name) => name !== 'haproxy'));
  if (isRoot) {
    expect(stderr).toBe('.ci/run: installing haproxy\n');
    expect(asked).toBe('update -qq\ninstall -y -qq --no-install-recommends haproxy\n');
  } else {
    expect(stderr).toMatch(/^\.ci\/run: this machine lacks haproxy; install it, as root does/);
    expect(asked).toBe('');
  }
});

it('installs nothing where nothing is missing', async () => {
  expect(await run(wanted)).toEqual({ stderr: '', asked: '' });
});
