import type { Measurements } from '../../src/judge/measurements.ts';
import type { CheckRecord } from '../../src/model/record.ts';
import { drawnRecord } from './drawn-record.ts';
import { cellProfile } from './example-profile.ts';
import { baseRun, type ExampleCell, exampleRun, judged, storedRuns } from './example-run.ts';

const trip: ExampleCell = {
  scenario: 'trip-edit',
  load: 'peak',
  vus: 510,
  tps: 1034,
  p95Ms: 1180,
  endpoints: [
    { name: 'trip-overview', shareOfRequests: 0.75, meanMs: 420, p95Ms: 800 },
    { name: 'trip-update', shareOfRequests: 0.25, meanMs: 712.9, p95Ms: 1450 },
  ],
  signals: { rowsRead: 31, statements: 4 },
};
const plan: ExampleCell = { scenario: 'plan-edit', load: 'average', vus: 300, tps: 590, p95Ms: 980 };
const cells = [trip, plan];

const slow: ExampleCell = {
  ...trip,
  tps: 800,
  p95Ms: 1600,
  endpoints: [
    { name: 'trip-overview', shareOfRequests: 0.75, meanMs: 610, p95Ms: 1200 },
    { name: 'trip-update', shareOfRequests: 0.25, meanMs: 720, p95Ms: 1450 },
  ],
  signals: { rowsRead: 44, statements: 4 },
};

function record(measured: Measurements, of: readonly ExampleCell[] = cells): CheckRecord {
  return drawnRecord(measured, judged(of, measured));
}

const stored = storedRuns(cells, [1.01, 0.995, 1.02, 0.99]);
const oneEach = (run: ReturnType<typeof exampleRun>) => ({
  ...run,
  cells: run.cells.map((cell) => ({ ...cell, blocks: cell.blocks.slice(0, 1) })),
});
const many: ExampleCell = {
  ...plan,
  endpoints: Array.from({ length: 200 }, (_, index) => ({
    name: `endpoint-${String(index).padStart(3, '0')}`,
    shareOfRequests: 1 / 200,
    meanMs: 508.47,
    p95Ms: 980,
  })),
};

/** With profiles of the second measurement, in which head looks its plans up one by one. */
function profiled({ again, ...more }: CheckRecord): CheckRecord {
  if (again === undefined) throw new Error('only a second measurement is profiled');
  const frames = [
    'java.lang.Thread.run',
    'org.apache.tomcat.util.net.NioEndpoint.doRun',
    'shop.trips.TripController.overview',
    'shop.trips.DefaultTrips.plans',
    'shop.trips.PlanRepository.find<all>',
    'org.springframework.jdbc.core.JdbcTemplate.query',
    'org.mariadb.jdbc.Statement.execute',
    'tools.jackson.databind.ObjectMapper.writeValue',
    'shop.Audit.log',
  ];
  const side = (name: 'base' | 'head', weights: readonly [number, number, number, number]) => ({
    ...again[name],
    profiles: [
      cellProfile({
        side: name,
        frames,
        cpu: {
          total: weights.reduce((sum, weight) => sum + weight, 0),
          stacks: [
            [0, 1, 2, 7],
            [0, 1, 2, 3, 4, 5, 6],
            [0, 1, 2, 3],
            [0, 1, 8],
          ].map((stack, index) => {
            const weight = weights[index] ?? 0;
            return { frames: stack, weight, count: weight };
          }),
        },
      }),
    ],
  });
  return {
    ...more,
    again: { base: side('base', [500, 200, 100, 100]), head: side('head', [500, 560, 110, 20]) },
  };
}

/** What the page has to draw. */
export const records: Readonly<Record<string, CheckRecord>> = {
  'first-run': record({ run: exampleRun(cells), stored: [] }),
  stored: record({ run: exampleRun(cells), stored }),
  regression: profiled(
    record({
      run: exampleRun([slow, plan]),
      stored,
      again: { base: baseRun([trip]), head: exampleRun([slow], { id: 'again' }) },
    }),
  ),
  interleaved: record({ run: exampleRun(cells), base: baseRun(cells) }),
  'one-block': record({ run: oneEach(exampleRun(cells)), base: oneEach(baseRun(cells)) }),
  'all-errors': record({ run: exampleRun([{ ...trip, errorRate: 1 }, plan]), base: baseRun(cells) }),
  silent: record({ run: exampleRun([{ ...trip, silent: true, endpoints: [] }, plan]), stored: [] }),
  'many-endpoints': record({ run: exampleRun([many]), base: baseRun([many]) }, [many]),
};
