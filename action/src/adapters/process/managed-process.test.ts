import { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
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

it('reads a log every few milliseconds and not line by line, because its CPU time counts as that of the load', async () => {
  await using fixture = await createFixture();
  const count = 50_000;
  const masked = vi.fn((text: string) => text.replaceAll('hush', '***'));
  const begun = performance.now();
  const process = await ManagedProcess.start({
    command: ['sh', '-c', `i=0; while [ $i -lt ${count} ]; do echo the word is hush; i=$((i+1)); done`],
    cwd: fixture.path,
    env: { PATH: path },
    logFile: fixture.getPath('log'),
    masked,
    onStart: () => undefined,
  });
  await process.exit;
  const passedMs = performance.now() - begun;
  const line = 'the word is ***';
  await expect.poll(() => readFileSync(fixture.getPath('log'), 'utf8')).toBe(`${line}\n`.repeat(count));
  // A timer may fire up to a millisecond early.
  expect(masked.mock.calls.length).toBeLessThan(passedMs / 4 + 2);
  expect(process.logTail(2)).toEqual([line, line]);
});
