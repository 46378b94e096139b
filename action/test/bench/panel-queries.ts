import { parseArgs } from 'node:util';
import { markdownTable } from 'markdown-table';
import { dashboards } from '../../scripts/dashboards/index.ts';
import {
  type Chosen,
  filled,
  panelQueries,
  queriedVariables,
} from '../../scripts/dashboards/panel-queries.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { influxdbTarget } from '../../src/adapters/influxdb/target.ts';
import { writePoints } from '../../src/adapters/influxdb/writer.ts';
import type { Point } from '../../src/model/point.ts';
import { readings } from '../../src/model/reading.ts';
import type { MeasuredSide } from '../../src/model/record.ts';
import { recordPoints } from '../../src/report/points/record-points.ts';
import { RealInfluxdb } from '../contract/real-influxdb.ts';
import { drawnRecord } from '../golden/drawn-record.ts';
import { baseRun, type ExampleCell, exampleRun, judged } from '../golden/example-run.ts';

/**
 * Prints how many rows each query of the dashboards returns and how long it takes: `npm run bench-panels` on a year of
 * daily runs, written to a server of its own, or `npm run bench-panels -- --url http://127.0.0.1:8086 --database perf`
 * on a server with runs. Queries about one run read the two hours around it, as the link to it asks for.
 */
const { values: flags } = parseArgs({
  options: {
    url: { type: 'string' },
    database: { type: 'string', default: 'perf' },
    prometheus: { type: 'string' },
  },
});
const { database } = flags;
const [cellCount, endpointCount, dayCount] = [8, 40, 365];
const firstDayMs = Date.parse('2026-01-01T03:00:00Z');
const dayMs = 86_400_000;
const nanosecond = 1_000_000n;

/** One run of 8 cells with 40 endpoints each, base and head. */
function dailyRun(): readonly Point[] {
  const endpoints = Array.from({ length: endpointCount }, (_, index) => ({
    name: `endpoint-${index}`,
    shareOfRequests: 1 / endpointCount,
    meanMs: 25,
    p95Ms: 40,
  }));
  const cells = Array.from({ length: cellCount }, (_, index): ExampleCell => {
    return { scenario: `scenario-${index}`, load: 'peak', vus: 10, tps: 400, p95Ms: 40, endpoints };
  });
  const measured = { run: exampleRun(cells), base: baseRun(cells) };
  const { head, base, ...record } = drawnRecord(measured, judged(cells, measured));
  if (base === undefined) throw new Error('base was measured too');
  return recordPoints({ ...record, head: withAllReadings(head), base: withAllReadings(base) }, 'shop');
}

function withAllReadings(side: MeasuredSide): MeasuredSide {
  const series = side.series.map((line) => {
    const read = Object.keys(readings).map((name) => [name, line.readAtSeconds.map((second) => 1 + second)]);
    return { ...line, readings: Object.fromEntries(read), failures: { '500': line.all.requests } };
  });
  return { ...side, series };
}

function ofDay(points: readonly Point[], day: number): readonly Point[] {
  const first = Math.min(...points.map(({ timeMs }) => timeMs));
  const run = `run-${String(day).padStart(3, '0')}`;
  const moved = firstDayMs + day * dayMs - first;
  return points.map((point) => ({
    ...point,
    fields: { ...point.fields, run },
    timeMs: point.timeMs + moved,
  }));
}

async function year(server: RealInfluxdb): Promise<void> {
  await server.query(`CREATE DATABASE "${database}"`);
  const target = { url: server.url, database, username: 'admin', password: 'adm1n-pass' };
  const points = dailyRun();
  const began = process.hrtime.bigint();
  for (let day = 0; day < dayCount; day++) {
    await writePoints(influxdbTarget(target, ''), ofDay(points, day), {
      clock: createSystemClock(),
      signal: new AbortController().signal,
    });
  }
  const seconds = Number((process.hrtime.bigint() - began) / nanosecond) / 1000;
  process.stdout.write(
    `${dayCount} runs of ${points.length} points, written in ${seconds.toFixed(0)} s (${((1000 * seconds) / dayCount).toFixed(0)} ms each)\n\n`,
  );
}

interface Answer {
  readonly rows: number;
  readonly ms: number;
  readonly first: readonly string[];
}

async function asked(url: string, headers: Record<string, string>, text: string): Promise<Answer> {
  const began = process.hrtime.bigint();
  const query = new URLSearchParams({ db: database, epoch: 'ms', q: text });
  const answer = (await (await fetch(`${url}/query?${query}`, { headers })).json()) as {
    readonly error?: string;
    readonly results?: readonly {
      readonly error?: string;
      readonly series?: readonly { values: unknown[][] }[];
    }[];
  };
  const ms = Number((process.hrtime.bigint() - began) / 1000n) / 1000;
  const refused = answer.error ?? answer.results?.[0]?.error;
  if (refused !== undefined) throw new Error(`${text}: ${refused}`);
  const values = (answer.results?.[0]?.series ?? []).flatMap((series) => series.values);
  return { rows: values.length, ms, first: values.map((row) => String(row[1])) };
}

async function measure(url: string, headers: Record<string, string>): Promise<readonly string[][]> {
  const whole = `time >= '2020-01-01T00:00:00Z' AND time <= '2040-01-01T00:00:00Z'`;
  const lines: string[][] = [];
  for (const [name, builder] of Object.entries(dashboards)) {
    const dashboard = builder.build();
    const chosen = new Map<string, readonly string[]>();
    for (const { name: variable, query, multi } of queriedVariables(dashboard)) {
      const { first, ms, rows } = await asked(url, headers, filled(query, chosen, whole));
      const values = first.toSorted();
      chosen.set(variable, multi ? values : values.slice(-1));
      lines.push([name, `variable ${variable}`, String(rows), ms.toFixed(0)]);
    }
    const range = name === 'run' ? await aroundRun(url, headers, chosen) : whole;
    for (const { title, kind, text } of panelQueries(dashboard)) {
      if (kind !== 'influxdb') continue;
      const { rows, ms } = await asked(url, headers, filled(text, chosen, range));
      lines.push([name, title, String(rows), ms.toFixed(0)]);
    }
  }
  return lines;
}

async function aroundRun(url: string, headers: Record<string, string>, chosen: Chosen): Promise<string> {
  const text = filled(`SELECT "run", "seconds" FROM "gate_runs" WHERE "run" = '$run'`, chosen, '');
  const query = new URLSearchParams({ db: database, epoch: 'ms', q: text });
  const { results } = (await (await fetch(`${url}/query?${query}`, { headers })).json()) as {
    readonly results: readonly [{ readonly series: readonly [{ readonly values: readonly [[number]] }] }];
  };
  const [[endMs]] = results[0].series[0].values;
  return `time >= ${endMs - 3_600_000}ms AND time <= ${endMs + 3_600_000}ms`;
}

async function measureProm(url: string): Promise<readonly string[][]> {
  const lines: string[][] = [];
  for (const [name, builder] of Object.entries(dashboards)) {
    for (const { title, kind, text } of panelQueries(builder.build())) {
      if (kind !== 'prometheus') continue;
      const now = Date.now() / 1000;
      const query = filled(text, new Map(), '');
      const params = { query, start: String(now - 1800), end: String(now), step: '5' };
      const began = process.hrtime.bigint();
      const answer = (await (
        await fetch(`${url}/api/v1/query_range?${new URLSearchParams(params)}`)
      ).json()) as {
        readonly data: { readonly result: readonly { readonly values: readonly unknown[] }[] };
      };
      const ms = Number((process.hrtime.bigint() - began) / 1000n) / 1000;
      const rows = answer.data.result.reduce((sum, { values }) => sum + values.length, 0);
      lines.push([name, title, String(rows), ms.toFixed(0)]);
    }
  }
  return lines;
}

function print(lines: readonly string[][]): void {
  const align = ['l', 'l', 'r', 'r'];
  process.stdout.write(`${markdownTable([['dashboard', 'query', 'rows', 'ms'], ...lines], { align })}\n`);
}

if (flags.url !== undefined) {
  print(await measure(flags.url, {}));
  if (flags.prometheus !== undefined) print(await measureProm(flags.prometheus));
} else {
  const server = await RealInfluxdb.start();
  try {
    await year(server);
    print(await measure(server.url, { authorization: `Basic ${btoa('admin:adm1n-pass')}` }));
  } finally {
    await server.end();
  }
}
