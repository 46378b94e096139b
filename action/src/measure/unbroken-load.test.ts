import { describe, expect, it } from 'vitest';
import { configSchema } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { blockSchema } from '../model/run.ts';
import type { BlockOptions, BlockTools } from './block.ts';
import type { LoadEnd, LoadResult, LoadSpec } from './ports.ts';
import { runUnbroken } from './unbroken-load.ts';

const signalOf = (series: string, per: 'max' | 'request' | 'second') => ({
  title: series,
  from: 'service' as const,
  series: [series],
  per,
  hint: '',
});
const config = configSchema.parse({
  version: 1,
  name: 'shop',
  stack: { compose: { file: 'compose.yml', service: 'shop', port: 80, ready: { port: 80, path: '/' } } },
  scenarios: { browse: { script: 'browse.js', loads: { few: { vus: 2 } } } },
  suites: { pr: { cells: ['browse@few'] } },
  signals: {
    statements: signalOf('statements_total', 'request'),
    perSecond: signalOf('statements_total', 'second'),
    pool: signalOf('pool_size', 'max'),
  },
});

/** Three blocks of four seconds, after a ramp of one. */
const options: Omit<BlockOptions, 'round'> = {
  config,
  cell: {
    scenario: 'browse',
    load: 'few',
    vus: 2,
    script: 'browse.js',
    env: {},
    stages: [
      { seconds: 1, vus: 1 },
      { seconds: 4.5, vus: 2 },
    ],
    guardSeconds: 1,
    countedSeconds: 4,
    rounds: 3,
    costsAlone: false,
  },
  service: {
    url: 'http://127.0.0.1:1',
    metricsUrls: ['http://127.0.0.1:1/metrics'],
    readUsage: () => ({
      service: { cpuSeconds: 0, rssBytes: 7 },
      backing: { cpuSeconds: 0, rssBytes: 0 },
    }),
    versions: {},
    dataKey: '',
    failure: new Promise(() => undefined),
  },
  resolveScript: (script) => script,
  onLive: () => undefined,
};

const died = new Fault({
  code: 'E_SERVICE_EXIT',
  kind: 'measurement',
  place: 'service',
  cause: 'the service ended with exit code 137',
  nextStep: '',
});

interface Course {
  /** The load ends at this second; as planned, as soon as the time of its blocks is over. */
  readonly endsAt?: number;
  readonly end?: LoadEnd;
  /** The service dies at this second. */
  readonly diesAt?: number;
  /** Seconds in which the host takes half of the machine. */
  readonly stolen?: readonly [number, number];
  /** Each request is a pass of its own. */
  readonly passes?: boolean;
}

/** Two requests per second, each of which costs ten statements. The pool grows by one a second. */
function simulated({
  endsAt = 13,
  end = { kind: 'finished' },
  diesAt = 99,
  stolen = [99, 99],
  passes,
}: Course = {}) {
  const specs: LoadSpec[] = [];
  const done = Promise.withResolvers<LoadResult>();
  let atMs = 0;
  const stolenSeconds = () => Math.max(0, Math.min(stolen[1], atMs / 1000) - stolen[0]);
  const tools: BlockTools = {
    clock: {
      now: () => new Date(atMs),
      monotonicMs: () => atMs,
      wait: async (ms, signal) => {
        signal.throwIfAborted();
        atMs += ms;
        if (atMs >= 1000 * diesAt) throw died;
        if (atMs >= 1000 * endsAt) done.resolve({ end, exceptions: 0, errors: [] });
      },
    },
    machine: {
      describe: () => ({ cpuModel: 'simulated', cpuCount: 2, memoryGiB: 4, os: 'linux', runner: 'local' }),
      read: () => ({
        totalSeconds: (2 * atMs) / 1000,
        busySeconds: 0,
        ioWaitSeconds: 0,
        stolenSeconds: stolenSeconds(),
        load: 1,
      }),
      readProcesses: () => ({ cpuSeconds: 0, rssBytes: 0 }),
      readSelf: () => ({ cpuSeconds: 0, rssBytes: 0 }),
    },
    metrics: {
      scrape: async () => [
        { name: 'statements_total', labels: {}, value: (20 * atMs) / 1000 },
        { name: 'pool_size', labels: {}, value: atMs / 1000 },
      ],
    },
    generator: {
      version: async () => '2.2.0',
      check: async () => ({ env: {}, replaced: [], hash: '' }),
      start: (spec, sink) => {
        specs.push(spec);
        const last = Math.min(endsAt, diesAt);
        for (let began = 0; began < last; began += 0.5) {
          sink.request('page', 1000 * began + 5, 5, false, 0);
          sink.received(300);
          if (passes) sink.iteration(1000 * began + 5, 5, 0);
        }
        return { pids: [1], done: done.promise };
      },
    },
  };
  return { tools, specs };
}

const never = new AbortController().signal;

async function run(course: Course = {}) {
  const { tools, specs } = simulated(course);
  const load = await runUnbroken(tools, options, never);
  for (const block of load.blocks) expect(() => blockSchema.parse(block)).not.toThrow();
  return { ...load, specs };
}

describe('an unbroken load', () => {
  it('is one process, whose counted time is cut into blocks without a break', async () => {
    const { blocks, seconds, specs } = await run();
    expect(specs.map(({ stages }) => stages)).toEqual([
      [
        { seconds: 1, vus: 1 },
        { seconds: 12.5, vus: 2 },
      ],
    ]);
    expect(
      blocks.map(({ round, startedAt, requests, tps, invalid }) => [
        round,
        startedAt,
        requests,
        tps,
        invalid,
      ]),
    ).toEqual([
      [0, '1970-01-01T00:00:01.000Z', 8, 2, []],
      [1, '1970-01-01T00:00:05.000Z', 8, 2, []],
      [2, '1970-01-01T00:00:09.000Z', 8, 2, []],
    ]);
    expect(seconds?.all.requests).toHaveLength(13);
  });

  it('sets what the stack counts against the requests between two readings, and samples gauges by block', async () => {
    const { blocks } = await run();
    expect(blocks.map(({ signals }) => signals.statements)).toEqual([10, 10, 10]);
    expect(blocks.map(({ signals }) => signals.perSecond)).toEqual([20, 20, 20]);
    expect(blocks.map(({ signals }) => signals.pool)).toEqual([4, 8, 12]);
    expect(blocks.map(({ usage }) => usage.service?.rssBytes)).toEqual([7, 7, 7]);
  });

  it('knows in which block the machine was disturbed', async () => {
    const { blocks } = await run({ stolen: [5, 9] });
    expect(blocks.map(({ invalid }) => invalid.map(({ code }) => code))).toEqual([[], ['I_STEAL'], []]);
  });

  it('keeps what was measured before the service died, and says so', async () => {
    const { blocks, cutShort, seconds } = await run({ diesAt: 8 });
    expect(cutShort).toBe(died);
    expect(blocks.map(({ countedSeconds, requests, tps }) => ({ countedSeconds, requests, tps }))).toEqual([
      { countedSeconds: 4, requests: 8, tps: 2 },
      { countedSeconds: 3, requests: 6, tps: 2 },
    ]);
    expect(blocks.map(({ invalid }) => invalid.map(({ code, cause }) => [code, cause]))).toEqual([
      [],
      [['I_CUT_SHORT', expect.stringContaining('the service ended with exit code 137')]],
    ]);
    expect(seconds?.all.requests).toHaveLength(8);
  });

  it('marks the last whole block if hardly any time of the next one passed', async () => {
    const { blocks } = await run({ diesAt: 5 });
    expect(blocks.map(({ countedSeconds, invalid }) => [countedSeconds, invalid[0]?.code])).toEqual([
      [4, 'I_CUT_SHORT'],
    ]);
  });

  it('has no block if it ends within the ramp', async () => {
    const { blocks, cutShort } = await run({ diesAt: 1 });
    expect({ blocks, cutShort }).toEqual({ blocks: [], cutShort: died });
  });

  it('does not pass off a generator that ended too early as a whole load', async () => {
    const { blocks } = await run({ endsAt: 7 });
    expect(blocks.map(({ invalid }) => invalid.map(({ code }) => code))).toEqual([[], ['I_CUT_SHORT']]);
  });

  it('sees that a generator ended within the last block', async () => {
    const { blocks } = await run({ endsAt: 10 });
    expect(blocks.map(({ invalid }) => invalid.map(({ code }) => code))).toEqual([[], [], ['I_CUT_SHORT']]);
  });

  it('does not take a page that is slow at the end of a block for the end of the load', async () => {
    const { tools } = simulated();
    let scrapes = 0;
    const scrape: BlockTools['metrics']['scrape'] = async (...page) => {
      scrapes += 1;
      // The page of the fourth second, which is the last one before the end of the first block.
      if (scrapes === 5) await tools.clock.wait(2_000, never);
      return tools.metrics.scrape(...page);
    };
    const { blocks } = await runUnbroken({ ...tools, metrics: { scrape } }, options, never);
    expect(blocks.map(({ invalid }) => invalid)).toEqual([[], [], []]);
  });

  it.each([
    { passes: true, reasons: [[], [], []] },
    { passes: false, reasons: [[], [], ['I_PASSES_MISSING']] },
  ])('holds the passes of the whole load against what is due: $passes', async ({ passes, reasons }) => {
    const { tools } = simulated({ passes });
    const cell = { ...options.cell, stages: [], arrival: { perSecond: 2, vus: 4, seconds: 5.5 } };
    const { blocks } = await runUnbroken(tools, { ...options, cell }, never);
    expect(blocks.map(({ invalid }) => invalid.map(({ code }) => code))).toEqual(reasons);
  });

  it('blames a generator that fails on the block in which it did', async () => {
    const end = { kind: 'failed', exitCode: 107, signal: null, meaning: 'a script error' } as const;
    const { blocks } = await run({ endsAt: 7, end });
    expect(blocks.map(({ invalid }) => invalid.map(({ code }) => code))).toEqual([[], ['I_GENERATOR_END']]);
  });
});
