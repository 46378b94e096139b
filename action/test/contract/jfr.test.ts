import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture, type FsFixture } from 'fs-fixture';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerProfiler } from '../../src/adapters/compose/container-profiler.ts';
import { DockerCli } from '../../src/adapters/compose/docker.ts';
import { Leftovers } from '../../src/adapters/host/leftovers.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { createProcessStack } from '../../src/adapters/process/stack.ts';
import { compareProfiles } from '../../src/judge/profiles/compare-profiles.ts';
import type { BootedService } from '../../src/measure/ports.ts';
import type { StackProfile } from '../../src/model/profile.ts';
import { lackOfEngine, nodeImage } from '../e2e/compose-engine.ts';

const root = join(import.meta.dirname, '../../..');

/** Works in two threads, in ways that its arguments add. */
const program = `
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

class Busy {
  static final Object lock = new Object();
  static volatile long result;

  static long same(long times) {
    long sum = 0;
    for (long i = 0; i < times; i++) sum += i * 31 ^ sum;
    return sum;
  }

  static long dearer(long times) {
    long sum = 1;
    for (long i = 1; i < times; i++) sum += sum / i;
    return sum;
  }

  static void takeTurns() {
    synchronized (lock) {
      result += same(10_000_000);
    }
  }

  static void serve(String how) {
    result += same(1_000_000);
    if (how.contains("dearer")) result += dearer(200_000);
    if (how.contains("lock")) takeTurns();
  }

  public static void main(String[] args) throws Exception {
    var port = Integer.parseInt(System.getenv("PORT"));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    server.start();
    for (int thread = 0; thread < 2; thread++) {
      new Thread(() -> {
        while (true) serve(args[0]);
      }, "worker-" + thread).start();
    }
  }
}`;

const server = `
import { createServer } from 'node:http';
createServer((_, response) => response.end()).listen(Number(process.env.PORT), '127.0.0.1');
`;

const java = join(process.env.JAVA_HOME ?? '/usr', 'bin', 'java');

/** Empty if there is no Java at all. */
function javaVersion(): string {
  try {
    return execFileSync(java, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? '';
  } catch {
    return '';
  }
}

const version = javaVersion();
const isNewEnough = Number(/ (\d+)/.exec(version)?.[1] ?? 0) >= 25;
if (!isNewEnough) process.stderr.write(`no JVM is profiled: JAVA_HOME has no JDK 25, but "${version}"\n`);

let files: FsFixture;

beforeAll(async () => {
  files = await createFixture({ 'Busy.java': program, 'server.mjs': server });
  // The container's user is another one.
  await chmod(files.path, 0o755);
});
afterAll(() => files.rm());

/** Boots a service of that command, and lets `use` have it. */
async function booted<T>(
  command: readonly string[],
  use: (service: BootedService, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  await using work = await createFixture();
  const url = 'http://127.0.0.1:${PORT}';
  const service = {
    env: {},
    ports: { PORT: 'auto' as const },
    url,
    ready: { url, within: 120 },
    stopWithin: 1,
  };
  const stack = createProcessStack({
    config: { root: '.', build: [], backingMetrics: [], service: { ...service, command: [...command] } },
    root: files.path,
    cacheDirectory: work.path,
    workDirectory: work.getPath('a folder'),
    logDirectory: work.getPath('logs'),
    // Would end every command of the JDK, if it got there.
    env: { PATH: process.env.PATH, JAVA_TOOL_OPTIONS: '-agentlib:none-of-that-name' },
    clock: createSystemClock(),
    note: () => undefined,
  });
  const signal = AbortSignal.timeout(300_000);
  try {
    await stack.prepare(signal);
    return await use(await stack.boot(signal), signal);
  } finally {
    await stack.down();
  }
}

function profileOf(how: string): Promise<StackProfile> {
  return booted(['env', '-u', 'JAVA_TOOL_OPTIONS', java, 'Busy.java', how], async ({ profiler }, signal) => {
    if (profiler === undefined || 'unavailable' in profiler) return expect.fail('a JVM has a profiler');
    return await profiler.profile(8, signal);
  });
}

async function expectHeapAndThreads(profiler: BootedService['profiler'], signal: AbortSignal): Promise<void> {
  if (profiler === undefined || 'unavailable' in profiler) return expect.fail('a JVM has a profiler');
  const classes = (await profiler.liveObjects?.(signal)) ?? [];
  expect(classes.find(({ name }) => name === 'java.lang.String')?.bytes).toBeGreaterThan(1000);
  // The program listens before it starts its threads.
  await expect
    .poll(() => profiler.threadDump?.(signal), { timeout: 120_000 })
    .toMatch(/^"worker-0" #\d+[\s\S]*^"worker-1" #\d+/m);
}

describe.skipIf(!isNewEnough)('the profile of a JVM', () => {
  it('names the method that became dearer, its caller, and its share of the CPU', async () => {
    const [base, head] = [await profileOf('same'), await profileOf('same,dearer')];
    expect([base.sampledBy, head.sampledBy]).toEqual(['cpu-time', 'cpu-time']);
    const { cpu, locks } = compareProfiles(base, head);
    expect(cpu.map(({ frame, caller }) => [frame, caller])).toEqual([['Busy.dearer', 'Busy.serve']]);
    expect(cpu[0]?.base).toBe(0);
    expect(locks).toEqual([]);
  });

  it('sees what is alive on its heap, and its threads', async () => {
    await booted(['env', '-u', 'JAVA_TOOL_OPTIONS', java, 'Busy.java', 'same'], ({ profiler }, signal) =>
      expectHeapAndThreads(profiler, signal),
    );
  });

  it('names the method that waits for a lock', async () => {
    const { locks } = compareProfiles(await profileOf('same'), await profileOf('same,lock'));
    expect(locks.map(({ frame, caller }) => [frame, caller])).toEqual([['Busy.takeTurns', 'Busy.serve']]);
  });
});

describe.skipIf(lackOfEngine() !== undefined)('the profile of a JVM in a container', () => {
  /** As the service's own image has it, with the limits of its stack. */
  const image =
    /^ARG JAVA_IMAGE=([^@\s]+)/m.exec(readFileSync(join(root, 'app/Dockerfile'), 'utf8'))?.[1] ?? '';
  const hardened = ['--read-only', '--tmpfs', '/tmp:size=64m', '--init', '--user', '10001:10001'];

  async function inContainer<T>(
    args: readonly string[],
    use: (profiler: BootedService['profiler'], signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const id = execFileSync('docker', ['run', '--detach', '--network', 'none', ...args], {
      encoding: 'utf8',
    }).trim();
    const signal = AbortSignal.timeout(300_000);
    try {
      const client = new DockerCli(process.env, new Leftovers(files.getPath('commands.json')));
      const container = { id, service: 'busy' };
      return await use(await containerProfiler(client, container, createSystemClock(), signal), signal);
    } finally {
      execFileSync('docker', ['rm', '--force', id]);
    }
  }

  it('names its methods, one recording after the other', async () => {
    const source = [
      '--volume',
      `${files.path}:/src:ro`,
      '--env',
      'PORT=80',
      '--env',
      'JDK_JAVA_OPTIONS=-Xmx200m',
    ];
    const command = [image, 'java', '/src/Busy.java', 'same,dearer'];
    await inContainer([...hardened, ...source, ...command], async (profiler, signal) => {
      if (profiler === undefined || 'unavailable' in profiler) return expect.fail('the image has a JDK');
      // Once its threads exist, it is compiled.
      await expectHeapAndThreads(profiler, signal);
      for (const seconds of [3, 4]) {
        const { sampledBy, frames, cpu } = await profiler.profile(seconds, signal);
        expect(sampledBy).toBe('cpu-time');
        expect(cpu.total).toBeGreaterThan(0);
        expect(frames).toContain('Busy.dearer');
      }
    });
  });

  it('does not exist for an image without a JDK, which says so', async () => {
    const idle = ['node', '-e', 'setInterval(() => 0, 1e3)'];
    expect(await inContainer([nodeImage(), ...idle], async (profiler) => profiler)).toEqual({
      unavailable: 'the image of busy has no jcmd and jfr, which a JDK has',
    });
  });
});

it('is not there for a service that runs on no JVM, which says so', async () => {
  const profiler = await booted([process.execPath, 'server.mjs'], async (service) => service.profiler);
  expect(profiler).toEqual({ unavailable: 'the service runs on no JVM' });
});
