import type { BlockTools } from '../../src/measure/block.ts';
import type { Stack } from '../../src/measure/ports.ts';
import { configSchema } from '../../src/model/config.ts';

export const input = {
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
};
export const config = configSchema.parse(input);

/** A machine on which nothing takes time but waiting. */
export function simulated(): BlockTools {
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
      read: () => ({ totalSeconds: 0, busySeconds: 0, ioWaitSeconds: 0, stolenSeconds: 0, load: 0 }),
      readProcesses: () => ({ cpuSeconds: 0, rssBytes: 0 }),
      readSelf: () => ({ cpuSeconds: 0, rssBytes: 0 }),
    },
    metrics: { scrape: async () => [] },
    generator: {
      version: async () => '2.2.0',
      check: async () => ({ env: {}, replaced: [], hash: '' }),
      start: (_, sink) => {
        sink.request('page', atMs + 5, 5, false, 0);
        return { pids: [1], done: Promise.resolve({ end: { kind: 'finished' }, exceptions: 0, errors: [] }) };
      },
    },
  };
}

export const stack: Stack = {
  kind: 'process',
  prepare: async () => undefined,
  up: async () => ({}),
  boot: async () => ({
    url: 'http://127.0.0.1:1',
    metricsUrls: ['http://127.0.0.1:1/metrics'],
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
