import type { JudgeOptions } from '../../src/judge/options.ts';
import type { SignalConfig } from '../../src/model/config.ts';
import type { Block, Cell, Run } from '../../src/model/run.ts';
import { receivedSeries } from '../../src/model/signal-config.ts';
import { drawNormal, type Random } from '../../src/stats/random.ts';

export { drawNormal };

/** Standard deviations of natural logs. */
interface Spread {
  readonly tps: number;
  readonly p95: number;
}

/** Runs of a known truth, for tests. */
export interface Truth {
  readonly cells: number;
  readonly blocks: number;
  /** Between blocks, the machine's speed apart. */
  readonly blockSd: Spread;
  /** Between boots, in each cell on its own. */
  readonly bootSd: Spread;
  /** Between runs, in all cells alike. */
  readonly runSd: Spread;
  /** How much the machine's speed varies, as a log: everything takes longer, and costs more CPU time. */
  readonly machineSd: { readonly block: number; readonly run: number };
  /** What the CPU time that each part needs per request varies by in addition, between blocks. */
  readonly partSd: number;
  /** Correlation of p95 with the mean response time, at every level, 0 to 1. */
  readonly correlation: number;
  readonly tps: number;
  readonly p95Ms: number;
  readonly errorRate: number;
}

/** As the gate expects it: with the machine's speed divided out, and without. */
export const asExpected: Truth = {
  cells: 6,
  blocks: 4,
  blockSd: { tps: 0.028, p95: 0.087 },
  bootSd: { tps: 0.007, p95: 0.012 },
  runSd: { tps: 0.006, p95: 0.018 },
  machineSd: { block: 0.094, run: 0.08 },
  partSd: 0.03,
  correlation: 0.5,
  tps: 500,
  p95Ms: 200,
  errorRate: 0,
};

export const simulatedVus = 100;

function counted(title: string, from: SignalConfig['from'], series: string): SignalConfig {
  return {
    title,
    from,
    series: [series],
    per: 'request',
    scale: 1,
    unit: '',
    gate: 'fail',
    floor: 0,
    hint: '',
  };
}

/** The configuration's defaults for the simulated cells, whose costs are counted. */
export const simulatedOptions: JudgeOptions = {
  tolerances: { p95: 0.25, tps: 0.1, serviceCpu: 0.2, backingCpu: 0.3, errorRate: 0.01 },
  floors: { p95Ms: 0.5, meanMs: 0.1, serviceCpuMs: 0.02, backingCpuMs: 0.02 },
  signals: {
    received: counted('bytes received per request', 'generator', receivedSeries),
    statements: counted('SQL statements per request', 'backing', 'statements_total'),
  },
  cells: Array.from({ length: asExpected.cells }, (_, index) => ({
    scenario: `scenario-${index}`,
    load: 'peak',
    vus: simulatedVus,
    objectives: {},
  })),
};

/** A slowdown of TPS and one of p95, as logs. */
function drawSlowdown(random: Random, sd: Spread, correlation: number): { tps: number; p95: number } {
  const common = drawNormal(random);
  const own = drawNormal(random);
  return {
    tps: sd.tps * common,
    p95: sd.p95 * (correlation * common + Math.sqrt(1 - correlation ** 2) * own),
  };
}

const countedSeconds = 10;

/** CPU seconds per request by role: three quarters of the machine are busy at 500 requests per second. */
const cpuSeconds = { service: 0.003, generator: 0.0015, backing: 0.0015 } as const;
const cores = 4;

/** Factor on the usual CPU time per request, by role; once where absent. */
export type Costs = Readonly<Partial<Record<keyof typeof cpuSeconds, number>>>;

export function simulatedUsage(tps: number, costs: Costs = {}): Block['usage'] {
  const share = (role: keyof typeof cpuSeconds) => ({
    cpuShare: (tps * cpuSeconds[role] * (costs[role] ?? 1)) / cores,
    rssBytes: 0,
  });
  return { service: share('service'), generator: share('generator'), backing: share('backing') };
}

export function simulatedBlock(round: number, tps: number, p95Ms: number, errors = 0): Block {
  const requests = Math.round(tps * countedSeconds);
  const latency = {
    meanMs: p95Ms / 2,
    p50Ms: p95Ms / 3,
    p90Ms: p95Ms * 0.8,
    p95Ms,
    p99Ms: p95Ms * 1.5,
    maxMs: p95Ms * 2,
  };
  return {
    round,
    startedAt: '2026-01-01T00:00:00Z',
    countedSeconds,
    requests,
    errors,
    iterations: requests,
    tps,
    latency,
    endpoints: [{ name: 'one', requests, errors, latency }],
    usage: simulatedUsage(tps),
    stealShare: 0,
    othersCpuShare: 0,
    ioWaitShare: 0,
    signals: { received: 500, statements: 2 },
    invalid: [],
  };
}

export function simulatedCell(index: number, blocks: readonly Block[]): Cell {
  return { scenario: `scenario-${index}`, load: 'peak', vus: simulatedVus, blocks: [...blocks] };
}

/** Forty hexadecimal digits that differ as the first twenty characters of the ids do. */
export function commitOf(id: string): string {
  const digits = [...id].map((letter) => (letter.charCodeAt(0) % 256).toString(16).padStart(2, '0'));
  return digits.join('').padEnd(40, '0').slice(0, 40);
}

export function runOf(id: string, cells: readonly Cell[]): Run {
  return {
    schema: 1,
    id,
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T00:10:00Z',
    suite: 'pr',
    code: { commit: commitOf(id), branch: 'main', dirty: false },
    fingerprint: {
      cpuModel: 'simulated',
      cpuCount: 4,
      memoryGiB: 16,
      os: 'linux',
      runner: 'local',
      stack: 'process',
      k6: '2.2.0',
      versions: { java: '25.0.3' },
      dataKey: 'data',
      loadHash: 'load',
    },
    warmUp: { steady: true, seconds: 30, windows: [] },
    phases: [],
    cells: [...cells],
    invalid: [],
  };
}

/** A run of one cell for each TPS, its blocks a hundredth apart; the others of the suite are not part of it. */
export function runOfTps(id: string, ...tps: readonly number[]): Run {
  return runOf(
    id,
    tps.map((value, index) =>
      simulatedCell(
        index,
        [0.99, 1, 1.01].map((factor, round) =>
          simulatedBlock(round, value * factor, 100_000 / (value * factor)),
        ),
      ),
    ),
  );
}

/** How many times longer a request takes in a cell than the truth has it. */
export type Slowdown = (cell: number) => number;

interface DrawOptions {
  readonly slowdown?: Slowdown;
  /** How slow the machine is in the hour of the run, as a log; drawn by default. */
  readonly hour?: number;
}

export function drawHour(random: Random, { machineSd }: Truth): number {
  return machineSd.run * drawNormal(random);
}

/** A run whose blocks have no endpoints: they would only be judged again, one by one. */
export function simulatedRun(id: string, random: Random, truth: Truth, options: DrawOptions = {}): Run {
  const { slowdown = () => 1, hour = drawHour(random, truth) } = options;
  const { machineSd, partSd, correlation } = truth;
  const run = drawSlowdown(random, truth.runSd, correlation);
  const cells = Array.from({ length: truth.cells }, (_, index) => {
    const boot = drawSlowdown(random, truth.bootSd, correlation);
    const blocks = Array.from({ length: truth.blocks }, (__, round) => {
      const block = drawSlowdown(random, truth.blockSd, correlation);
      const slow = hour + machineSd.block * drawNormal(random);
      const tps = truth.tps / slowdown(index) / Math.exp(slow + run.tps + boot.tps + block.tps);
      const p95Ms = truth.p95Ms * slowdown(index) * Math.exp(slow + run.p95 + boot.p95 + block.p95);
      const cost = () => Math.exp(slow + partSd * drawNormal(random));
      const usage = simulatedUsage(tps, { service: cost(), generator: cost(), backing: cost() });
      const errors = Math.round(tps * countedSeconds * truth.errorRate);
      return { ...simulatedBlock(round, tps, p95Ms, errors), usage, endpoints: [] };
    });
    return simulatedCell(index, blocks);
  });
  return runOf(id, cells);
}
