import { describe, expect, it } from 'vitest';
import { configSchema } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { blockSchema } from '../model/run.ts';
import { type BlockOptions, type BlockTools, runBlock } from './block.ts';
import type { LoadResult, MetricSeries } from './ports.ts';

const signalOf = (series: string, per: 'max' | 'request' | 'second') => ({
  title: series,
  from: 'service' as const,
  series: [series],
  per,
  hint: '',
});
const configText = {
  version: 1,
  name: 'shop',
  stack: { compose: { file: 'compose.yml', service: 'shop', port: 80, ready: { port: 80, path: '/' } } },
  scenarios: { browse: { script: 'browse.js', loads: { few: { vus: 2 } } } },
  suites: { pr: { cells: ['browse@few'] } },
  signals: { statements: signalOf('statements_total', 'request'), pool: signalOf('pool_size', 'max') },
};
const config = configSchema.parse(configText);

const options: BlockOptions = {
  config,
  cell: {
    scenario: 'browse',
    load: 'few',
    vus: 2,
    script: 'browse.js',
    env: {},
    stages: [],
    guardSeconds: 1,
    countedSeconds: 4,
    rounds: 1,
    costsAlone: false,
  },
  round: 0,
  service: {
    url: 'http://127.0.0.1:1',
    metricsUrls: ['http://127.0.0.1:1/metrics'],
    readUsage: () => ({
      service: { cpuSeconds: 0, rssBytes: 0 },
      backing: { cpuSeconds: 0, rssBytes: 0 },
    }),
    versions: {},
    dataKey: '',
    failure: new Promise(() => undefined),
  },
  resolveScript: (script) => script,
  onLive: () => undefined,
};

const silence = new Fault({
  code: 'E_METRICS',
  kind: 'measurement',
  place: 'http://127.0.0.1:1/metrics',
  cause: 'the metrics could not be read: no answer within 5 s',
  nextStep: '',
});
const metrics = (statements: number, poolSize: number): MetricSeries[] => [
  { name: 'statements_total', labels: {}, value: statements },
  { name: 'pool_size', labels: {}, value: poolSize },
];

/**
 * A load that ends as soon as the time of its cell is over; `scrape` gets the number of earlier calls. The wall clock
 * may be set: `aheadMs` says by how much it is ahead.
 */
function simulated(
  scrape: (scrapes: number) => readonly MetricSeries[],
  aheadMs: (atMs: number) => number = () => 0,
  /** Whether each of the counted requests fails. */
  failures: readonly boolean[] = [false],
) {
  const loads: AbortSignal[] = [];
  const done = Promise.withResolvers<LoadResult>();
  const { guardSeconds, countedSeconds } = options.cell;
  let atMs = 0;
  let scrapes = 0;
  const tools: BlockTools = {
    clock: {
      now: () => new Date(atMs + aheadMs(atMs)),
      monotonicMs: () => atMs,
      wait: async (ms, signal) => {
        signal.throwIfAborted();
        atMs += ms;
        if (atMs >= (guardSeconds + countedSeconds) * 1000) {
          done.resolve({ end: { kind: 'finished' }, exceptions: 0, errors: [] });
        }
      },
    },
    machine: {
      describe: () => ({ cpuModel: 'simulated', cpuCount: 2, memoryGiB: 4, os: 'linux', runner: 'local' }),
      // The host takes a tenth of the two cores.
      read: () => ({
        totalSeconds: (2 * atMs) / 1000,
        busySeconds: 0,
        ioWaitSeconds: 0,
        stolenSeconds: (0.2 * atMs) / 1000,
        load: 1,
      }),
      readProcesses: () => ({ cpuSeconds: 0, rssBytes: 0 }),
      readSelf: () => ({ cpuSeconds: 0, rssBytes: 0 }),
    },
    metrics: { scrape: async () => scrape(scrapes++) },
    generator: {
      version: async () => '2.2.0',
      check: async () => ({ env: {}, replaced: [], hash: '' }),
      start: (_, sink, signal) => {
        loads.push(signal);
        for (const [at, failed] of [false, ...failures].entries()) {
          const beganAtMs = at === 0 ? 0 : 2_000;
          sink.request('page', beganAtMs + aheadMs(beganAtMs) + 5, 5, failed, 0);
          sink.received(300);
        }
        return { pids: [1], done: done.promise };
      },
    },
  };
  return { tools, loads };
}

const never = new AbortController().signal;

describe('runBlock', () => {
  it('reads counters around the load and gauges during it', async () => {
    const { tools } = simulated((scrapes) => metrics(100 * scrapes, 5 + scrapes));
    const { block } = await runBlock(tools, options, never);
    // One scrape before the two requests, one in the guard interval, three in the counted one and one after.
    expect({ signals: block.signals, requests: block.requests }).toEqual({
      signals: { bytesReceived: 300, statements: 250, pool: 9 },
      requests: 1,
    });
  });

  it('counts bytes of responses itself, whatever metrics the service has', async () => {
    const { tools } = simulated(() => []);
    const bytes = { ...signalOf('k6_data_received_total', 'request'), from: 'generator' as const };
    const config = configSchema.parse({ ...configText, signals: { bytes } });
    // A signal of the user's own replaces the one that is always there.
    expect((await runBlock(tools, { ...options, config }, never)).block.signals).toEqual({ bytes: 300 });
  });

  it('reads all backing pages as one, with the CPU time that the stack reads, and not during the load', async () => {
    const urls: string[] = [];
    let cpuSeconds = 0;
    const { tools } = simulated(() => []);
    const scrape = async (url: string): Promise<MetricSeries[]> => {
      urls.push(url);
      return [{ name: `${url}_total`, labels: {}, value: urls.length }];
    };
    const service = {
      ...options.service,
      backingMetricsUrls: ['db', 'cache'],
      readBackingCpuSeconds: () => {
        cpuSeconds += 1;
        return { mariadbd: cpuSeconds };
      },
    };
    const backing = (series: string) => ({ ...signalOf(series, 'second'), from: 'backing' as const });
    const cpu = 'namedprocess_namegroup_cpu_seconds_total{groupname="mariadbd"}';
    const signals = { cpu: backing(cpu), db: backing('db_total'), cache: backing('cache_total') };
    const { block } = await runBlock(
      { ...tools, metrics: { scrape } },
      { ...options, service, config: configSchema.parse({ ...configText, signals }) },
      never,
    );
    expect(Object.keys(block.signals)).toEqual(['bytesReceived', 'cpu', 'db', 'cache']);
    expect(urls.filter((url) => url === 'db')).toHaveLength(2);
  });

  it('goes on without the readings of a service whose metrics hang under load', async () => {
    const { tools, loads } = simulated((scrapes) => {
      if (scrapes === 0 || scrapes === 3) return metrics(0, 7);
      throw silence;
    });
    const { block } = await runBlock(tools, options, never);
    expect({ signals: block.signals, requests: block.requests }).toEqual({
      signals: { bytesReceived: 300, pool: 7 },
      requests: 1,
    });
    expect(loads.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
    ['back by little', -400],
  ])('ends in time when the wall clock is set %s, and says that its figures are wrong', async (_, stepMs) => {
    const perSecond = { ...signalOf('statements_total', 'second') };
    const { tools } = simulated(
      (scrapes) => metrics(100 * scrapes, 5),
      (atMs) => (atMs < 1_500 ? 0 : stepMs),
    );
    const { block } = await runBlock(
      tools,
      { ...options, config: configSchema.parse({ ...configText, signals: { perSecond } }) },
      never,
    );
    expect(tools.clock.monotonicMs()).toBe(5_000);
    expect(block.stealShare).toBeCloseTo(0.1, 9);
    // One scrape before, one in the guard interval, three in the counted one and one after the load of 5 s.
    expect(block.signals).toEqual({ bytesReceived: 300, perSecond: 100 });
    expect(block.invalid.map(({ code }) => code)).toEqual(['I_CLOCK']);
    expect(blockSchema.safeParse(block).success).toBe(true);
  });

  it.each([
    ['before the load', 1],
    ['at all', Number.POSITIVE_INFINITY],
  ])('reports metrics that do not answer %s although the service does', async (_, unanswered) => {
    const { tools } = simulated((scrapes) => {
      if (scrapes < unanswered) throw silence;
      return metrics(0, 7);
    });
    await expect(runBlock(tools, options, never)).rejects.toThrow('E_METRICS');
  });

  it('takes a service that answers neither metrics nor requests for one that hangs', async () => {
    const { tools } = simulated(
      () => {
        throw silence;
      },
      () => 0,
      [true],
    );
    const { block } = await runBlock(tools, options, never);
    expect(block.invalid.map(({ code }) => code)).toEqual(['I_ALL_FAILED']);
    expect(blockSchema.safeParse(block).success).toBe(true);
  });

  it('measures a service without its counts if most requests fail and its metrics answered too late', async () => {
    const { tools } = simulated(
      (scrapes) => {
        if (scrapes < 1) throw silence;
        return metrics(100 * scrapes, 7);
      },
      () => 0,
      [true, false, true],
    );
    const perRequest = signalOf('statements_total', 'request');
    const { block } = await runBlock(
      tools,
      { ...options, config: configSchema.parse({ ...configText, signals: { perRequest } }) },
      never,
    );
    expect({ requests: block.requests, errors: block.errors }).toEqual({ requests: 3, errors: 2 });
    expect(Object.keys(block.signals)).toEqual(['bytesReceived']);
  });

  it('has no CPU shares if the counted interval is over before the first response', async () => {
    const { tools } = simulated(() => metrics(0, 7));
    let atMs = 0;
    let stolenSeconds = 0;
    const late: BlockTools = {
      ...tools,
      clock: { ...tools.clock, now: () => new Date(atMs), monotonicMs: () => atMs },
      machine: {
        ...tools.machine,
        // A reading takes a millisecond, and one step of the kernel's clock may fall into it.
        read: () => {
          atMs += 1;
          stolenSeconds += 0.01;
          return { ...tools.machine.read(), totalSeconds: (2 * atMs) / 1000, stolenSeconds };
        },
      },
      generator: {
        ...tools.generator,
        start: (_, sink) => {
          atMs = 15_000;
          sink.request('page', atMs, atMs, true, 0);
          return {
            pids: [1],
            done: Promise.resolve({ end: { kind: 'finished' }, exceptions: 0, errors: [] }),
          };
        },
      },
    };
    const { block } = await runBlock(late, options, never);
    expect(block.invalid.map(({ code }) => code)).toEqual(['I_NO_SAMPLES']);
    expect({ usage: block.usage, stealShare: block.stealShare }).toEqual({ usage: {}, stealShare: 0 });
  });

  it('counts no CPU time after the counted interval, although its last page is slow', async () => {
    const { tools } = simulated(() => []);
    const { clock } = tools;
    const reading = (cpuSeconds: number) => ({ cpuSeconds, rssBytes: 0 });
    const loadedSeconds = () => Math.min(5, clock.monotonicMs() / 1000);
    const service = {
      ...options.service,
      readUsage: () => ({ service: reading(loadedSeconds()), backing: reading(0) }),
    };
    const machine = {
      ...tools.machine,
      // The generator is gone with its load.
      readProcesses: () => reading(clock.monotonicMs() < 5_000 ? loadedSeconds() / 2 : 0),
    };
    let scrapes = 0;
    const scrape = async () => {
      scrapes += 1;
      // One before the load, one in the guard interval, and the third one of the counted interval.
      if (scrapes === 5) await clock.wait(3_000, never);
      return metrics(0, 7);
    };
    const { block } = await runBlock(
      { ...tools, machine, metrics: { scrape } },
      { ...options, service },
      never,
    );
    expect(block.usage).toMatchObject({ service: { cpuShare: 0.5 }, generator: { cpuShare: 0.25 } });
  });

  it('does not take the death of the service for metrics that are late', async () => {
    const died = new AbortController();
    const { tools } = simulated((scrapes) => {
      if (scrapes < 4) return metrics(0, 7);
      // The last reading, after the load: nothing else would notice.
      died.abort(new Fault({ ...silence.details, code: 'E_SERVICE_DIED' }));
      throw died.signal.reason;
    });
    await expect(runBlock(tools, options, died.signal)).rejects.toThrow('E_SERVICE_DIED');
  });

  it('ends the load when something else fails', async () => {
    const { tools, loads } = simulated(() => metrics(0, 7));
    const onLive = () => {
      throw new Error('the terminal is gone');
    };
    await expect(runBlock(tools, { ...options, onLive }, never)).rejects.toThrow('the terminal is gone');
    expect(loads.map(({ aborted }) => aborted)).toEqual([true]);
  });
});
