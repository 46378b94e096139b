import { describe, expect, it } from 'vitest';
import { configSchema } from '../model/config.ts';
import type { WarmUpWindow } from '../model/run.ts';
import type { BootedService, LoadGenerator, LoadResult, LoadSpec, Machine } from './ports.ts';
import { hasSettled, nextVus, warmUp } from './warm-up.ts';

const rule = { vus: 20, settledWindows: 3, latencyTolerance: 0.1, compileMsPerSecond: 100 };
const windows = (means: number[], compile?: number, vus = 20): WarmUpWindow[] =>
  means.map((meanMs) => ({
    seconds: 5,
    vus,
    requests: 100,
    errors: 0,
    meanMs,
    ...(compile === undefined ? {} : { compileMsPerSecond: compile }),
  }));

describe('hasSettled', () => {
  it('wants as many windows as are to agree', () => {
    expect(hasSettled(windows([10, 10]), rule)).toBe(false);
    expect(hasSettled(windows([10, 10, 10]), rule)).toBe(true);
  });

  it('looks at the newest windows alone', () => {
    expect(hasSettled(windows([90, 40, 10, 10.5, 10.2]), rule)).toBe(true);
    expect(hasSettled(windows([10, 10, 14, 10]), rule)).toBe(false);
  });

  it('does not wait for a quieter machine where the service no longer becomes faster', () => {
    expect(hasSettled(windows([28, 18, 15, 13.5]), rule)).toBe(false);
    expect(hasSettled(windows([18, 15, 13.5, 17]), rule)).toBe(true);
  });

  it('waits for the compiler, where it is known', () => {
    expect(hasSettled(windows([10, 10, 10], 400), rule)).toBe(false);
    expect(hasSettled(windows([10, 10, 10], 20), rule)).toBe(true);
  });

  it('does not take silence for a steady state', () => {
    for (const means of [
      [0, 0, 0],
      [0, 0, 10],
      [10, 0, 10],
    ]) {
      expect(hasSettled(windows(means), rule)).toBe(false);
    }
  });

  it('does not count windows of light load', () => {
    expect(hasSettled(windows([2, 2, 2], 20, 1), rule)).toBe(false);
    expect(hasSettled([...windows([2, 2], 20, 1), ...windows([10, 10], 20)], rule)).toBe(false);
  });
});

describe('nextVus', () => {
  it('loads lightly at first and while the compiler is busy, fully once it has little left to do', () => {
    expect(nextVus([], rule)).toBe(1);
    expect(nextVus(windows([9], 900, 1), rule)).toBe(1);
    expect(nextVus(windows([9], 250, 1), rule)).toBe(1);
    expect(nextVus(windows([9], 150, 1), rule)).toBe(20);
  });

  it('keeps the full load, whatever it makes the compiler do', () => {
    expect(nextVus(windows([9], 900, 20), rule)).toBe(20);
  });

  it('loads fully where nothing is known of a compiler', () => {
    expect(nextVus(windows([9], undefined, 1), rule)).toBe(20);
  });
});

describe('warmUp', () => {
  const machine: Machine = {
    describe: () => ({ cpuModel: 'simulated', cpuCount: 2, memoryGiB: 4, os: 'linux', runner: 'local' }),
    read: () => ({ totalSeconds: 0, busySeconds: 0, ioWaitSeconds: 0, stolenSeconds: 0, load: 0 }),
    readProcesses: () => ({ cpuSeconds: 0, rssBytes: 0 }),
    readSelf: () => ({ cpuSeconds: 0, rssBytes: 0 }),
  };
  const silent = {
    logTail: () => [],
    onProgress: () => undefined,
    keepSeconds: async () => undefined,
  };

  /** Answers each load with one request that took 5 ms. */
  function generator(specs: LoadSpec[], failed = false): LoadGenerator {
    return {
      version: async () => '2.2.0',
      check: async () => ({ env: {}, replaced: [], hash: '' }),
      start: (spec, sink) => {
        specs.push(spec);
        sink.request('page', 1_000, 5, failed, 0);
        return { pids: [1], done: Promise.resolve({ end: { kind: 'finished' }, exceptions: 0, errors: [] }) };
      },
    };
  }

  const service: BootedService = {
    url: 'http://127.0.0.1:1',
    readUsage: () => ({
      service: { cpuSeconds: 0, rssBytes: 0 },
      backing: { cpuSeconds: 0, rssBytes: 0 },
    }),
    versions: {},
    dataKey: '',
    failure: new Promise(() => undefined),
  };

  it('runs every scenario with its variables, as a block does', async () => {
    const specs: LoadSpec[] = [];
    const tools = {
      generator: generator(specs),
      machine,
      metrics: { scrape: async () => [] },
      clock: { now: () => new Date(0), monotonicMs: () => specs.length, wait: async () => undefined },
    };
    const config = configSchema.shape.warmUp.parse({ vus: 20 });
    const scenarios = [
      { script: '/browse.ts', env: {} },
      { script: '/book.ts', env: { POLL: '0.5', BASE_URL: 'http://elsewhere' } },
    ];

    const { steady } = await warmUp(
      tools,
      { config, scenarios, service, mustAnswer: true, ...silent },
      new AbortController().signal,
    );

    expect(steady).toBe(true);
    expect(specs.slice(0, 2).map(({ script, env }) => ({ script, env }))).toEqual([
      { script: '/browse.ts', env: { BASE_URL: service.url, VU_OFFSET: '0' } },
      { script: '/book.ts', env: { POLL: '0.5', BASE_URL: service.url, VU_OFFSET: '20' } },
    ]);
  });

  it.each([
    ['only the machine reports it', [], []],
    [
      'its metrics tell of it, before the machine,',
      ['http://127.0.0.1:1/metrics'],
      [{ name: 'jvm_compilation_time_ms_total', labels: {}, value: 0 }],
    ],
  ])('follows the compile time where %s', async (_, metricsUrls, series) => {
    const specs: LoadSpec[] = [];
    const asked = metricsUrls.length === 0;
    const tools = {
      generator: generator(specs),
      machine,
      metrics: { scrape: async () => series },
      clock: { now: () => new Date(0), monotonicMs: () => specs.length * 1000, wait: async () => undefined },
    };
    // Busy for the first four windows.
    const readCompileMs = () => Math.min(4, specs.length) * 900;
    const { windows } = await warmUp(
      tools,
      {
        config: configSchema.shape.warmUp.parse({ vus: 20 }),
        scenarios: [{ script: '/browse.ts', env: {} }],
        service: { ...service, readCompileMs, metricsUrls },
        mustAnswer: true,
        ...silent,
      },
      new AbortController().signal,
    );
    expect(windows.map(({ vus }) => vus)).toEqual(asked ? [1, 1, 1, 1, 1, 20, 20, 20] : [1, 20, 20, 20]);
  });

  it('refuses a service that answers nothing as it should, unless it is base', async () => {
    const specs: LoadSpec[] = [];
    const tools = {
      generator: generator(specs, true),
      machine,
      metrics: { scrape: async () => [] },
      clock: { now: () => new Date(0), monotonicMs: () => specs.length, wait: async () => undefined },
    };
    const options = {
      config: configSchema.shape.warmUp.parse({ vus: 20 }),
      scenarios: [{ script: '/new.ts', env: {} }],
      service,
      ...silent,
    };
    const { signal } = new AbortController();
    await expect(warmUp(tools, { ...options, mustAnswer: true }, signal)).rejects.toThrow('E_SERVICE_ERRORS');
    expect((await warmUp(tools, { ...options, mustAnswer: false }, signal)).steady).toBe(true);
  });

  it('ends the other loads when one cannot go on', async () => {
    const signals: AbortSignal[] = [];
    const broken: LoadGenerator = {
      ...generator([]),
      start: (_, __, signal) => {
        signals.push(signal);
        const done = Promise.withResolvers<LoadResult>();
        signal.addEventListener('abort', () => done.reject(signal.reason));
        if (signals.length === 1) done.reject(new Error('its samples cannot be read'));
        return { pids: [1], done: done.promise };
      },
    };
    const tools = {
      generator: broken,
      machine,
      metrics: { scrape: async () => [] },
      clock: { now: () => new Date(0), monotonicMs: () => 0, wait: async () => undefined },
    };
    const options = {
      config: configSchema.shape.warmUp.parse({}),
      scenarios: ['/browse.ts', '/book.ts'].map((script) => ({ script, env: {} })),
      service,
      mustAnswer: true,
      ...silent,
    };
    await expect(warmUp(tools, options, new AbortController().signal)).rejects.toThrow('cannot be read');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});
