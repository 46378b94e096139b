import { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManagedProcess } from './managed-process.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

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

describe('the log of a process', () => {
  const atMost = { timeout: 50_000 };

  async function start(fixture: FsFixture, script: string, masked = (text: string) => text) {
    return ManagedProcess.start({
      command: ['sh', '-c', script],
      cwd: fixture.path,
      env: { PATH: path },
      logFile: fixture.getPath('log'),
      masked,
      onStart: () => undefined,
    });
  }
  const logOf = (fixture: FsFixture) => () => readFileSync(fixture.getPath('log'), 'utf8');

  it('is masked in far fewer pieces than it has lines, because masking takes CPU time from the load', async () => {
    await using fixture = await createFixture({ log: 'of the check before\n' });
    const count = 50_000;
    const masked = vi.fn((text: string) => text.replaceAll('hush', '***'));
    const lines = `i=0; while [ $i -lt ${count} ]; do echo the word is hush; i=$((i+1)); done`;
    const process = await start(fixture, `${lines}; echo last >&2`, masked);
    await process.exit;
    const line = 'the word is ***';
    const log = `of the check before\n${`${line}\n`.repeat(count)}last\n`;
    await expect.poll(logOf(fixture), atMost).toBe(log);
    expect(process.logTail(2)).toEqual([line, 'last']);
    expect(masked.mock.calls.length).toBeLessThan(count / 100);
    expect(readdirSync(fixture.path)).toEqual(['log']);
  });

  it('takes what the process prints even if nobody reads it, and is shown while the process runs', async () => {
    await using fixture = await createFixture();
    // More than a pipe holds, and then a sign that all of it was written.
    const process = await start(
      fixture,
      `head -c 4000000 /dev/zero | tr '\\0' x; echo; touch written; read -r line`,
    );
    // Blocks the event loop, as the counting of samples may.
    const until = performance.now() + 50_000;
    while (!existsSync(fixture.getPath('written')) && performance.now() < until);
    const isWritten = existsSync(fixture.getPath('written'));
    const tail = process.logTail(1);
    await process.stop(20);
    expect(isWritten).toBe(true);
    expect(tail).toEqual(['x'.repeat(2_000)]);
  });

  it('has what a script writes after it has emptied the file', async () => {
    await using fixture = await createFixture();
    const process = await start(
      fixture,
      'echo a long first line; until [ -e go ]; do :; done; echo short > /dev/stderr; echo last',
    );
    await expect.poll(() => process.logTail(), atMost).toEqual(['a long first line']);
    writeFileSync(fixture.getPath('go'), '');
    await process.exit;
    expect(process.logTail()).toEqual(['a long first line', 'short', 'last']);
    await expect.poll(logOf(fixture), atMost).toBe('a long first line\nshort\nlast\n');
  });

  it('has what is printed by a program that the process has left running', async () => {
    await using fixture = await createFixture();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const process = await start(
      fixture,
      '(while kill -0 $$ 2>/dev/null; do :; done; echo why it failed) & exit 1',
    );
    await expect.poll(() => process.logTail(), atMost).toEqual(['why it failed']);
    vi.runAllTimers();
    expect(await process.exit).toEqual({ code: 1, signal: null });
  });
});
