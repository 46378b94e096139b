import { judgeMeasurements, type Measurements } from '../../src/judge/measurements.ts';
import type { JudgeOptions } from '../../src/judge/options.ts';
import type { SignalConfig } from '../../src/model/config.ts';
import type { Block, Cell, Fingerprint, InvalidReason, Run } from '../../src/model/run.ts';
import { receivedSeries } from '../../src/model/signal-config.ts';
import type { Verdict } from '../../src/model/verdict.ts';

/** An endpoint of a cell, in milliseconds and shares. */
export interface ExampleEndpoint {
  readonly name: string;
  readonly shareOfRequests: number;
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly errorRate?: number;
}

/** What the blocks of a cell show. */
export interface ExampleCell {
  readonly scenario: string;
  readonly load: string;
  readonly vus: number;
  readonly tps: number;
  readonly p95Ms: number;
  readonly errorRate?: number;
  /** Half the distance between the slowest and the fastest block, as a share. */
  readonly spread?: number;
  readonly endpoints?: readonly ExampleEndpoint[];
  readonly signals?: Readonly<Record<string, number>>;
  /** Reasons of every block. */
  readonly invalid?: readonly InvalidReason[];
  /** True if no request began. */
  readonly silent?: boolean;
  readonly objectives?: JudgeOptions['cells'][number]['objectives'];
  /** True if the cell is judged by counts alone. */
  readonly costsAlone?: boolean;
}

const countedSeconds = 8;

/** Without pauses, a closed loop takes VUs / TPS per request, which is also the mean of all its requests. */
/** Share of all cores that the measurement uses, however slow its requests are. */
const busyShare = 0.85;

/** Generator and backing services need the same CPU time for every request; the service uses the rest. */
function usageAt(tps: number): Block['usage'] {
  const used = (cpuShare: number, rssBytes: number) => ({ cpuShare, rssBytes });
  const [generator, backing] = [0.00017 * tps, 0.00012 * tps];
  return {
    generator: used(generator, 90_000_000),
    backing: used(backing, 600_000_000),
    service: used(busyShare - generator - backing, 500_000_000),
  };
}

function meanMsOf({ scenario, load, vus, tps, endpoints = [] }: ExampleCell): number {
  const meanMs = (1000 * vus) / tps;
  const own = endpoints.reduce((sum, endpoint) => sum + endpoint.shareOfRequests * endpoint.meanMs, 0);
  if (endpoints.length > 0 && Math.abs(own / meanMs - 1) > 0.01) {
    throw new Error(
      `${scenario}@${load}: the endpoints take ${own} ms per request, but VUs / TPS is ${meanMs} ms`,
    );
  }
  return meanMs;
}

function latency(meanMs: number, p95Ms: number) {
  return { meanMs, p50Ms: meanMs * 0.8, p90Ms: p95Ms * 0.8, p95Ms, p99Ms: p95Ms * 1.4, maxMs: p95Ms * 3 };
}

function block(cell: ExampleCell, round: number, speed: number): Block {
  const { endpoints = [], errorRate = 0, signals = {}, invalid = [], silent = false } = cell;
  const tps = silent ? 0 : cell.tps * speed;
  const requests = Math.round(tps * countedSeconds);
  return {
    round,
    startedAt: '2026-01-31T10:12:03Z',
    countedSeconds,
    requests,
    errors: Math.round(requests * errorRate),
    iterations: requests,
    tps,
    latency: silent ? latency(0, 0) : latency(meanMsOf(cell) / speed, cell.p95Ms / speed),
    endpoints: endpoints.map(({ name, shareOfRequests, meanMs, p95Ms, errorRate: failed = 0 }) => {
      const own = Math.round(requests * shareOfRequests);
      const errors = Math.round(own * failed);
      return { name, requests: own, errors, latency: latency(meanMs / speed, p95Ms / speed) };
    }),
    usage: usageAt(tps),
    stealShare: 0,
    othersCpuShare: 0,
    ioWaitShare: 0,
    signals: { bytesReceived: 2_100, commands: 3, ...signals },
    invalid: [...invalid],
  };
}

function cellOf(cell: ExampleCell, runSpeed: number): Cell {
  const { scenario, load, vus, spread = 0.01 } = cell;
  const speeds = [1, -1, 0].map((step) => runSpeed * Math.exp(spread * step));
  return { scenario, load, vus, blocks: speeds.map((speed, round) => block(cell, round, speed)) };
}

const fingerprint: Fingerprint = {
  cpuModel: 'AMD EPYC 9R14',
  cpuCount: 2,
  memoryGiB: 24,
  os: 'Linux 6.1 x64',
  runner: 'local',
  stack: 'process',
  k6: '2.2.0',
  versions: { jdk: '25.0.3', mariadb: '11.4.5', redis: '6.2.7' },
  dataKey: '5f1c3a9b7e2d40688a1b',
  loadHash: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
};

interface RunDetails extends Partial<Omit<Run, 'cells' | 'fingerprint'>> {
  readonly fingerprint?: Partial<Fingerprint>;
  /** How fast the machine was during the run, compared with other runs. */
  readonly speed?: number;
}

/** Head's run, unless the details say otherwise. */
export function exampleRun(cells: readonly ExampleCell[], details: RunDetails = {}): Run {
  const { fingerprint: conditions, speed = 1, ...more } = details;
  return {
    schema: 1,
    id: '20260131-101203-4f2a',
    startedAt: '2026-01-31T10:12:03Z',
    finishedAt: '2026-01-31T10:17:15Z',
    suite: 'pr',
    code: { commit: '1a2b3c4d5e6f708192031a2b3c4d5e6f70819203', branch: 'faster-overview', dirty: true },
    fingerprint: { ...fingerprint, ...conditions },
    warmUp: { steady: true, seconds: 30, windows: [] },
    phases: [],
    invalid: [],
    cells: cells.map((cell) => cellOf(cell, speed)),
    ...more,
  };
}

/** The run of a base commit, measured interleaved with head. */
export function baseRun(cells: readonly ExampleCell[], details: RunDetails = {}): Run {
  return exampleRun(cells, {
    id: '20260131-101203-4f2a-base',
    code: { commit: '9f8e7d6c5b4a392817069f8e7d6c5b4a39281706', branch: '', dirty: false },
    speed: 1.003,
    ...details,
  });
}

/** A baseline run of each speed, oldest first. */
export function storedRuns(
  cells: readonly ExampleCell[],
  speeds: readonly number[] = [1.01, 0.995],
  details: RunDetails = {},
): readonly Run[] {
  return speeds.map((speed, index) => {
    const day = String(31 - speeds.length + index).padStart(2, '0');
    return baseRun(cells, {
      id: `202601${day}-170000-aa0${index}`,
      startedAt: `2026-01-${day}T17:00:00Z`,
      finishedAt: `2026-01-${day}T17:06:00Z`,
      speed,
      ...details,
    });
  });
}

function signal(title: string, unit: string, hint: string): SignalConfig {
  return {
    title,
    from: 'backing',
    series: [],
    per: 'request',
    scale: 1,
    unit,
    gate: 'report',
    tolerance: 0.1,
    floor: 0,
    hint,
  };
}

export const exampleSignals: Readonly<Record<string, SignalConfig>> = {
  rowsRead: signal(
    'rows read per request',
    '',
    'a query lost its index or reads more than it shows; EXPLAIN the queries',
  ),
  statements: signal('statements per request', '', 'look for a statement inside a loop'),
  serviceCpu: signal('service CPU per request', 'ms', 'the service itself does more work; profile it'),
};

/** Costs that no example changes, so that machine speed can be divided out. */
const counted: Readonly<Record<string, SignalConfig>> = {
  bytesReceived: {
    ...signal('bytes received per request', 'B', 'fields that nobody reads'),
    from: 'generator',
    series: [receivedSeries],
    gate: 'fail',
  },
  commands: { ...signal('Redis commands per request', '', 'a key that is read twice'), gate: 'fail' },
};

/** The verdict of the real judging on these runs. */
export function judged(
  cells: readonly ExampleCell[],
  measured: Measurements,
  more: Partial<Omit<JudgeOptions, 'cells'>> = {},
): Verdict {
  const options: JudgeOptions = {
    tolerances: { p95: 0.25, tps: 0.1, errorRate: 0.01 },
    floors: { p95Ms: 0.5, meanMs: 0.1 },
    ...more,
    signals: { ...counted, ...(more.signals ?? exampleSignals) },
    cells: cells.map(({ scenario, load, vus, objectives = {}, costsAlone = false }) => ({
      scenario,
      load,
      vus,
      objectives,
      costsAlone,
    })),
  };
  return judgeMeasurements(measured, { options, createdAt: '2026-01-31T10:17:15Z', seconds: 312 });
}
