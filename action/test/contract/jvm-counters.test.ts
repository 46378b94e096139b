import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseJvmCounters, readCompileMs } from '../../src/adapters/process/jvm-counters.ts';

/** Prints a line once it runs. Keeps the JIT busy after the first byte of its input, until the next one. */
const program = `
class Busy {
  public static void main(String[] args) throws Exception {
    System.out.println("running");
    System.in.read();
    var text = new StringBuilder();
    for (int i = 0; System.in.available() == 0; i++) {
      text.append(Integer.toHexString(i * 31)).reverse();
      if (text.length() > 4096) text.setLength(0);
    }
  }
}`;
const jdk = (tool: string) => join(process.env.JAVA_HOME ?? '/usr', 'bin', tool);

let files: FsFixture;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  files = await createFixture({ 'Busy.java': program });
  execFileSync(jdk('javac'), ['Busy.java'], { cwd: files.path });
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await files.rm();
});

/** A JVM that runs the program, and what keeps its JIT busy. */
async function jvm(...options: string[]): Promise<{ pid: number; keepBusy: () => void }> {
  const child = spawn(jdk('java'), [...options, '-cp', files.path, 'Busy'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  ends.push(() => {
    child.stdin.end('end');
    return ended;
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return { pid: child.pid ?? 0, keepBusy: () => child.stdin.write('1') };
}

/** What the JDK's own tool reports. */
function jstatMs(pid: number): number {
  const [, figures = ''] = execFileSync(jdk('jstat'), ['-compiler', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  }).split('\n');
  return Number(figures.trim().split(/\s+/)[3]) * 1000;
}

describe('the compile time of a JVM', () => {
  it('is what jstat shows, and grows', async () => {
    const { pid, keepBusy } = await jvm();
    const before = readCompileMs([process.pid, pid]) ?? Number.NaN;
    // 0 is right for a JVM whose first methods are still being compiled.
    expect(before).toBeGreaterThanOrEqual(0);
    keepBusy();
    await expect.poll(() => readCompileMs([pid])).toBeGreaterThan(before);
    const lower = readCompileMs([pid]) ?? Number.NaN;
    const shown = jstatMs(pid);
    // jstat shows hundredths of a second.
    expect(shown).toBeGreaterThanOrEqual(lower - 10);
    expect(shown).toBeLessThanOrEqual((readCompileMs([pid]) ?? Number.NaN) + 10);
  });

  it('adds up over the JVMs of a service', async () => {
    const jvms = [await jvm(), await jvm()];
    const pids = jvms.map(({ pid }) => pid);
    for (const { keepBusy } of jvms) keepBusy();
    for (const pid of pids) await expect.poll(() => readCompileMs([pid])).toBeGreaterThan(0);
    const apart = pids.map((pid) => readCompileMs([pid]) ?? Number.NaN);
    expect(readCompileMs(pids)).toBeGreaterThanOrEqual(apart.reduce((sum, ms) => sum + ms, 0));
  });

  it('is unknown for a JVM without counters, for other programs and for ended processes', async () => {
    expect(readCompileMs([(await jvm('-XX:-UsePerfData')).pid])).toBeUndefined();
    expect(readCompileMs([process.pid])).toBeUndefined();
    expect(readCompileMs([2 ** 22 + 1])).toBeUndefined();
    expect(readCompileMs([])).toBeUndefined();
  });

  it('is read from an incomplete or broken file without an error', async () => {
    const { pid } = await jvm();
    const [path = ''] = /\/tmp\/hsperfdata_.*$/m.exec(readFileSync(`/proc/${pid}/maps`, 'utf8')) ?? [];
    const whole = readFileSync(path);
    const all = parseJvmCounters(whole);
    expect(all.get('sun.os.hrt.frequency')).toBeGreaterThan(0);
    for (let length = 0; length < whole.length; length += 61) {
      for (const [name, value] of parseJvmCounters(whole.subarray(0, length)))
        expect(all.get(name)).toBe(value);
    }
    expect(parseJvmCounters(Buffer.from('something else altogether, and long enough')).size).toBe(0);
    const broken = Buffer.from(whole);
    // First the name and value of every entry point before the file, then the entries themselves.
    for (let at = broken.readInt32LE(24), left = broken.readInt32LE(28); left > 0; left -= 1) {
      const length = broken.readInt32LE(at);
      for (const field of [4, 16]) broken.writeInt32LE(-100_000, at + field);
      at += length;
    }
    expect(parseJvmCounters(broken).size).toBe(0);
    broken.writeInt32LE(-8, 24);
    expect(parseJvmCounters(broken).size).toBe(0);
  });
});
