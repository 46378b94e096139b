import type { InvalidReason } from '../../src/model/run.ts';
import type {
  CellVerdict,
  EndpointChange,
  MetricName,
  MetricVerdict,
  Mismatch,
  SignalChange,
  Verdict,
} from '../../src/model/verdict.ts';

/** A cell that was measured and compared with nothing. */
export function measuredCell(scenario: string, load: string, vus: number, tps = 260): CellVerdict {
  return {
    scenario,
    load,
    vus,
    outcome: 'pass',
    head: {
      tps,
      meanMs: (vus / tps) * 1000,
      p95Ms: (vus / tps) * 1720,
      p99Ms: (vus / tps) * 2400,
      errorRate: 0,
      requests: Math.round(tps * 24),
      blocks: 3,
      generatorCpuShare: 0.18,
    },
    metrics: [],
    endpoints: [],
    signals: [],
    objectives: [],
    invalid: [],
  };
}

const limits: Readonly<Record<MetricName, number>> = { p95: 0.25, tps: -0.1, errorRate: 0.01 };

/** A metric within noise unless told otherwise; `halfWidth` is half of its interval. */
export function metric(
  name: MetricName,
  base: number,
  change: number,
  halfWidth: number,
  more: Partial<MetricVerdict> = {},
): MetricVerdict {
  return {
    metric: name,
    outcome: 'pass',
    base,
    head: name === 'errorRate' ? base + change : base * (1 + change),
    change,
    interval: { low: change - halfWidth, high: change + halfWidth, level: 0.95 },
    limit: limits[name],
    limitFrom: 'tolerance',
    smallestVisible: Math.max(halfWidth * 1.4, Math.abs(limits[name]) + halfWidth * 0.4),
    adjustedP: 0.6,
    provedWorse: false,
    belowFloor: false,
    improved: false,
    ...more,
  };
}

export function comparedCell(
  scenario: string,
  load: string,
  vus: number,
  metrics: readonly MetricVerdict[],
  more: Partial<CellVerdict> = {},
): CellVerdict {
  const tps = metrics.find(({ metric: name }) => name === 'tps')?.head ?? 260;
  const cell = measuredCell(scenario, load, vus, tps);
  const p95Ms = metrics.find(({ metric: name }) => name === 'p95')?.head ?? cell.head.p95Ms;
  const errorRate = metrics.find(({ metric: name }) => name === 'errorRate')?.head ?? 0;
  return { ...cell, head: { ...cell.head, p95Ms, errorRate }, metrics: [...metrics], ...more };
}

/** A cell in which nothing happened; `seed` moves its figures a little. */
export function quietCell(scenario: string, load: string, vus: number, seed = 1): CellVerdict {
  return comparedCell(scenario, load, vus, [
    metric('p95', vus * 0.9 + seed, 0.011 * (seed % 3) - 0.01, 0.11),
    metric('tps', 260 + seed * 7, 0.004 - 0.003 * (seed % 4), 0.028),
    metric('errorRate', 0, 0, 0.0004),
  ]);
}

export function endpoint(name: string, baseMs: number, headMs: number, share: number): EndpointChange {
  return {
    name,
    base: { meanMs: baseMs, p95Ms: baseMs * 1.9, errorRate: 0 },
    head: { meanMs: headMs, p95Ms: headMs * 1.7, errorRate: 0 },
    shareOfAddedTime: share,
    beyondSharedMs: Math.max(0, headMs - baseMs),
    worse: [],
  };
}

export function signal(base: number, head: number, more: Partial<SignalChange> = {}): SignalChange {
  return {
    name: 'rows-read',
    title: 'rows read a request',
    unit: '',
    base,
    head,
    change: base === 0 ? null : head / base - 1,
    moved: true,
    hint: 'a query lost its index or reads more than it shows; look at the slowest grown endpoint',
    ...more,
  };
}

export function reason(code: string, cause: string, nextStep: string): InvalidReason {
  return { code, cause, nextStep };
}

export function mismatch(runId: string, differences: Mismatch['differences']): Mismatch {
  return { runId, differences };
}

export function verdict(cells: readonly CellVerdict[], more: Partial<Verdict> = {}): Verdict {
  return {
    schema: 1,
    runId: '20260131-101203-4f2a',
    createdAt: '2026-01-31T10:17:15Z',
    suite: 'pr',
    outcome: 'pass',
    comparison: {
      kind: 'stored',
      base: [
        { runId: '20260129-080000-aa01', commit: '77aa01c2d3e4f5061728', startedAt: '2026-01-29T08:00:00Z' },
        { runId: '20260130-170000-bb02', commit: '9f8e7d6c5b4a39281706', startedAt: '2026-01-30T17:00:00Z' },
      ],
      mismatches: [],
    },
    cells: [...cells],
    invalid: [],
    code: { commit: '1a2b3c4d5e6f70819203', branch: 'faster-overview', dirty: true },
    fingerprint: {
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
    },
    seconds: 312,
    ...more,
  };
}

/** As many cells as asked for, all of them named so; every second one like the last of `from`. */
export function crowd(from: Verdict, count: number, name: string): Verdict {
  const regressed = from.cells.at(-1);
  if (regressed === undefined) throw new Error('the fixture is gone');
  return {
    ...from,
    suite: name,
    runId: name,
    code: { commit: name, branch: name, dirty: true },
    fingerprint: {
      ...from.fingerprint,
      os: name,
      versions: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [name + index, name])),
    },
    invalid: Array.from({ length: count }, (_, index) => reason(name, `${index}${name}`, name)),
    cells: Array.from({ length: count }, (_, index) =>
      index % 2 === 0
        ? {
            ...regressed,
            scenario: `${index}${name}`,
            load: name,
            endpoints: Array.from({ length: 20 }, () => endpoint(name, 1, 2, 0.05)),
            signals: [signal(1, 2, { name: `s${index}`, title: name, unit: name, hint: name })],
            invalid: [reason(name, `${index}${name}`, name)],
          }
        : { ...quietCell(name, name, 5, index), scenario: `${index}${name}` },
    ),
  };
}
