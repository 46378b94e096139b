import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Leftovers } from '../../src/adapters/host/leftovers.ts';
import { tearDown } from '../../src/entry/action/tear-down.ts';
import { openWorkspace } from '../../src/entry/workspace.ts';

it('ends what a killed check left running before it frees the lock', async () => {
  await using fixture = await createFixture();
  const { lockFile, workDirectory } = openWorkspace(fixture.path, '');
  await mkdir(workDirectory, { recursive: true });
  const service = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const ended = once(service, 'exit');
  onTestFinished(() => void service.kill('SIGKILL'));
  new Leftovers(join(workDirectory, 'processes.json')).add('service', service.pid ?? 0);
  // No process started at that time, so its holder is gone.
  const holder = { pid: process.pid, startTime: '1', host: hostname(), since: '2026-01-01T00:00:00Z' };
  await writeFile(lockFile, JSON.stringify(holder));

  const kill = process.kill.bind(process);
  const lockedAtKill: boolean[] = [];
  const spy = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    lockedAtKill.push(existsSync(lockFile));
    return kill(pid, signal);
  });
  onTestFinished(() => spy.mockRestore());
  expect(await tearDown({ root: fixture.path, stack: 'process' }, {})).toEqual([
    `service (process ${service.pid})`,
  ]);

  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(lockedAtKill).not.toEqual([]);
  expect(lockedAtKill).not.toContain(false);
  expect(existsSync(lockFile)).toBe(false);
});
