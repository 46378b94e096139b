import type { Measurements } from '../../src/judge/measurements.ts';
import type { CheckRecord } from '../../src/model/record.ts';
import { drawnRecord } from './drawn-record.ts';
import { changedProfiles } from './example-profile.ts';
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

/** What the page has to draw. */
export const records: Readonly<Record<string, CheckRecord>> = {
  'first-run': record({ run: exampleRun(cells), stored: [] }),
  stored: record({ run: exampleRun(cells), stored }),
  regression: record({
    run: exampleRun([slow, plan]),
    stored,
    again: { base: baseRun([trip]), head: exampleRun([slow], { id: 'again' }) },
    profiles: changedProfiles({}),
  }),
  interleaved: record({ run: exampleRun(cells), base: baseRun(cells) }),
  'one-block': record({ run: oneEach(exampleRun(cells)), base: oneEach(baseRun(cells)) }),
  'all-errors': record({ run: exampleRun([{ ...trip, errorRate: 1 }, plan]), base: baseRun(cells) }),
  silent: record({ run: exampleRun([{ ...trip, silent: true, endpoints: [] }, plan]), stored: [] }),
  'many-endpoints': record({ run: exampleRun([many]), base: baseRun([many]) }, [many]),
};
