import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { groupFolder } from '../../src/adapters/machine/cgroup.ts';
import { CpuCap } from '../../src/adapters/machine/cpu-cap.ts';
import { createPrometheusReader } from '../../src/adapters/machine/prometheus.ts';
import { createProcessStack } from '../../src/adapters/process/stack.ts';
import type { BootedService } from '../../src/measure/ports.ts';
import { scrapeService } from '../../src/measure/scrape.ts';
import { sumOf } from '../../src/measure/signals.ts';
import type { ProcessStackConfig } from '../../src/model/config.ts';
import { lackOfTool } from '../e2e/tool.ts';
import { faultOf } from './fault-of.ts';

const lacksBalancer = lackOfTool('haproxy', 'tests of several instances', '-v') !== undefined;

/** Says who it is, counts its requests, works for a while, and can refuse connections while it goes on running. */
const server = `
import { createServer } from 'node:http';
let requests = 0;
const used = () => process.cpuUsage().user + process.cpuUsage().system;
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://any');
  if (pathname === '/metrics') return response.end('requests_total ' + requests + '\\n');
  if (pathname === '/ready') return response.end();
  requests += 1;
  if (pathname === '/work') for (const end = used() + 5e5; used() < end; ) for (let i = 0; i < 1e6; i += 1);
  response.end(String(process.pid));
  if (pathname === '/close') { server.close(); server.closeAllConnections(); setInterval(() => 0, 1e3); }
}).listen(process.env.PORT, '127.0.0.1');
`;

type Service = ProcessStackConfig['service'];

/** A stack of the server, not yet prepared. */
async function stackOf(service: Partial<Service>, path = process.env.PATH) {
  const fixture = await createFixture({ 'server.mjs': server });
  const notes: string[] = [];
  const stack = createProcessStack({
    config: {
      root: '.',
      build: [],
      backingMetrics: [],
      service: {
        command: [process.execPath, 'server.mjs'],
        env: {},
        ports: { PORT: 'auto' },
        url: 'http://127.0.0.1:${PORT}',
        ready: { url: 'http://127.0.0.1:${PORT}/ready', within: 60 },
        metrics: 'http://127.0.0.1:${PORT}/metrics',
        stopWithin: 1,
        ...service,
      },
    },
    root: fixture.path,
    cacheDirectory: fixture.path,
    workDirectory: fixture.getPath('work'),
    logDirectory: fixture.getPath('logs'),
    env: { PATH: path },
    clock: createSystemClock(),
    note: (text) => notes.push(text),
  });
  const end = async () => {
    await stack.down();
    await fixture.rm();
  };
  return { stack, notes, fixture, [Symbol.asyncDispose]: end };
}

async function bootedOf(service: Partial<Service>) {
  const made = await stackOf(service);
  const signal = AbortSignal.timeout(300_000);
  try {
    await made.stack.prepare(signal);
    await made.stack.up(signal);
    return { ...made, booted: await made.stack.boot(signal), signal };
  } catch (error) {
    await made[Symbol.asyncDispose]();
    throw error;
  }
}

/** Over a connection of its own, because a server closes an idle one. */
const textOf = async (url: string) => (await fetch(url, { headers: { connection: 'close' } })).text();

/** The processes of the instances, in the order of their numbers. */
function pidsOf({ addresses = {} }: BootedService): Promise<readonly number[]> {
  return Promise.all(Object.values(addresses).map(async (origin) => Number(await textOf(`${origin}/pid`))));
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe.skipIf(lacksBalancer)('several instances', () => {
  it('share the requests evenly, and are one service to whoever measures', async () => {
    await using made = await bootedOf({ instances: 3 });
    const { booted, notes, signal, stack } = made;
    expect(Object.keys(booted.addresses ?? {})).toEqual(['instance 1', 'instance 2', 'instance 3']);
    expect(notes.join()).toContain(`HAProxy at ${booted.url} in front of instance 1 at `);
    expect(booted.versions).toMatchObject({ instances: '3', haproxy: expect.stringMatching(/^\d+\.\d+/) });

    const answered = new Map<string, number>();
    for (let request = 0; request < 30; request += 1) {
      const pid = await textOf(booted.url);
      answered.set(pid, (answered.get(pid) ?? 0) + 1);
    }
    expect([...answered.values()]).toEqual([10, 10, 10]);

    const reader = createPrometheusReader();
    const page = await scrapeService(booted, (url) => reader.scrape(url, signal));
    expect(booted.metricsUrls).toHaveLength(3);
    expect(sumOf(page, ['requests_total'])).toBe(30);

    const before = booted.readUsage().service.cpuSeconds;
    await Promise.all(Array.from({ length: 3 }, () => textOf(`${booted.url}/work`)));
    // Each has worked for half a second.
    expect(booted.readUsage().service.cpuSeconds - before).toBeGreaterThan(1.4);
    expect(booted.readBackingCpuSeconds?.()).toHaveProperty('haproxy');
    await booted.verify?.();

    const pids = await pidsOf(booted);
    await stack.down();
    expect(pids.filter(isRunning)).toEqual([]);
    await expect(fetch(booted.url)).rejects.toThrow();
  });

  it('can be one, which is behind the balancer too', async () => {
    await using made = await bootedOf({ instances: 1 });
    const { url, addresses } = made.booted;
    expect(addresses).toEqual({ 'instance 1': expect.not.stringContaining(url) });
    expect(await textOf(url)).toBe(String((await pidsOf(made.booted))[0]));
  });

  it('fail by name if one dies', async () => {
    await using made = await bootedOf({ instances: 2 });
    const [, second = 0] = await pidsOf(made.booted);
    process.kill(second, 'SIGKILL');
    expect(await faultOf(made.booted.failure)).toMatchObject({
      code: 'E_SERVICE_DIED',
      place: 'instance 2',
      cause: 'instance 2 of the service ended unexpectedly, with signal SIGKILL',
    });
  });

  it('fail by name if the balancer loses one that goes on running', async () => {
    await using made = await bootedOf({ instances: 2 });
    const { booted } = made;
    await booted.verify?.();
    const [first = '', second = ''] = Object.values(booted.addresses ?? {});
    const [pid = 0] = await pidsOf(booted);
    await textOf(`${first}/close`);
    // The load need not end before somebody notices.
    expect(await faultOf(booted.failure)).toMatchObject({
      code: 'E_INSTANCE_LOST',
      place: 'instance 1',
      cause: expect.stringMatching(/^the balancer lost instance 1 of 2 \(http:.*\): it is DOWN/),
    });
    expect(await faultOf(booted.verify?.() ?? Promise.resolve())).toMatchObject({ code: 'E_INSTANCE_LOST' });
    expect(isRunning(pid)).toBe(true);
    expect(await textOf(`${second}/pid`)).not.toBe(String(pid));
  });

  it('fail if the balancer dies', async () => {
    await using made = await bootedOf({ instances: 2 });
    const { booted } = made;
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const command = textOfFile(`/proc/${name}/cmdline`);
      if (command.startsWith('haproxy') && command.includes(made.fixture.path))
        process.kill(Number(name), 'SIGKILL');
    }
    expect(await faultOf(booted.failure)).toMatchObject({
      code: 'E_BALANCER',
      cause: expect.stringMatching(/SIGKILL/),
    });
  });

  it('are named if one does not boot', async () => {
    // The first to come makes the folder; the second finds it.
    const command = [
      'sh',
      '-c',
      'mkdir first && exec "$0" server.mjs; echo no room for two; exit 3',
      process.execPath,
    ];
    await expect(bootedOf({ instances: 2, command })).rejects.toMatchObject({
      details: {
        code: 'E_SERVICE_BOOT',
        place: expect.stringMatching(/^instance [12]$/),
        logTail: expect.arrayContaining(['no room for two']),
      },
    });
  });
});

function textOfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

describe('several instances are refused before anything starts', () => {
  const prepared = async (service: Partial<Service>, path?: string) => {
    await using made = await stackOf(service, path);
    return await faultOf(made.stack.prepare(AbortSignal.timeout(300_000)));
  };

  it('without HAProxy', async () => {
    expect(await prepared({ instances: 2 }, '/nonexistent')).toMatchObject({
      code: 'E_BALANCER_MISSING',
      kind: 'usage',
      nextStep: expect.stringContaining('apt-get install haproxy'),
    });
  });

  it('with one port for all', async () => {
    expect(await prepared({ instances: 2, ports: { PORT: 8080 } })).toMatchObject({
      code: 'E_INSTANCE_PORT',
      place: 'stack.process.service.ports.PORT',
    });
  });
});

/** Why no control group can be made here; undefined if one can. */
function lackOfGroups(): string | undefined {
  try {
    CpuCap.create('perf-gate-test', 1).remove();
    return undefined;
  } catch (error) {
    process.stderr.write(`tests of CPU caps are skipped: ${String(error)}\n`);
    return String(error);
  }
}

describe.skipIf(lackOfGroups() !== undefined)('a cap of CPU', () => {
  it('holds for all of the service, and its group goes with it', async () => {
    await using made = await bootedOf({ cpus: 0.25 });
    const { booted, stack } = made;
    const pid = Number(await textOf(booted.url));
    const [cgroup, mountInfo] = [`/proc/${pid}/cgroup`, '/proc/self/mountinfo'].map(textOfFile);
    const { path: group = '', layout } = groupFolder(cgroup ?? '', mountInfo ?? '', 'cpu') ?? {};
    const quotaFile = join(group, layout === 'v1' ? 'cpu.cfs_quota_us' : 'cpu.max');
    const quotaUs = () => Number.parseInt(textOfFile(quotaFile), 10);
    expect(group).toMatch(/perf-gate-[0-9a-f]{12}-1$/);
    expect(booted.versions).toMatchObject({ cpus: '0.25' });
    // Until it is warm it may use a whole core.
    expect(quotaUs()).toBe(100_000);
    await booted.limitCpu?.();
    expect(quotaUs()).toBe(25_000);

    const cpuSeconds = () => booted.readUsage().service.cpuSeconds;
    const [from, begun] = [cpuSeconds(), performance.now()];
    await textOf(`${booted.url}/work`);
    const share = (cpuSeconds() - from) / ((performance.now() - begun) / 1000);
    expect(share).toBeGreaterThan(0);
    // Half a second of work would otherwise take one core.
    expect(share).toBeLessThan(0.5);

    await stack.down();
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(group)).toBe(false);
  });
});
