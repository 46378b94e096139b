import { describe, expect, it } from 'vitest';
import { configSchema } from '../model/config.ts';
import type { BlockTools } from './block.ts';
import type { MeasureOptions, Side } from './context.ts';
import { measureSides } from './measure-sides.ts';
import { planSuite } from './plan.ts';
import type { Progress, Stack } from './ports.ts';

const config = configSchema.parse({
  version: 1,
  name: 'shop',
  stack: {
    process: {
      service: {
        command: ['shop'],
        ports: {},
        url: 'http://127.0.0.1:1',
        ready: { url: 'http://127.0.0.1:1' },
      },
    },
  },
  scenarios: { browse: { script: 'browse.js', loads: { few: { vus: 2 } } } },
  suites: { pr: { cells: ['browse@few'], rounds: 2, guard: '0s', counted: '1s' } },
});

/** A machine on which nothing takes time but waiting. */
function simulated(): BlockTools {
  let atMs = 0;
  return {
    clock: {
      now: () => new Date(atMs),
      monotonicMs: () => atMs,
      wait: async (ms) => {
        atMs += ms;
      },
    },
    machine: {
      describe: () => ({ cpuModel: 'simulated', cpuCount: 2, memoryGiB: 4, os: 'linux', runner: 'local' }),
      read: () => ({ totalSeconds: 0, busySeconds: 0, ioWaitSeconds: 0, stolenSeconds: 0 }),
      readProcesses: () => ({ cpuSeconds: 0, rssBytes: 0 }),
      readSelf: () => ({ cpuSeconds: 0, rssBytes: 0 }),
    },
    metrics: { scrape: async () => [] },
    generator: {
      version: async () => '2.2.0',
      check: async () => undefined,
      start: (_, sink) => {
        sink.request('page', atMs + 5, 5, false);
        return { pid: 1, done: Promise.resolve({ end: { kind: 'finished' }, exceptions: 0, errors: [] }) };
      },
    },
  };
}

const stack: Stack = {
  kind: 'process',
  prepare: async () => undefined,
  up: async () => ({}),
  boot: async () => ({
    url: 'http://127.0.0.1:1',
    metricsUrl: 'http://127.0.0.1:1/metrics',
    readUsage: () => ({
      service: { cpuSeconds: 0, rssBytes: 0 },
      backing: { cpuSeconds: 0, rssBytes: 0 },
    }),
    versions: {},
    dataKey: '',
    failure: new Promise(() => undefined),
  }),
  logTail: () => [],
  down: async () => undefined,
};

function measure(
  tools: BlockTools,
  stackOfHead: Stack,
  progress: Progress[] = [],
  more: Pick<MeasureOptions, 'isWorthLoad'> = {},
) {
  const head: Side = {
    name: 'head',
    id: 'run-1',
    stack: stackOfHead,
    code: { commit: 'a'.repeat(40), branch: 'main', dirty: false },
  };
  const options = {
    config,
    configDirectory: '/perf',
    plan: planSuite(config, 'pr', 'gate.yml'),
    loadHash: '',
    onProgress: (event: Progress) => progress.push(event),
    ...more,
  };
  return measureSides(tools, [head], options, new AbortController().signal);
}

describe('measureSides', () => {
  it('reports what went wrong first, even if the stack then does not stop', async () => {
    const progress: Progress[] = [];
    const up = () => Promise.reject(new Error('the disk is full'));
    const down = () => Promise.reject(new Error('the engine is gone'));
    await expect(measure(simulated(), { ...stack, up, down }, progress)).rejects.toThrow('the disk is full');
    expect(progress).toContainEqual({ kind: 'note', text: expect.stringContaining('the engine is gone') });
  });

  it('fails where the stack does not go down after all went well', async () => {
    const down = () => Promise.reject(new Error('the engine is gone'));
    await expect(measure(simulated(), { ...stack, down })).rejects.toThrow('the engine is gone');
  });

  it('takes the stack down, without load, if what it booted is not worth it', async () => {
    const tools = simulated();
    const asked: unknown[] = [];
    let isDown = false;
    const runs = await measure(
      {
        ...tools,
        generator: { ...tools.generator, start: () => expect.fail('load was put on it') },
        metrics: { scrape: async () => [{ name: 'jvm_info', labels: { version: '25.0.3' }, value: 1 }] },
      },
      {
        ...stack,
        down: async () => {
          isDown = true;
        },
      },
      [],
      {
        isWorthLoad: async (fingerprint) => {
          asked.push(fingerprint);
          return false;
        },
      },
    );
    expect(runs).toEqual([]);
    expect(isDown).toBe(true);
    expect(asked).toEqual([
      {
        ...tools.machine.describe(),
        stack: 'process',
        k6: '2.2.0',
        versions: { jdk: '25.0.3' },
        dataKey: '',
        loadHash: '',
      },
    ]);
  });

  it('says of a service that did not settle that its compiler was busy, if it was', async () => {
    let compiledMs = 0;
    const tools = simulated();
    const busy = {
      scrape: async () => [{ name: 'jvm_compilation_time_ms_total', labels: {}, value: compiledMs }],
    };
    const { start } = tools.generator;
    const [run] = await measure(
      {
        ...tools,
        metrics: busy,
        generator: {
          ...tools.generator,
          start: (...load) => {
            compiledMs += 4000;
            void tools.clock.wait(5000, new AbortController().signal);
            return start(...load);
          },
        },
      },
      stack,
    );
    expect(run?.cells).toEqual([]);
    expect(run?.invalid).toEqual([
      {
        code: 'I_WARM_UP',
        cause:
          'the service had not settled after 300 s of warm-up: the JIT still compiled for 800 ms per second, above the limit of 250',
        nextStep: expect.stringContaining('warmUp.cap'),
      },
    ]);
  });

  it("knows the runtime's version also where the metrics hang once there was load", async () => {
    const tools = simulated();
    let loaded = false;
    const { start } = tools.generator;
    const [run] = await measure(
      {
        ...tools,
        generator: {
          ...tools.generator,
          start: (...load) => {
            loaded = true;
            return start(...load);
          },
        },
        metrics: {
          scrape: async () => (loaded ? [] : [{ name: 'jvm_info', labels: { version: '25.0.3' }, value: 1 }]),
        },
      },
      stack,
    );
    expect(run?.fingerprint.versions).toEqual({ jdk: '25.0.3' });
    expect(run?.cells.map(({ blocks }) => blocks.length)).toEqual([2]);
  });
});
