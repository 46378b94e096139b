import { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createFixture } from 'fs-fixture';
import { afterEach, expect, it, vi } from 'vitest';
import { ManagedProcess } from './managed-process.ts';

afterEach(() => vi.restoreAllMocks());

const path = globalThis.process.env.PATH;

it('stops a program that this user may not signal, once its input has ended', async () => {
  await using fixture = await createFixture();
  const process = await ManagedProcess.start({
    command: ['sh', '-c', 'while read -r line; do :; done; exit 7'],
    cwd: fixture.path,
    env: { PATH: path },
    logFile: fixture.getPath('log'),
    masked: (line) => line,
    onStart: () => undefined,
  });
  // What Node does when the kernel answers EPERM.
  vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(function (this: ChildProcess) {
    this.emit('error', Object.assign(new Error('kill EPERM'), { code: 'EPERM' }));
    return false;
  });
  await process.stop(20);
  expect(process.ended).toEqual({ code: 7, signal: null });
});

it('masks a log in far fewer pieces than it has lines, because their CPU time counts as that of the load', async () => {
  await using fixture = await createFixture({ log: 'of the check before\n' });
  const count = 50_000;
  const masked = vi.fn((text: string) => text.replaceAll('hush', '***'));
  const process = await ManagedProcess.start({
    command: [
      'sh',
      '-c',
      `i=0; while [ $i -lt ${count} ]; do echo the word is hush; i=$((i+1)); done; echo last >&2`,
    ],
    cwd: fixture.path,
    env: { PATH: path },
    logFile: fixture.getPath('log'),
    masked,
    onStart: () => undefined,
  });
  await process.exit;
  const line = 'the word is ***';
  const log = `of the check before\n${`${line}\n`.repeat(count)}last\n`;
  await expect.poll(() => readFileSync(fixture.getPath('log'), 'utf8')).toBe(log);
  expect(process.logTail(2)).toEqual([line, 'last']);
  expect(masked.mock.calls.length).toBeLessThan(count / 100);
  expect(readdirSync(fixture.path)).toEqual(['log']);
});

it('does not wait for anybody to read what it prints, and shows it while it runs', async () => {
  await using fixture = await createFixture();
  const process = await ManagedProcess.start({
    // More than a pipe holds, and then a sign that all of it was written.
    command: ['sh', '-c', 'head -c 4000000 /dev/zero | tr "\\0" "x"; echo; touch written; read -r line'],
    cwd: fixture.path,
    env: { PATH: path },
    logFile: fixture.getPath('log'),
    masked: (text) => text,
    onStart: () => undefined,
  });
  // Blocks the event loop, as the counting of samples may.
  const give = performance.now() + 60_000;
  while (!existsSync(fixture.getPath('written')) && performance.now() < give);
  expect(existsSync(fixture.getPath('written'))).toBe(true);
  expect(process.logTail(1)).toEqual(['x'.repeat(2_000)]);
  await process.stop(20);
});
