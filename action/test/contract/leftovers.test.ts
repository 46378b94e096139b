import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Leftovers } from '../../src/adapters/host/leftovers.ts';

let fixture: FsFixture;
let path: string;
const started: ChildProcess[] = [];

beforeEach(async () => {
  fixture = await createFixture();
  path = fixture.getPath('processes.json');
});
afterEach(async () => {
  const own = new Leftovers(path);
  for (const { pid } of started.splice(0)) own.add('of the test', pid ?? 0);
  own.kill();
  await fixture.rm();
});

/** A shell in its own session that starts a child, prints its pid, and then runs `then`. */
async function shell(then: string): Promise<{ leader: ChildProcess; pid: number; child: number }> {
  const leader = spawn('sh', ['-c', `sleep 600 & echo $!; ${then}`], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  started.push(leader);
  const [line] = (await once(leader.stdout ?? leader, 'data')) as [Buffer];
  const child = Number(String(line));
  // While the child becomes `sleep`, it has no command line for a moment.
  await expect.poll(() => readFile(`/proc/${child}/cmdline`, 'utf8')).toMatch(/^sleep/);
  return { leader, pid: leader.pid ?? 0, child };
}

/** A process that has ended has no command line, even if nobody has read its exit code. */
const isThere = async (pid: number) =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== '';

describe('a process that an earlier gate left running', () => {
  it('is killed with its children, and reported once', async () => {
    const { pid, child } = await shell('wait');
    new Leftovers(path).add('service', pid);
    expect(new Leftovers(path).kill()).toEqual([`service (process ${pid})`]);
    await expect.poll(() => Promise.all([isThere(pid), isThere(child)])).toEqual([false, false]);
    expect(new Leftovers(path).kill()).toEqual([]);
  });

  it('is reported if only its children still run', async () => {
    const { leader, pid, child } = await shell('read line');
    new Leftovers(path).add('service', pid);
    leader.stdin?.end();
    await once(leader, 'exit');
    expect(await isThere(child)).toBe(true);
    expect(new Leftovers(path).kill()).toEqual([`service (process ${pid})`]);
    await expect.poll(() => isThere(child)).toBe(false);
  });

  it.each([
    ['the process ended', 'startTime', '1'],
    ['the machine restarted', 'boot', 'another boot'],
  ])('is not another process that got its number after %s', async (_, key, value) => {
    const { pid, child } = await shell('wait');
    new Leftovers(path).add('service', pid);
    const [entry] = JSON.parse(await readFile(path, 'utf8')) as [Record<string, unknown>];
    expect(entry).toHaveProperty(key);
    await writeFile(path, JSON.stringify([{ ...entry, [key]: value }]));
    expect(new Leftovers(path).kill()).toEqual([]);
    expect(await Promise.all([isThere(pid), isThere(child)])).toEqual([true, true]);
  });

  it.each(['', '{', '[{"pid":1}]', 'null'])('does not exist in a file with %j', async (text) => {
    await writeFile(path, text);
    expect(new Leftovers(path).kill()).toEqual([]);
  });
});
