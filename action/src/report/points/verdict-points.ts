import type { Point } from '../../model/point.ts';
import type { CheckRecord } from '../../model/record.ts';
import type { CellVerdict } from '../../model/verdict.ts';
import { verdictSentence } from '../content/verdict-sentence.ts';
import { plainText } from '../format/plain-text.ts';
import { type AskedEndpoint, askedEndpoints } from '../pictures/asked-endpoints.ts';
import { mostEndpoints } from './series-points.ts';
import { snakeCase, tagValue } from './tag.ts';

/** Annotations of a chart show a sentence, not a report. */
const longestSentence = 800;
const longestBranch = 200;

/** A point per run, cell, endpoint and cost, at the end of the run. */
export function verdictPoints(
  record: CheckRecord,
  tags: Point['tags'],
  common: Point['fields'],
): readonly Point[] {
  const { verdict } = record;
  const timeMs = Date.parse(record.head.run.finishedAt);
  const branch = plainText(verdict.code.branch, longestBranch);
  const point = (measurement: string, more: Point['tags'], fields: Point['fields']): Point => ({
    measurement,
    tags: { ...tags, ...more },
    fields: { ...common, ...fields },
    timeMs,
  });
  return [
    point(
      'gate_runs',
      { outcome: verdict.outcome },
      {
        branch,
        sentence: verdictSentence(verdict, longestSentence),
        seconds: verdict.seconds,
        dirty: verdict.code.dirty,
      },
    ),
    ...verdict.cells.flatMap((cell) => {
      const names = { scenario: tagValue(cell.scenario), load: tagValue(cell.load) };
      return [
        point('gate_cells', { ...names, side: 'head' }, { branch, ...cellFields(cell) }),
        ...endpointsOf(record, cell).map(([endpoint, figures]) =>
          point('gate_endpoints', { ...names, endpoint }, { branch, ...endpointFields(figures) }),
        ),
        ...cell.signals.map(({ name, unit, base, head, limit, failed }) =>
          point(
            'gate_costs',
            { ...names, signal: tagValue(name), ...(unit !== '' && { unit: tagValue(unit) }) },
            { branch, base, head, limit, failed },
          ),
        ),
      ];
    }),
  ];
}

/** By the value of their tag. Of names that differ only past the cut, the one with the most requests. */
function endpointsOf(record: CheckRecord, cell: CellVerdict): readonly (readonly [string, AskedEndpoint])[] {
  const byTag = Map.groupBy(askedEndpoints(record, cell), ({ name }) => tagValue(name));
  return [...byTag].slice(0, mostEndpoints).flatMap(([tag, [first]]) => (first ? [[tag, first]] : []));
}

function endpointFields({ requests, base, head }: AskedEndpoint): Point['fields'] {
  return {
    requests: { count: requests },
    mean_ms: head.meanMs,
    p95_ms: head.p95Ms,
    error_rate: head.errorRate,
    ...(base && { mean_ms_base: base.meanMs, p95_ms_base: base.p95Ms, error_rate_base: base.errorRate }),
  };
}

function cellFields({ outcome, head, metrics }: CellVerdict): Point['fields'] {
  return {
    outcome,
    ...(head.blocks === 0
      ? {}
      : {
          tps: head.tps,
          mean_ms: head.meanMs,
          p95_ms: head.p95Ms,
          p99_ms: head.p99Ms,
          error_rate: head.errorRate,
          requests: { count: head.requests },
        }),
    ...Object.fromEntries(
      metrics.flatMap(({ metric, base, change, interval, limit }) =>
        Object.entries({ base, change, low: interval.low, high: interval.high, limit }).map(
          ([part, value]) => [`${snakeCase(metric)}_${part}`, value],
        ),
      ),
    ),
  };
}
