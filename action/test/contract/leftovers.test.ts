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

/** A shell in a session of its own that starts a child, prints its pid, and then runs `then`. */
async function shell(then: string): Promise<{ leader: ChildProcess; pid: number; child: number }> {
  const leader = spawn('sh', ['-c', `sleep 600 & echo $!; ${then}`], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  started.push(leader);
  const [line] = (await once(leader.stdout ?? leader, 'data')) as [Buffer];
  return { leader, pid: leader.pid ?? 0, child: Number(String(line)) };
}

/** One that has ended has no command line any more, even where nobody asks what became of it. */
const isThere = async (pid: number) =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== '';

describe('what an earlier gate left running', () => {
  it('is killed with all that it started, and reported once', async () => {
    const { pid, child } = await shell('wait');
    new Leftovers(path).add('service', pid);
    expect(new Leftovers(path).kill()).toEqual([`service (process ${pid})`]);
    await expect.poll(() => Promise.all([isThere(pid), isThere(child)])).toEqual([false, false]);
    expect(new Leftovers(path).kill()).toEqual([]);
  });

  it('is killed where only what it started is left', async () => {
    const { leader, pid, child } = await shell('read line');
    new Leftovers(path).add('service', pid);
    leader.stdin?.end();
    await once(leader, 'exit');
    expect(await isThere(child)).toBe(true);
    expect(new Leftovers(path).kill()).toEqual([`service (process ${pid})`]);
    await expect.poll(() => isThere(child)).toBe(false);
  });

  it.each([
    ['ended on its own', 'startTime', '1'],
    ['ran before the machine was started anew', 'boot', 'another boot'],
  ])('is nobody else who was given its number after it %s', async (_, key, value) => {
    const { pid, child } = await shell('wait');
    new Leftovers(path).add('service', pid);
    const [entry] = JSON.parse(await readFile(path, 'utf8')) as [Record<string, unknown>];
    expect(entry).toHaveProperty(key);
    await writeFile(path, JSON.stringify([{ ...entry, [key]: value }]));
    expect(new Leftovers(path).kill()).toEqual([]);
    expect(await Promise.all([isThere(pid), isThere(child)])).toEqual([true, true]);
  });

  it.each(['', '{', '[{"pid":1}]', 'null'])('is nothing in a file that holds %j', async (text) => {
    await writeFile(path, text);
    expect(new Leftovers(path).kill()).toEqual([]);
  });
});
