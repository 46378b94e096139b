import type { Point, PointField } from '../../model/point.ts';
import { readings } from '../../model/reading.ts';
import type { LoadSeries, RequestSeries } from '../../model/series.ts';
import { snakeCase, tagValue } from './tag.ts';

/** Endpoints of a cell with a series of their own: those with the most requests. */
export const mostEndpoints = 100;
const allEndpoints = '(all)';
/** The name that the endpoints past the limit share. k6 gives it to names past its own limit too. */
const otherEndpoints = '(other)';

export interface SeriesPart {
  readonly series: readonly LoadSeries[];
  /** Fields of every point. */
  readonly fields: Point['fields'];
}

/** A point per second for requests and failures, and one per reading. */
export function seriesPoints(parts: readonly SeriesPart[], tags: Point['tags']): readonly Point[] {
  const lines = parts.flatMap(({ series, fields }) => series.map((line) => ({ line, fields })));
  const cells = Map.groupBy(lines, ({ line }) => Object.values(cellTags(line)).join('@'));
  return [...cells.values()].flatMap((cell) => {
    const named = namedEndpoints(cell.map(({ line }) => line));
    return cell.flatMap(({ line, fields }) =>
      linePoints(line, named, { ...tags, ...cellTags(line) }, fields),
    );
  });
}

function cellTags(line: LoadSeries) {
  const [scenario, load] = line.phase === 'block' ? [line.scenario, line.load] : ['(warm-up)', '(warm-up)'];
  return { scenario: tagValue(scenario), load: tagValue(load) };
}

function roundField(line: LoadSeries): Point['fields'] {
  return line.phase === 'block' ? { round: { count: line.round } } : {};
}

/** Tags of the endpoints that keep their names, the same in all blocks of a cell so that its series stay bounded. */
function namedEndpoints(lines: readonly LoadSeries[]): ReadonlySet<string> {
  const requests = new Map<string, number>();
  for (const [name, own] of lines.flatMap(({ endpoints }) => Object.entries(endpoints))) {
    const tag = tagValue(name);
    requests.set(tag, (requests.get(tag) ?? 0) + sum(own.requests));
  }
  const names = [...requests].filter(([tag]) => tag !== allEndpoints && tag !== otherEndpoints);
  return new Set(
    names
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, mostEndpoints)
      .map(([tag]) => tag),
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function linePoints(
  line: LoadSeries,
  named: ReadonlySet<string>,
  cell: Point['tags'],
  common: Point['fields'],
): Point[] {
  const startedMs = Date.parse(line.startedAt);
  const round = roundField(line);
  const point = (measurement: string, atSeconds: number, tags: Point['tags'], fields: Point['fields']) => ({
    measurement,
    tags: { ...cell, phase: phaseAt(line, atSeconds), side: line.side, ...tags },
    fields: { ...common, ...fields },
    timeMs: startedMs + Math.round(atSeconds * 1000),
  });
  const endpoints = Map.groupBy(Object.entries(line.endpoints), ([name]) => {
    const tag = tagValue(name);
    return named.has(tag) ? tag : otherEndpoints;
  });
  const perSecond = line.all.requests.flatMap((_, second) => [
    point('gate_requests', second, { endpoint: allEndpoints }, { ...round, ...allFields(line, second) }),
    ...[...endpoints].map(([endpoint, group]) => {
      const series = group.map(([, own]) => own);
      const [only] = endpoint === otherEndpoints || series.length > 1 ? [] : series;
      const fields = only === undefined ? countFields(series, second) : requestFields(only, second);
      return point('gate_requests', second, { endpoint }, { ...round, ...fields });
    }),
    ...Object.entries(line.failures)
      .filter(([, counts]) => (counts[second] ?? 0) > 0)
      .map(([status, counts]) =>
        point('gate_failures', second, { status: tagValue(status) }, { failed: count(counts[second]) }),
      ),
  ]);
  const perReading = line.readAtSeconds.flatMap((atSeconds, index) => {
    const fields = readingFields(line, index);
    return Object.keys(fields).length === 0
      ? []
      : [point('gate_readings', atSeconds, {}, { ...round, ...fields })];
  });
  return [...perSecond, ...perReading];
}

/** A second belongs to the interval in which it begins. What follows the counted one counts no more than the guard. */
function phaseAt(line: LoadSeries, atSeconds: number): string {
  if (line.phase === 'warm-up') return 'warm-up';
  const { guardSeconds, countedSeconds } = line;
  return atSeconds >= guardSeconds && atSeconds < guardSeconds + countedSeconds ? 'counted' : 'guard';
}

function allFields({ all, users }: LoadSeries, second: number): Point['fields'] {
  const present = users[second] ?? undefined;
  return { ...requestFields(all, second), ...(present === undefined ? {} : { users: count(present) }) };
}

function requestFields(series: RequestSeries, second: number): Point['fields'] {
  return {
    ...countFields([series], second),
    ...presentOnly({
      p50_ms: series.p50Ms[second],
      p95_ms: series.p95Ms[second],
      p99_ms: series.p99Ms[second],
    }),
  };
}

/** Percentiles of several endpoints cannot be combined. */
function countFields(series: readonly RequestSeries[], second: number): Point['fields'] {
  return {
    requests: count(sum(series.map(({ requests }) => requests[second] ?? 0))),
    failed: count(sum(series.map(({ failed }) => failed[second] ?? 0))),
  };
}

function readingFields({ readings: read }: LoadSeries, index: number): Point['fields'] {
  return presentOnly(
    Object.fromEntries(
      Object.keys(readings).map((name) => [
        snakeCase(name),
        Object.hasOwn(read, name) ? read[name]?.[index] : undefined,
      ]),
    ),
  );
}

function presentOnly(values: Readonly<Record<string, number | null | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, value]],
    ),
  );
}

function count(value = 0): PointField {
  return { count: Math.round(value) };
}
