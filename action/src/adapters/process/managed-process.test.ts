import { ChildProcess } from 'node:child_process';
import { createFixture } from 'fs-fixture';
import { afterEach, expect, it, vi } from 'vitest';
import { ManagedProcess } from './managed-process.ts';

afterEach(() => vi.restoreAllMocks());

it('stops a program that this user may not signal, once its input has ended', async () => {
  await using fixture = await createFixture();
  const process = await ManagedProcess.start({
    command: ['sh', '-c', 'while read -r line; do :; done; exit 7'],
    cwd: fixture.path,
    env: { PATH: globalThis.process.env.PATH },
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
