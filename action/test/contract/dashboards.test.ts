import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dashboards } from '../../scripts/dashboards/index.ts';
import {
  type Chosen,
  filled,
  type PanelQuery,
  panelQueries,
  queriedVariables,
} from '../../scripts/dashboards/panel-queries.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { influxdbTarget } from '../../src/adapters/influxdb/target.ts';
import { writePoints } from '../../src/adapters/influxdb/writer.ts';
import type { Point } from '../../src/model/point.ts';
import { type ReadingUnit, readings } from '../../src/model/reading.ts';
import { recordPoints } from '../../src/report/points/record-points.ts';
import { exampleRecord, recordedCell, warmUpSeries } from '../golden/example-record.ts';
import { blockSeries } from '../golden/example-series.ts';
import { lackOfInfluxdb, RealInfluxdb } from './real-influxdb.ts';
import { lackOfPrometheus, RealPrometheus, urlOf } from './real-prometheus.ts';

const files = join(import.meta.dirname, '../../../perf/grafana/dashboards');
const built = Object.entries(dashboards).map(([name, dashboard]): [string, Dashboard] => [
  name,
  dashboard.build(),
]);
const everyQuery = built.flatMap(([name, dashboard]) =>
  panelQueries(dashboard).map((query) => ({ name, ...query })),
);
const withPrometheus = everyQuery.filter(({ kind }) => kind === 'prometheus');

describe('every panel', () => {
  const panels = built.flatMap(([name]) => {
    const { panels: all } = JSON.parse(readFileSync(join(files, `${name}.json`), 'utf8'));
    return all.filter(({ type }: { type: string }) => type !== 'row');
  });

  it('has a title, a description and a unit', () => {
    expect(panels.length).toBeGreaterThan(40);
    for (const { title, description, fieldConfig } of panels) {
      expect(title).toMatch(/\S/);
      expect(description, title).toMatch(/\.$/);
      expect(fieldConfig.defaults.unit, title).toMatch(/^\w+$/);
    }
  });

  it('reads the data source that the dashboard lets you choose', () => {
    for (const { title, datasource, targets } of panels) {
      expect(datasource.uid, title).toBe(`\${${datasource.type}}`);
      for (const target of targets) expect(target.datasource, title).toEqual(datasource);
    }
  });
});

const lackingInfluxdb = lackOfInfluxdb();

describe.skipIf(lackingInfluxdb !== undefined)('on a real InfluxDB', () => {
  let server: RealInfluxdb;
  const database = 'dashboards';
  /** The example's seconds, and its end. */
  const timeFilter = `time >= '2026-01-01T00:00:00Z' AND time <= '2026-12-31T00:00:00Z'`;

  beforeAll(async () => {
    server = await RealInfluxdb.start();
    await server.query(`CREATE DATABASE "${database}"`);
    const target = { url: server.url, database, username: 'admin', password: 'adm1n-pass' };
    await writePoints(influxdbTarget(target, 'here '), examplePoints(), {
      clock: createSystemClock(),
      signal: new AbortController().signal,
    });
  });
  afterAll(() => server?.end());

  async function chosenOn(dashboard: Dashboard): Promise<Chosen> {
    const chosen = new Map<string, readonly string[]>();
    for (const { name, query, multi } of queriedVariables(dashboard)) {
      const rows = await server.rows(filled(query, chosen, timeFilter), database);
      const values = rows.map(({ value, distinct }) => String(value ?? distinct)).toSorted();
      expect(values, `${name}: ${query}`).not.toEqual([]);
      chosen.set(name, multi ? values : values.slice(0, 1));
    }
    return chosen;
  }

  it.each(built.filter(([name]) => name !== 'ticketing'))(
    'every query of %s has rows',
    async (_, dashboard) => {
      const chosen = await chosenOn(dashboard);
      for (const query of panelQueries(dashboard)) {
        const series = await server.query(filled(query.text, chosen, timeFilter), { database });
        const numbers = series
          .flatMap(({ values }) => values.flatMap((row) => row.slice(1)))
          .filter(isNumber);
        expect(series, `${query.title}: ${query.text}`).not.toEqual([]);
        expectPlausible(query, numbers);
      }
    },
  );

  it('keeps the sides, phases and endpoints of a run apart', async () => {
    const run = dashboards.run?.build() ?? expect.unreachable();
    const chosen = await chosenOn(run);
    const of = async (wanted: string) => {
      const { text } = panelQueries(run).find(({ title }) => title === wanted) ?? expect.unreachable();
      const series = await server.query(filled(text, chosen, timeFilter), { database });
      return series.map(({ tags = {} }) => Object.values(tags).join(' '));
    };
    expect(await of('Requests per second')).toEqual([
      'counted base',
      'counted head',
      'guard base',
      'guard head',
      'warm-up head',
    ]);
    expect(await of('Head: p95 by endpoint')).toEqual(['trip-detail', 'trip-update']);
  });
});

it('waits for the address of Prometheus, also if its log says first that it is ready', () => {
  const ready = 'level=INFO msg="Server is ready to receive web requests."';
  const listening = 'level=INFO msg="Listening on" address=127.0.0.1:9090';
  expect([[ready], [listening], [ready, listening], [listening, ready]].map(urlOf)).toEqual([
    undefined,
    undefined,
    'http://127.0.0.1:9090',
    'http://127.0.0.1:9090',
  ]);
});

const lackingPrometheus = lackOfPrometheus();

it.skipIf(lackingPrometheus !== undefined)('a real Prometheus understands every expression', async () => {
  const server = await RealPrometheus.start([]);
  try {
    expect(withPrometheus.length).toBeGreaterThan(10);
    for (const { title, text } of withPrometheus) {
      await expect(server.query(filled(text, new Map(), '')), title).resolves.toEqual([]);
    }
  } finally {
    await server.end();
  }
});

const isNumber = (value: unknown) => typeof value === 'number';

/** Whether the figures look as if they had the unit under which the panel shows them. */
function expectPlausible({ title, unit }: PanelQuery, numbers: readonly number[]): void {
  const most = Math.max(...numbers);
  if (unit === 'percentunit') expect(most, title).toBeLessThanOrEqual(1);
  if (unit === 'bytes') expect(most, title).toBeGreaterThan(100);
  if (unit === 'ms') expect(most, title).toBeLessThan(10_000);
}

/** A check that regresses, with every reading, a signal of every unit and a release. */
function examplePoints(): readonly Point[] {
  const values: Readonly<Record<ReadingUnit, number>> = {
    share: 0.2,
    bytes: 2e8,
    ms: 3,
    'ms/s': 12,
    '/s': 900,
    '': 4,
  };
  const read = Object.fromEntries(
    Object.entries(readings).map(([name, { unit }]) => [name, [0, 1, 2, 3].map(() => values[unit])]),
  );
  const startedAt = '2026-10-05T10:00:10.000Z';
  const endpoints = [{ name: 'trip-detail', shareOfRequests: 1, meanMs: 25, p95Ms: 40 }];
  const record = exampleRecord({
    cells: [{ ...recordedCell, endpoints }],
    head: [warmUpSeries(), blockSeries({ readings: read })],
    base: [blockSeries({ side: 'base', startedAt, readings: read })],
  });
  const [cell] = record.verdict.cells;
  const [signal] = cell?.signals ?? [];
  if (cell === undefined || signal === undefined) throw new Error(`${recordedCell.scenario} has signals`);
  const signals = ['', 'ms', 'B', 'KiB', 'MiB'].map((unit) => ({
    ...signal,
    name: `signal of ${unit}`,
    unit,
    base: 300,
    head: 400,
    failed: true,
  }));
  const verdict = { ...record.verdict, outcome: 'regression' as const, cells: [{ ...cell, signals }] };
  const release: Point = {
    measurement: 'gate_releases',
    tags: { gate: 'shop' },
    fields: { title: 'v1.0.0' },
    timeMs: Date.parse(startedAt),
  };
  return [...recordPoints({ ...record, verdict }, 'shop'), release];
}
