import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { judgeMeasurements, type Measurements } from '../../src/judge/measurements.ts';
import type { JudgeOptions } from '../../src/judge/options.ts';
import type { SignalConfig } from '../../src/model/config.ts';
import { cellName } from '../../src/model/run.ts';
import type { CellVerdict, Verdict } from '../../src/model/verdict.ts';
import { type RecordedName, recordedNames, recordedRun } from './recorded-runs.ts';

const first = recordedRun('01-unchanged');

const signal: Omit<SignalConfig, 'tolerance' | 'floor'> = {
  title: '',
  from: 'backing',
  series: [],
  per: 'request',
  scale: 1,
  unit: '',
  gate: 'report',
  hint: '',
};

/** The limits that the reference service had when the runs were recorded. */
const options: JudgeOptions = {
  tolerances: { p95: 0.4, tps: 0.2, errorRate: 0.01 },
  floors: { p95Ms: 3, meanMs: 1 },
  signals: {
    statements: { ...signal, tolerance: 0.1, floor: 0.05 },
    rowsRead: { ...signal, tolerance: 0.1, floor: 1 },
    rowsWritten: { ...signal, tolerance: 0.1, floor: 0.05 },
    redisCommands: { ...signal, tolerance: 0.1, floor: 0.05 },
    conflicts: { ...signal, tolerance: 0.1, floor: 0.001 },
    allocated: { ...signal, tolerance: 0.75, floor: 2 },
    responseBytes: { ...signal, tolerance: 0.1, floor: 50 },
    serviceCpu: { ...signal, tolerance: 0.25, floor: 0.05 },
    databaseCpu: { ...signal, tolerance: 0.25, floor: 0.05 },
  },
  cells: first.cells.map(({ scenario, load, vus }) => ({
    scenario,
    load,
    vus,
    objectives: { meanMs: 500, errorRate: 0.01 },
  })),
};
const tighter: JudgeOptions = { ...options, tolerances: { p95: 0.25, tps: 0.1, errorRate: 0.01 } };

function verdictOn(looks: Measurements, limits: JudgeOptions): Verdict {
  return judgeMeasurements(looks, { options: limits, createdAt: '2026-11-22T00:00:00.000Z', seconds: 0 });
}

/** Figures without the names of their fields, which may change. */
function valuesOf(value: unknown): readonly unknown[] {
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(valuesOf) : [value];
}

/** Every figure of a cell: its metrics in full, and a digest of endpoints, signals and objectives. */
function cellRows(cell: CellVerdict): readonly string[] {
  const rest = [
    cell.head,
    cell.endpoints,
    cell.signals.map(({ name, base, head, change, moved }) => ({ name, base, head, change, moved })),
    cell.objectives.map(({ value, limit, met }) => ({ value, limit, met })),
    cell.invalid.map(({ code }) => code),
  ];
  const digest = createHash('sha256')
    .update(JSON.stringify(valuesOf(rest)))
    .digest('hex')
    .slice(0, 16);
  return [
    `  ${cellName(cell)}: ${cell.outcome}, ${digest}`,
    ...cell.metrics.map(({ metric, ...figures }) => `    ${metric} ${JSON.stringify(figures)}`),
  ];
}

function rows(name: string, { outcome, comparison, cells }: Verdict): string {
  return [`${name}: ${outcome}, ${comparison.kind}`, ...cells.flatMap(cellRows), ''].join('\n');
}

const heads = recordedNames.filter((name) => name !== '01-unchanged' && !name.startsWith('06'));
const base = recordedRun('06-n-plus-1-interleaved-base');
const head = recordedRun('06-n-plus-1-interleaved-head');
const three = (['01-unchanged', '02-unchanged', '07-unchanged'] as const).map(recordedRun);
const against: Record<string, (name: RecordedName) => Verdict> = {
  'one stored run': (name) => verdictOn({ run: recordedRun(name), stored: [first] }, options),
  'one stored run, default limits': (name) => verdictOn({ run: recordedRun(name), stored: [first] }, tighter),
  'three stored runs': (name) => verdictOn({ run: recordedRun(name), stored: three }, tighter),
};

describe('recorded runs, judged to the last bit as before', () => {
  it.each(Object.entries(against))('against %s', async (title, judged) => {
    const text = heads.map((name) => rows(name, judged(name))).join('\n');
    await expect(text).toMatchFileSnapshot(`figures/${title.replaceAll(/\W+/g, '-')}.txt`);
  });

  it('against an interleaved base, alone and as a confirmation', async () => {
    const screened = recordedRun('05-plan-overview-n-plus-1');
    const text = [
      rows('interleaved', verdictOn({ run: head, interleaved: { base } }, options)),
      rows('interleaved, default limits', verdictOn({ run: head, interleaved: { base } }, tighter)),
      rows(
        'interleaved and stored',
        verdictOn({ run: head, interleaved: { base }, stored: [first] }, tighter),
      ),
      rows('confirmation', verdictOn({ run: screened, interleaved: { base, head }, stored: three }, tighter)),
    ].join('\n');
    await expect(text).toMatchFileSnapshot('figures/interleaved.txt');
  });
});
